"""Rows of a batch put together natively are what NumPy makes of the same matrices."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deixis.native import _core
from deixis.nearest.merging import best_of_both
from deixis.tables import FlatRows

seeds = st.integers(0, 2**32 - 1)


def random_rows(rng, n_rows, n_columns=6, lows=(0.25, 0.5, 0.75, 1.0)):
    """Rows of a few values, best first, and the same as a dense matrix."""
    dense = rng.choice([0.0, *lows], (n_rows, n_columns)).astype(np.float32)
    rows = [sorted(np.flatnonzero(own), key=lambda at: -own[at]) for own in dense]  # noqa: B023 - used at once
    indptr = np.concatenate([[0], np.cumsum([len(each) for each in rows])]).astype(np.int64)
    indices = np.concatenate([np.zeros(0, int), *rows]).astype(np.int32)
    data = np.concatenate([np.zeros(0), *(own[each] for own, each in zip(dense, rows, strict=True) if each)])
    return FlatRows(indptr, indices, data.astype(np.float32), dense.shape), dense


@given(seed=seeds, k=st.integers(1, 7))
def test_the_best_of_two_lists_are_those_of_the_greater_values(seed, k):
    rng = np.random.default_rng(seed)
    (first, one), (second, other) = (random_rows(rng, 3) for _ in range(2))
    best, both = best_of_both(first, second, k), np.maximum(one, other)
    for row in range(3):
        order = sorted(np.flatnonzero(both[row]).tolist(), key=lambda column: (-both[row, column], column))[:k]
        assert best[row].indices.tolist() == order and best[row].data.tolist() == both[row, order].tolist()


@given(seed=seeds, k=st.integers(1, 4), enough=st.sampled_from([0.5, 1.0, np.inf]))
def test_open_rows_are_those_whose_best_is_not_enough(seed, k, enough):
    rows, _ = random_rows(np.random.default_rng(seed), 4)
    own = [rows[row].data[:k].tolist() for row in range(4)]
    full = FlatRows(
        np.concatenate([[0], np.cumsum([len(each) for each in own])]),
        rows.indices[:0],
        np.array(sum(own, []), np.float32),
        rows.shape,
    )
    numbers, lasts = _core.open_rows(full.indptr, full.data, k, enough)
    wanted = [(row, each[-1] if len(each) == k else 0) for row, each in enumerate(own) if not each or each[0] < enough]
    assert list(zip(numbers.tolist(), lasts.tolist(), strict=True)) == wanted


@given(seed=seeds, last=st.integers(0, 8))
def test_the_last_column_is_one_where_anything_is_before_it(seed, last):
    rows, dense = random_rows(np.random.default_rng(seed), 4)
    own = FlatRows(*_core.with_last_one(rows.indptr, rows.indices, rows.data, last), (4, last + 1)).toarray()
    before = np.zeros((4, last), np.float32)
    before[:, : min(last, 6)] = dense[:, :last]
    assert own[:, :last].tolist() == before.tolist()
    assert own[:, last].tolist() == (before > 0).any(axis=1).tolist()


@given(seed=seeds)
def test_sums_of_rows_are_those_of_their_values(seed):
    rows, dense = random_rows(np.random.default_rng(seed), 4)
    assert _core.row_sums(rows.indptr, rows.data).tolist() == dense.sum(axis=1).tolist()
