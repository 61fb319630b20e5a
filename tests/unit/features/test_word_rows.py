import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from deixis.features.word_rows import Pairs, WordQuery, WordRowParts, WordRows
from deixis.store.row_parts import RowParts

N_WORDS = 30


def drawn_rows(rng, n_rows, share=0.3):
    values = rng.integers(1, 9, (n_rows, N_WORDS)) / 8 * (rng.random((n_rows, N_WORDS)) < share)
    return sparse.csr_matrix(values.astype(np.float32))


@given(seed=st.integers(0, 2**32 - 1), n_queries=st.integers(1, 8), n_threads=st.sampled_from([1, 3]))
def test_all_queries_together_are_each_of_them_alone_and_the_product_of_dense_rows(seed, n_queries, n_threads):
    rng = np.random.default_rng(seed)
    n_mentions, entities = int(rng.integers(0, 6)), drawn_rows(rng, 12)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 25, n_mentions))])
    pairs = Pairs(starts, rng.integers(0, 12, starts[-1]))
    mentions = np.repeat(np.arange(n_mentions), np.diff(starts))
    queries, expected = [], []
    for position in range(n_queries):
        rows = drawn_rows(rng, n_mentions + 2)
        numbers = rng.integers(0, n_mentions + 2, n_mentions) if position % 2 else None
        without = position - 1 if position % 3 == 1 else -1
        queries.append(WordQuery(rows, numbers, without))
        weights = rows.toarray()[np.arange(n_mentions) if numbers is None else numbers]
        if without >= 0:
            before = queries[without]
            others = before.rows.toarray()[np.arange(n_mentions) if before.numbers is None else before.numbers]
            weights = np.where(others > 0, 0, weights)
        expected.append((weights[mentions] * (entities.toarray()[pairs.rows] > 0)).sum(axis=1))
    words = WordRows.of(entities)
    sums = words.sums(queries, pairs, n_threads)
    np.testing.assert_array_equal(sums, np.array(expected).reshape(n_queries, -1))
    if queries[0].numbers is None:
        np.testing.assert_array_equal(words.dots(queries[0].rows, pairs, n_threads), sums[0])
    parts = WordRowParts([WordRows.of(entities[:5]), WordRows.of(entities[5:])], RowParts.of([5, 7]))
    np.testing.assert_array_equal(parts.sums(queries, pairs, n_threads), sums)
    assert words.has_words and parts.has_words and not WordRows.of(entities[:0]).has_words


@pytest.mark.parametrize(
    ("queries", "starts", "rows", "reason"),
    [
        ([], [0, 1], [0], "1 to 8"),
        ([WordQuery(sparse.csr_matrix((0, 3), dtype=np.float32))], [0, 1], [0], "rows"),
        ([WordQuery(sparse.csr_matrix((1, 3), dtype=np.float32), without=1)], [0, 1], [0], "without"),
        ([WordQuery(sparse.csr_matrix((1, 3), dtype=np.float32))], [0, 2], [0], "starts"),
        ([WordQuery(sparse.csr_matrix((1, 3), dtype=np.float32))], [0, 1], [5], "entities"),
    ],
)
def test_queries_and_pairs_that_do_not_fit_are_refused(queries, starts, rows, reason):
    words = WordRows.of(sparse.csr_matrix(np.eye(3, dtype=np.float32)))
    with pytest.raises(ValueError, match=reason):
        words.sums(queries, Pairs(np.array(starts), np.array(rows)), 1)
