import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from deixis.features.word_rows import ColumnRows, Pairs, WordRowParts, WordRows
from deixis.store.row_parts import RowParts

N_WORDS = 30


def drawn_rows(rng, n_rows, share=0.3):
    values = rng.integers(1, 9, (n_rows, N_WORDS)) / 8 * (rng.random((n_rows, N_WORDS)) < share)
    return sparse.csr_matrix(values.astype(np.float32))


def rows_of(*matrices):
    return WordRows.of(*map(ColumnRows.of, matrices))


@given(seed=st.integers(0, 2**32 - 1), n_threads=st.sampled_from([1, 3]))
def test_sums_of_words_are_the_product_of_dense_rows_in_one_part_or_several(seed, n_threads):
    rng = np.random.default_rng(seed)
    n_mentions, entities = int(rng.integers(0, 6)), drawn_rows(rng, 12)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 25, n_mentions))])
    pairs = Pairs(starts, rng.integers(0, 12, starts[-1]))
    mentions, queries = np.repeat(np.arange(n_mentions), np.diff(starts)), drawn_rows(rng, n_mentions)
    expected = (queries.toarray()[mentions] * (entities.toarray()[pairs.rows] > 0)).sum(axis=1)
    others = drawn_rows(rng, 12)
    words = rows_of(others, entities)
    np.testing.assert_array_equal(words.dots(queries, pairs, 1, n_threads), expected)
    parts = WordRowParts([rows_of(others[:5], entities[:5]), rows_of(others[5:], entities[5:])], RowParts.of([5, 7]))
    np.testing.assert_array_equal(parts.dots(queries, pairs, 1, n_threads), expected)
    assert words.has_words(1) and parts.has_words(1) and not rows_of(entities[:0], entities[:0]).has_words(1)
    only_first = rows_of(entities, drawn_rows(rng, 12, share=0))
    assert only_first.has_words(0) and not only_first.has_words(1)


SECTION, N_SECTIONS = 0xF000, 0x1000


@given(
    rows=st.lists(
        st.lists(
            st.integers(0, SECTION * N_SECTIONS - 1)
            | st.builds(lambda s, at: s * SECTION + at, st.integers(0, 3), st.sampled_from([0, 1, SECTION - 1]))
        ),
        max_size=6,
    ),
    chosen=st.lists(st.integers(0, 5)),
)
def test_any_words_in_any_order_come_back_as_they_were(rows, chosen):
    indptr = np.cumsum([0, *map(len, rows)])
    columns = ColumnRows(indptr, np.array([word for row in rows for word in row], dtype=np.int32))
    words = WordRows.of(columns, columns)
    again = words.columns(1)
    assert again.indptr.tolist() == indptr.tolist() and again.indices.tolist() == columns.indices.tolist()
    chosen = [row for row in chosen if row < len(rows)]
    some = words.columns(0, np.array(chosen, dtype=np.int64))
    assert some.indices.tolist() == [word for row in chosen for word in rows[row]]
    assert len(words) == len(rows) and len(some) == len(chosen)


def test_words_have_two_bytes_and_rows_of_one_entity_lie_side_by_side():
    first = ColumnRows(np.array([0, 2, 2]), np.array([5, 9], dtype=np.int32))
    second = ColumnRows(np.array([0, 1, 3]), np.array([7, SECTION + 1, SECTION + 2], dtype=np.int32))
    words = WordRows.of(first, second)
    assert words.starts.tolist() == [0, 2, 3, 3, 6] and words.starts.dtype == np.uint32
    assert words.words.tolist() == [5, 9, 7, SECTION + 1, 1, 2] and words.words.dtype == np.uint16


@pytest.mark.parametrize("word", [-1, SECTION * N_SECTIONS])
def test_columns_that_have_no_place_are_refused(word):
    with pytest.raises(ValueError, match="columns"):
        WordRows.of(ColumnRows(np.array([0, 1]), np.array([word], dtype=np.int32)))


def test_damaged_starts_are_refused_when_words_are_taken_out():
    words = WordRows(np.array([0, 3, 1], dtype=np.uint32), np.zeros(1, dtype=np.uint16))
    with pytest.raises(ValueError, match="damaged"):
        words.columns()


@pytest.mark.parametrize(
    ("n_queries", "starts", "rows", "reason"),
    [(0, [0, 1], [0], "indptr"), (1, [0, 2], [0], "starts"), (1, [0, 1], [5], "entities")],
)
def test_queries_and_pairs_that_do_not_fit_are_refused(n_queries, starts, rows, reason):
    words = rows_of(sparse.csr_matrix(np.eye(3, dtype=np.float32)))
    queries = sparse.csr_matrix((n_queries, 3), dtype=np.float32)
    with pytest.raises(ValueError, match=reason):
        words.dots(queries, Pairs(np.array(starts), np.array(rows)), n_threads=1)
