"""The names most like a query by normalised Indel distance: those that comparing every name would give.

The measure is the thesis's (section 3.4.2): `1 - Indel / (length + length)`, where Indel counts the characters to
insert and delete. Names of like characters stand together in blocks; how many of each character the names of a block
have bounds how near they can be, and what cannot be near enough is never compared. A query that is itself a name is
looked up. Only a long query that is like no name, among hundreds of thousands of them, may miss some: what it opens
and compares has a limit, and the names that may be nearest come first. Under a filter there is no limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import ConfigError, DataError, StoreError
from deixis.native import _core
from deixis.nearest.mask_cache import check_allowed
from deixis.store.checks import require
from deixis.store.numbers import distinct_numbers
from deixis.store.string_hashes import distinct_strings
from deixis.store.strings import StringTable
from deixis.tables import FlatRows

_ARRAYS: dict[str, type[np.generic]] = {
    "alphabet": np.uint32, "buckets": np.uint8, "levels": np.uint8, "characters": np.uint8, "starts": np.uint32,
    "planes": np.uint64, "section_planes": np.uint64, "bit_counts": np.uint8, "block_starts": np.int32,
    "block_lengths": np.int32, "group_starts": np.uint32, "groups": np.int32,
}  # fmt: skip
# In the order in which the core builds them.
_BUILT = ("alphabet", "buckets", "levels", "characters", "starts", "sketches", "block_starts", "block_lengths")
_HALVES = ("sketches", "others")  # of the bits of names, in models of format 1 and 2


class IndelIndex:
    """Finds the groups that have a name most like a query; lengths and distances are in code points.

    Examples
    --------
    >>> index = IndelIndex.build(["istanbul", "ankara", "constantinople"], groups=np.array([0, 1, 0]))
    >>> found = index.search(["istanbulda", "ankaraya"], k=1)
    >>> found.indices.tolist(), found.data.round(3).tolist()
    ([0, 1], [0.8889999985694885, 0.8569999933242798])
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]], n_groups: int) -> None:
        self.n_groups = n_groups
        self._arrays = {name: arrays[name] for name in _ARRAYS}
        self._search = _core.IndelSearch(**self._arrays, n_groups=n_groups)

    @classmethod
    def build(cls, names: Iterable[str], groups: NDArray[np.integer], n_groups: int | None = None) -> IndelIndex:
        """The index of `names`; `groups[i]` is what name `i` stands for. A name may stand for several."""
        table = StringTable.from_strings(names)
        name_of, firsts = distinct_strings(table)
        if len(groups) != len(name_of):
            raise DataError(f"{len(name_of)} names need a group each, got {len(groups)} groups.")
        if n_groups is None:
            n_groups = int(groups.max()) + 1 if len(groups) else 0
        if len(groups) and not 0 <= groups.min() <= groups.max() < min(n_groups, _core.MAX_GROUPS):
            raise DataError(f"Groups must lie in 0..{n_groups - 1}, got {groups.min()}..{groups.max()}.")
        table = table.take(firsts)
        built = _core.build_indel(table.data, table.offsets)
        order = built[-1]
        arrays = _with_planes(dict(zip(_BUILT, built[:-1], strict=True)))
        positions = np.empty(len(order), dtype=np.int64)
        positions[order] = np.arange(len(order))
        # Each name's groups once, in ascending order, the names in the order of the blocks.
        pairs = distinct_numbers(positions[name_of] * max(n_groups, 1) + groups)
        arrays["group_starts"] = np.searchsorted(pairs, np.arange(len(order) + 1) * max(n_groups, 1)).astype(np.uint32)
        arrays["groups"] = (pairs % max(n_groups, 1)).astype(np.int32)
        return cls(arrays, n_groups)

    def search(
        self,
        queries: Iterable[str],
        k: int,
        min_similarity: float | NDArray[np.float64] = 0.0,
        *,
        stops_at_exact: bool = False,
        allowed: NDArray[np.bool_] | None = None,
        n_threads: int = 0,
    ) -> FlatRows:
        """queries_by_groups: the `k` groups with the most similar names, best first, the smaller first among equals.

        Names below `min_similarity`, names without a common character and groups that are not `allowed` are left out.
        `min_similarity` is one for all queries, or one for each.
        With `stops_at_exact` a query that is itself a name gets only the groups of that name, with 1.
        """
        if k < 1:
            raise ConfigError(f"k must be at least 1, got {k}.")
        table = StringTable.from_strings(queries)
        minima = np.empty(len(table), dtype=np.float64)
        minima[:] = min_similarity
        if not ((minima >= 0) & (minima <= 1)).all():
            raise ConfigError(f"min_similarity must lie in 0..1, got {min_similarity}.")
        if allowed is not None:
            check_allowed(allowed, self.n_groups)
        is_allowed = np.zeros(0, dtype=bool) if allowed is None else np.ascontiguousarray(allowed)
        try:
            k = min(k, self.n_groups + 1)
            indptr, groups, scores = self._search.search(
                table.data, table.offsets, k, minima, stops_at_exact, is_allowed, n_threads
            )
        except ValueError as error:  # the index is checked as it is read, not when it is opened
            raise StoreError(str(error)) from error
        return FlatRows(indptr, groups, scores, (len(table), self.n_groups))

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The index as arrays under names that begin with `prefix`."""
        return {f"{prefix}.{name}": array for name, array in self._arrays.items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str, n_groups: int) -> IndelIndex:
        """The index `to_arrays` gave, used where the arrays lie; what is in them is checked as it is read."""
        if f"{prefix}.{_HALVES[0]}" in arrays:
            arrays = _of_format_2(arrays, prefix)
        stored = {name: require(arrays, f"{prefix}.{name}", dtype) for name, dtype in _ARRAYS.items()}
        try:
            return cls(stored, n_groups)
        except ValueError as error:
            raise StoreError(f"The arrays '{prefix}.*' are damaged: {error} Build the model again.") from error


def _with_planes(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays with the sketches of names as the search reads them."""
    names = ("buckets", "levels", "planes", "section_planes", "bit_counts")
    made = _core.indel_planes(arrays["buckets"], arrays["levels"], arrays["sketches"], arrays["block_starts"])
    return {name: array for name, array in arrays.items() if name != "sketches"} | dict(zip(names, made, strict=True))


def _of_format_2(arrays: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    """The arrays of an index that has the sketches of its names one after the other, in two halves."""
    halves = [require(arrays, f"{prefix}.{name}", np.uint64) for name in _HALVES]
    others = {name: require(arrays, f"{prefix}.{name}", _ARRAYS[name]) for name in _BUILT if name in _ARRAYS}
    others |= {name: require(arrays, f"{prefix}.{name}", _ARRAYS[name]) for name in ("group_starts", "groups")}
    try:
        made = _with_planes(others | {"sketches": np.stack(halves, axis=1).reshape(-1)})
    except ValueError as error:
        raise StoreError(f"The arrays '{prefix}.*' are damaged: {error} Build the model again.") from error
    return {f"{prefix}.{name}": array for name, array in made.items()}
