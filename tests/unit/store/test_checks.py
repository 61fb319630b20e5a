"""Checks on loaded arrays."""

import numpy as np
import pytest

from deixis.errors import DataError, StoreError
from deixis.store.checks import check_indptr, check_length, check_range, require, require_narrow
from deixis.store.numbers import MAX_NARROW, narrowed


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


def test_numbers_that_had_eight_bytes_have_four():
    narrow = np.array([0, 7, MAX_NARROW], dtype=np.uint32)
    assert require_narrow({"a": narrow}, "a") is narrow
    again = require_narrow({"a": narrow.astype(np.int64)}, "a")
    assert again.dtype == np.uint32 and again.tolist() == narrow.tolist()
    assert narrowed(narrow.astype(np.int64), "names").tolist() == narrow.tolist()
    assert narrowed(np.zeros(0, np.int64), "names").dtype == np.uint32


@pytest.mark.parametrize("wrong", [-1, MAX_NARROW + 1, -(2**40)])
def test_numbers_without_room_in_four_bytes_are_refused(wrong):
    with pytest.raises(StoreError, match="'a' must be uint32"):
        require_narrow({"a": np.array([3, wrong, 4])}, "a")
    if wrong > 0:
        with pytest.raises(DataError, match="4,294,967,296 names; at most 4,294,967,295"):
            narrowed(np.array([3, wrong, 4]), "names")
