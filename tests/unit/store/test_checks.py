"""Checks on loaded arrays."""

import numpy as np
import pytest

from deixis.errors import StoreError
from deixis.store.checks import check_indptr, check_length, check_range, require


def test_require_gives_the_array_and_names_one_that_is_missing_or_wrong():
    sizes = np.arange(3, dtype=np.int32)
    assert require({"sizes": sizes}, "sizes", np.int32) is sizes
    with pytest.raises(StoreError, match="no array 'weights'"):
        require({"sizes": sizes}, "weights", np.int32)
    with pytest.raises(StoreError, match=r"'sizes' must be int32 with 2 dimension\(s\), got int32 with 1"):
        require({"sizes": sizes}, "sizes", np.int32, ndim=2)


@pytest.mark.parametrize(
    ("indptr", "problem"),
    [([], "got nothing"), ([1, 3], "got 1..3"), ([0, 2], "run from 0 to 3"), ([0, 2, 1, 3], "never fall")],
)
def test_a_bad_indptr_is_refused(indptr, problem):
    with pytest.raises(StoreError, match=rf"'rows'.*{problem}"):
        check_indptr("rows", np.array(indptr, np.int64), 3)


def test_a_good_indptr_passes():
    check_indptr("rows", np.array([0, 0, 3, 3]), 3)
    check_indptr("rows", np.array([0]), 0)


def test_values_outside_the_range_are_refused_and_so_is_nan():
    check_range("codes", np.array([0, 4]), 0, 5)
    check_range("codes", np.array([], np.int32), 0, 0)
    for values in ([-1, 2], [0, 5], [0.0, np.nan]):
        with pytest.raises(StoreError, match=r"'codes' must lie in \[0, 5\)"):
            check_range("codes", np.array(values), 0, 5)


def test_lengths_are_checked():
    check_length("counts", np.zeros(3), 3)
    with pytest.raises(StoreError, match="'counts' has 3 rows where 4 are expected"):
        check_length("counts", np.zeros(3), 4)
