"""Rankers as formats 1 and 2 kept them; whole models of these are in tests/golden/test_old_models.py."""

import numpy as np
import pytest

from deixis.errors import StoreError
from deixis.native import _core
from deixis.xmr.earlier_rankers import ENTRY
from deixis.xmr.linear_rankers import RankerLevel

N_FEATURES, BUCKET_BITS = 1000, 3
CHILD_STARTS = np.array([0, 2, 5])
ENTRIES = [  # parent, feature, child, weight
    [(7, 0, 0.5), (7, 1, -1.25), (999, 1, 2.0)],
    [(0, 2, 1.0), (7, 0, 0.75), (500, 1, 3.5), (501, 1, -0.125)],
]


def earlier_level():
    """The arrays of a level of two parents, packed by hand."""
    n_bits = (N_FEATURES - 1).bit_length()
    buckets, entries, offsets, starts = [], [], [0], [0]
    for own in ENTRIES:
        hashed = sorted(((f * _core.FEATURE_HASH) % (1 << n_bits), child, weight) for f, child, weight in own)
        keys = np.array([h for h, _, _ in hashed])
        buckets += np.searchsorted(keys >> (n_bits - BUCKET_BITS), np.arange((1 << BUCKET_BITS) + 1)).tolist()
        weights = np.array([w for _, _, w in hashed], np.float32).view(np.uint32) >> 16
        children = [child for _, child, _ in hashed]
        entries += list(zip(keys & ((1 << (n_bits - BUCKET_BITS)) - 1), weights, children, strict=True))
        offsets.append(len(buckets))
        starts.append(len(entries))
    return {
        "x.bucket_starts": np.array(buckets, np.uint32),
        "x.bucket_offsets": np.array(offsets),
        "x.entry_starts": np.array(starts),
        "x.eighths": np.zeros(len(buckets), np.uint8),
        "x.entries": np.array(entries, ENTRY).view(np.uint8),
        "x.biases": np.arange(5, dtype=np.float32),
    }


def test_earlier_rankers_keep_every_weight_and_bias():
    level = RankerLevel.from_arrays(earlier_level(), "x", CHILD_STARTS, N_FEATURES)
    weights, biases = level.weights_by_child(N_FEATURES)
    expected = np.zeros((N_FEATURES, 5), np.float32)
    for first, own in zip(CHILD_STARTS, ENTRIES, strict=False):
        for feature, child, weight in own:
            expected[feature, first + child] = weight
    assert (weights.toarray() == expected).all()
    assert biases.tolist() == [0, 1, 2, 3, 4]
    assert not any(name.endswith(("eighths", "entries")) for name in level.to_arrays("x"))


@pytest.mark.parametrize("name", ["bucket_starts", "bucket_offsets", "entry_starts", "entries", "biases"])
def test_a_cut_off_or_missing_array_of_earlier_rankers_is_refused(name):
    arrays = earlier_level()
    whole = arrays.pop(f"x.{name}")
    for damaged in (
        {},
        {f"x.{name}": whole[:-1]},
        {f"x.{name}": whole[:0]},
        {f"x.{name}": np.append(whole, whole[:1])},
    ):
        with pytest.raises(StoreError, match=r"x\."):
            RankerLevel.from_arrays({**arrays, **damaged}, "x", CHILD_STARTS, N_FEATURES)


@pytest.mark.parametrize("name", ["bucket_starts", "bucket_offsets", "entry_starts", "entries"])
def test_changed_numbers_of_earlier_rankers_are_refused_or_read(name):
    arrays = earlier_level()
    for position in range(len(arrays[f"x.{name}"])):
        for value in (0, 1, 255, -1, 1 << 40):
            damaged = arrays[f"x.{name}"].copy()
            damaged[position] = np.array(value).astype(damaged.dtype)
            try:
                level = RankerLevel.from_arrays({**arrays, f"x.{name}": damaged}, "x", CHILD_STARTS, N_FEATURES)
            except StoreError:
                continue
            assert level.weights_by_child(N_FEATURES)[0].shape == (N_FEATURES, 5)
