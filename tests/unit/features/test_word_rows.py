import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from deixis.features.word_rows import Pairs, WordRowParts, WordRows
from deixis.store.row_parts import RowParts

N_WORDS = 30


def drawn_rows(rng, n_rows, share=0.3):
    values = rng.integers(1, 9, (n_rows, N_WORDS)) / 8 * (rng.random((n_rows, N_WORDS)) < share)
    return sparse.csr_matrix(values.astype(np.float32))


@given(seed=st.integers(0, 2**32 - 1), n_threads=st.sampled_from([1, 3]))
def test_sums_of_words_are_the_product_of_dense_rows_in_one_part_or_several(seed, n_threads):
    rng = np.random.default_rng(seed)
    n_mentions, entities = int(rng.integers(0, 6)), drawn_rows(rng, 12)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 25, n_mentions))])
    pairs = Pairs(starts, rng.integers(0, 12, starts[-1]))
    mentions, queries = np.repeat(np.arange(n_mentions), np.diff(starts)), drawn_rows(rng, n_mentions)
    expected = (queries.toarray()[mentions] * (entities.toarray()[pairs.rows] > 0)).sum(axis=1)
    words = WordRows.of(entities)
    np.testing.assert_array_equal(words.dots(queries, pairs, n_threads), expected)
    parts = WordRowParts([WordRows.of(entities[:5]), WordRows.of(entities[5:])], RowParts.of([5, 7]))
    np.testing.assert_array_equal(parts.dots(queries, pairs, n_threads), expected)
    assert words.has_words and parts.has_words and not WordRows.of(entities[:0]).has_words


@pytest.mark.parametrize(
    ("n_queries", "starts", "rows", "reason"),
    [(0, [0, 1], [0], "indptr"), (1, [0, 2], [0], "starts"), (1, [0, 1], [5], "entities")],
)
def test_queries_and_pairs_that_do_not_fit_are_refused(n_queries, starts, rows, reason):
    words = WordRows.of(sparse.csr_matrix(np.eye(3, dtype=np.float32)))
    queries = sparse.csr_matrix((n_queries, 3), dtype=np.float32)
    with pytest.raises(ValueError, match=reason):
        words.dots(queries, Pairs(np.array(starts), np.array(rows)), 1)
