import numpy as np

from deixis.xmr.label_features import aggregate_positive_instances
from deixis.xmr.sparse_rows import SparseRows


def aggregated(X, Y):
    rows = aggregate_positive_instances(
        SparseRows.of(np.array(X, dtype=float)), SparseRows.of(np.array(Y, dtype=float))
    )
    return rows.matrix().toarray()


def test_a_label_is_the_unit_sum_of_its_instances():
    # Label 0 has instances (1, 0) and (2, 4): the sum is (3, 4), of length 5.
    found = aggregated([[1, 0], [2, 4], [0, 7]], [[1, 0], [1, 0], [0, 1]])
    np.testing.assert_allclose(found, [[0.6, 0.8], [0, 1]], rtol=1e-6)


def test_a_label_without_instances_has_an_empty_row():
    found = aggregated([[3, 4]], [[0, 1, 0]])
    np.testing.assert_allclose(found, [[0, 0], [0.6, 0.8], [0, 0]], rtol=1e-6)


def test_instances_without_features_add_nothing():
    np.testing.assert_allclose(aggregated([[0, 0], [3, 4]], [[1, 1], [1, 0]]), [[0.6, 0.8], [0, 0]], rtol=1e-6)


def test_instances_that_cancel_out_leave_zeros_and_no_nan():
    assert aggregated([[1, -2], [-1, 2]], [[1], [1]]).tolist() == [[0, 0]]


def test_very_small_and_very_large_values_still_give_unit_rows():
    np.testing.assert_allclose(aggregated([[3e-38, 4e-38]], [[1]]), [[0.6, 0.8]], rtol=1e-4)
    np.testing.assert_allclose(aggregated([[3e37, 4e37]], [[1]]), [[0.6, 0.8]], rtol=1e-5)
