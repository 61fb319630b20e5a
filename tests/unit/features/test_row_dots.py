import numpy as np
import pytest
from scipy import sparse

from deixis.errors import DataError
from deixis.features.row_dots import row_dots


def drawn(n_rows, n_columns, seed, share=0.2):
    rng = np.random.default_rng(seed)
    dense = rng.normal(size=(n_rows, n_columns)) * (rng.random((n_rows, n_columns)) < share)
    return sparse.csr_matrix(dense.astype(np.float32))


@pytest.mark.parametrize("n_threads", [1, 4])
@pytest.mark.parametrize("n_columns", [1, 7, 500, 20_000])
def test_each_pair_is_the_product_of_its_dense_rows(n_columns, n_threads):
    lefts, rights = drawn(20, n_columns, 1), drawn(30, n_columns, 2)
    rng = np.random.default_rng(3)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 9, 20))])
    partners = rng.integers(0, 30, starts[-1])
    left_of = np.repeat(np.arange(20), np.diff(starts))
    expected = (lefts.toarray()[left_of].astype(np.float64) * rights.toarray()[partners]).sum(axis=1)
    found = row_dots(lefts, starts, rights, partners, n_threads)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_rows_without_entries_and_rows_without_partners_are_nothing():
    empty, rows = sparse.csr_matrix((2, 5), dtype=np.float32), drawn(3, 5, 1, share=1.0)
    assert row_dots(empty, np.array([0, 1, 3]), rows, np.array([0, 1, 2])).tolist() == [0, 0, 0]
    assert row_dots(rows, np.array([0, 2, 2, 2]), empty, np.array([0, 1])).tolist() == [0, 0]
    assert len(row_dots(rows, np.zeros(4, int), rows, np.zeros(0, int))) == 0
    assert len(row_dots(rows[:0], np.zeros(1, int), rows, np.zeros(0, int))) == 0


def test_many_columns_cost_no_room():
    wide = sparse.csr_matrix((np.ones(2, np.float32), [5, 2**31 - 2], [0, 2]), shape=(1, 2**31 - 1))
    assert row_dots(wide, np.array([0, 1]), wide, np.array([0])).tolist() == [2.0]


@pytest.mark.parametrize(
    ("starts", "partners"),
    [([0, 1], [0]), ([0, 1, 2], [0]), ([1, 1, 1], [0]), ([0, 0, 1], [3]), ([0, 0, 1], [-1]), ([0, 2, 1], [0])],
)
def test_partners_that_do_not_fit_are_refused(starts, partners):
    with pytest.raises(DataError):
        row_dots(drawn(2, 5, 1), np.array(starts), drawn(3, 5, 2), np.array(partners))


def test_rows_of_another_width_are_refused():
    with pytest.raises(DataError, match="4 and 5 columns"):
        row_dots(drawn(1, 4, 1), np.array([0, 0]), drawn(1, 5, 1), np.zeros(0, int))
