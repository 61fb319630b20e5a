"""Masks as engines take them."""

import numpy as np
import pytest

from deixis.errors import DataError
from deixis.nearest.mask_cache import MAX_KEPT, PreparedMasks, check_allowed


def read_only(*values):
    mask = np.array(values, dtype=bool)
    mask.setflags(write=False)
    return mask


@pytest.fixture
def made():
    return []


@pytest.fixture
def masks(made):
    def prepare(allowed):
        made.append(allowed)
        return int(allowed.sum())

    kept = PreparedMasks()
    return lambda allowed: kept.of(allowed, prepare)


def test_a_mask_that_cannot_change_is_prepared_once(masks, made):
    first, second = read_only(True, False), read_only(True, True)
    assert [masks(mask) for mask in (first, second, first, second)] == [1, 2, 1, 2]
    assert len(made) == 2


def test_a_mask_that_may_change_is_prepared_every_time(masks):
    mask = np.array([True, False])
    assert masks(mask) == 1
    mask[1] = True
    assert masks(mask) == 2


def test_only_the_last_few_are_kept(masks, made):
    kept = [read_only(True) for _ in range(MAX_KEPT + 1)]
    for mask in kept:
        masks(mask)
    masks(kept[-1])
    assert len(made) == MAX_KEPT + 1
    masks(kept[0])
    assert len(made) == MAX_KEPT + 2


@pytest.mark.parametrize("wrong", [[True, False], np.ones(3, bool), np.ones((2, 1), bool), np.ones(2, np.uint8), None])
def test_what_is_no_mask_of_the_labels_is_refused(wrong):
    with pytest.raises(DataError, match="array of 2 booleans"):
        check_allowed(wrong, 2)
