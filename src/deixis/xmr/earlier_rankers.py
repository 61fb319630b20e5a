"""Rankers as models of formats 1 and 2 have them, packed as those of today: the same weights, nothing learned anew.

An entry had five bytes (key, weight, child), in the order of their hashed features; buckets said where those of a run
of hashes begin, by which the upper bits of a hash are known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import StoreError
from deixis.native import _core
from deixis.store.checks import require

ENTRY = np.dtype([("key", "<u2"), ("weight", "<u2"), ("child", "u1")])
_MAX_KEY_BITS = 16


def repacked(
    arrays: Mapping[str, NDArray[Any]], prefix: str, child_starts: NDArray[np.int64], n_features: int
) -> dict[str, NDArray[Any]]:
    """The arrays of a level under the names and in the layout of today; what cannot be is a `StoreError`."""
    buckets = require(arrays, f"{prefix}.bucket_starts", np.uint32)
    offsets = require(arrays, f"{prefix}.bucket_offsets", np.int64)
    starts = require(arrays, f"{prefix}.entry_starts", np.int64)
    entries = require(arrays, f"{prefix}.entries", np.uint8)
    biases = require(arrays, f"{prefix}.biases", np.float32)
    n_parents = len(child_starts) - 1
    _check(len(offsets) == len(starts) == n_parents + 1, prefix)
    _check(len(entries) % ENTRY.itemsize == 0, prefix)
    own = entries.view(ENTRY)
    for each, whole in ((offsets, len(buckets)), (starts, len(own))):
        _check(each[0] == 0 and each[-1] == whole and bool((np.diff(each) >= 0).all()), prefix)
    n_bits = max(1, int(n_features - 1).bit_length())
    hashes = np.zeros(len(own), dtype=np.uint32)
    for parent in range(n_parents):
        run = slice(starts[parent], starts[parent + 1])
        ends = buckets[offsets[parent] : offsets[parent + 1]].astype(np.int64)
        counts = ends[1:] - ends[:-1]
        n_buckets, n_entries = len(counts), run.stop - run.start
        key_bits = n_bits - (n_buckets.bit_length() - 1)
        _check(n_buckets > 0 and n_buckets & (n_buckets - 1) == 0 and 0 <= key_bits <= _MAX_KEY_BITS, prefix)
        _check(bool((counts >= 0).all()) and counts.sum() == n_entries, prefix)
        _check(buckets[offsets[parent]] == 0, prefix)
        keys = own["key"][run].astype(np.uint32)
        _check(not n_entries or int(keys.max()) >> key_bits == 0, prefix)
        hashes[run] = np.repeat(np.arange(n_buckets, dtype=np.uint32), counts) << np.uint32(key_bits) | keys
        _check(bool((hashes[run][1:] >= hashes[run][:-1]).all()), prefix)
    children = np.ascontiguousarray(own["child"])
    packed = _core.pack_level(
        np.ascontiguousarray(child_starts), starts, hashes, children, np.ascontiguousarray(own["weight"]), n_features
    )
    return {f"{prefix}.{name}": array for name, array in {**packed, "biases": biases}.items()}


def _check(is_right: bool, prefix: str) -> None:
    if not is_right:
        raise StoreError(f"The arrays {prefix}.* do not fit each other: the model is damaged; build it again.")
