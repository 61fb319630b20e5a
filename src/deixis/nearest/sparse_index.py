"""The sparse rows most like a query, exactly or nearly so, at a small part of the cost of comparing them all.

Rows stand in blocks of a few dozen; the index keeps, for each block and column, the largest weight. That gives each
block a bound that none of its rows can exceed, and only the blocks with the best bounds are opened (Ding and Suel,
2011, "Faster Top-k Document Retrieval Using Block-Max Indexes"). Rows that lie near each other in a label tree make
tight blocks, so the order of its leaves is a good one to give. Weights are kept in a byte: scores are those of exact
arithmetic to within about a hundredth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.config import Config, setting
from deixis.errors import ConfigError, DataError, StoreError
from deixis.native import _core
from deixis.nearest.core_rows import core_rows
from deixis.nearest.mask_cache import PreparedMasks, check_allowed
from deixis.scipy_sparse import sparse
from deixis.store.checks import require, require_narrow
from deixis.tables import FlatRows

MAX_BLOCKS = 4096  # opened for one query
# In the order in which the core builds them.
_ARRAYS: dict[str, type[np.generic]] = {
    "column_starts": np.uint32, "blocks": np.uint16, "maxima": np.uint8, "entry_starts": np.uint16,
    "entry_marks": np.int64, "places": np.uint8, "codes": np.uint8, "scales": np.float32, "groups": np.int32,
}  # fmt: skip
_NO_FILTER = np.zeros(0, dtype=np.uint8), np.zeros(0, dtype=np.int32)


@dataclass(frozen=True)
class BlockIndexConfig(Config):
    """How rows are stored and how many of them are scored."""

    block_size: int = setting(64, "Rows in a block.", low=1, high=_core.MAX_BLOCK_SIZE, is_fixed=True)
    max_blocks: int = setting(64, "Blocks opened for a query, at most.", low=1, high=MAX_BLOCKS, is_fixed=True)


class BlockIndex:
    """Finds the groups whose rows have the largest dot products with a query; weights must not be below 0.

    Examples
    --------
    >>> rows = sparse.csr_matrix(np.array([[1, 0, 0], [0.6, 0.8, 0], [0, 0, 1]], dtype=np.float32))
    >>> index = BlockIndex.build(rows, groups=np.array([0, 1, 1]))
    >>> found = index.search(rows[1], k=2)
    >>> found.indices.tolist(), [round(float(score), 2) for score in found.data]
    ([1, 0], [1.0, 0.6])
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]], n_groups: int, config: BlockIndexConfig) -> None:
        self.config = config
        self.n_groups = n_groups
        self._arrays = {name: arrays[name] for name in _ARRAYS}
        self.n_columns = len(arrays["scales"])
        """How many columns queries must have."""
        self._search = _core.BlockSearch(**self._arrays, n_groups=n_groups, block_size=config.block_size)
        self._masks: PreparedMasks[tuple[NDArray[np.uint8], NDArray[np.int32]]] = PreparedMasks()

    @classmethod
    def build(
        cls,
        rows: sparse.csr_matrix,
        groups: NDArray[np.integer],
        config: BlockIndexConfig | None = None,
        n_groups: int | None = None,
    ) -> BlockIndex:
        """The index of `rows`, which stand in their blocks as they come; `groups[i]` is what row `i` stands for."""
        config = config or BlockIndexConfig()
        if len(groups) != rows.shape[0]:
            raise DataError(f"{rows.shape[0]} rows need a group each, got {len(groups)} groups.")
        if n_groups is None:
            n_groups = int(groups.max()) + 1 if len(groups) else 0
        if len(groups) and not 0 <= groups.min() <= groups.max() < min(n_groups, _core.MAX_GROUPS):
            raise DataError(f"Groups must lie in 0..{n_groups - 1}, got {groups.min()}..{groups.max()}.")
        indptr, indices, data = core_rows(rows, "rows", is_sorted=True)
        if len(data) and data.min() < 0:
            raise DataError(f"Weights must be at least 0, got {data.min()}.")
        built = _core.build_blocks(indptr, indices, data, rows.shape[1], config.block_size)
        arrays: dict[str, NDArray[Any]] = dict(zip(_ARRAYS, built, strict=False))
        arrays["groups"] = np.ascontiguousarray(groups, dtype=np.int32)
        return cls(arrays, n_groups, config)

    def n_entries(self, column: int) -> int:
        """How many rows have a weight in a column."""
        starts = self._entry_starts(self._runs(column)[[0, -1]])
        return int(starts[1] - starts[0])

    def groups_with(self, column: int) -> NDArray[np.int64]:
        """The groups of the rows that have a weight in a column."""
        runs = self._runs(column)
        starts = self._entry_starts(np.arange(runs[0], runs[-1] + 1))
        shards = np.repeat(np.arange(len(runs) - 1), np.diff(runs))
        of_runs = shards * _core.SHARD_BLOCKS + self._arrays["blocks"][runs[0] : runs[-1]]
        blocks = np.repeat(of_runs, np.diff(starts))
        offsets = self._arrays["places"][starts[0] : starts[-1]]
        groups: NDArray[np.int64] = self._arrays["groups"][blocks * self.config.block_size + offsets].astype(np.int64)
        return groups

    def _runs(self, column: int) -> NDArray[np.int64]:
        """Where the runs of a column begin in each shard, and where they end."""
        starts = self._arrays["column_starts"]
        n_shards = (len(starts) - 1) // self.n_columns
        runs: NDArray[np.int64] = starts[column * n_shards : (column + 1) * n_shards + 1].astype(np.int64)
        return runs

    def _entry_starts(self, runs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where the entries of runs begin."""
        marks, starts = self._arrays["entry_marks"], self._arrays["entry_starts"]
        sums: NDArray[np.int64] = marks[runs // _core.MARK_RUNS] + starts[runs]
        return sums

    def search(
        self,
        queries: FlatRows | sparse.csr_matrix,
        k: int,
        n_threads: int = 0,
        max_blocks: int | None = None,
        allowed: NDArray[np.bool_] | None = None,
    ) -> FlatRows:
        """queries_by_groups: the best `k` groups of each query, stored best first, each with its best row's score.

        With `allowed`, a mask over groups, of those only: `k` of them, or all that share a column with the query if
        they are fewer. As many of their rows are scored as of all rows without a filter, so more blocks are opened.
        """
        if k < 1:
            raise ConfigError(f"k must be at least 1, got {k}.")
        if max_blocks is None:
            max_blocks = self.config.max_blocks
        else:
            check_max_blocks(max_blocks)
        if queries.shape[1] != self.n_columns:
            raise DataError(f"The queries have {queries.shape[1]} columns; the index has {self.n_columns}.")
        rows = core_rows(queries, "queries")
        try:
            masks = _NO_FILTER if allowed is None else self._masks.of(allowed, self._allowed_rows)
            indptr, groups, scores = self._search.search(
                *rows, min(k, self.n_groups + 1), max_blocks, n_threads, *masks
            )
        except ValueError as error:  # the index is checked as it is read, not when it is opened
            raise StoreError(str(error)) from error
        return FlatRows(indptr, groups, scores, (queries.shape[0], self.n_groups))

    def _allowed_rows(self, allowed: NDArray[np.bool_]) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
        check_allowed(allowed, self.n_groups)
        return self._search.allowed_rows(np.ascontiguousarray(allowed).view(np.uint8))

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The index as arrays under names that begin with `prefix`."""
        return {f"{prefix}.{name}": array for name, array in self._arrays.items()}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, n_groups: int, config: BlockIndexConfig
    ) -> BlockIndex:
        """The index `to_arrays` gave, used where the arrays lie; what is in them is checked as it is read."""
        if f"{prefix}.entry_marks" not in arrays:
            arrays = _of_format_2(arrays, prefix, config.block_size)
        arrays = {**arrays, f"{prefix}.column_starts": require_narrow(arrays, f"{prefix}.column_starts")}
        stored = {name: require(arrays, f"{prefix}.{name}", dtype) for name, dtype in _ARRAYS.items()}
        try:
            return cls(stored, n_groups, config)
        except ValueError as error:
            raise StoreError(f"The arrays '{prefix}.*' are damaged: {error} Build the model again.") from error


def _of_format_2(arrays: Mapping[str, NDArray[Any]], prefix: str, block_size: int) -> dict[str, NDArray[Any]]:
    """The arrays of an index that has the numbers of blocks and the starts of entries in full."""
    old = _ARRAYS | {"column_starts": np.int64, "blocks": np.int32, "entry_starts": np.uint32}
    stored = {name: require(arrays, f"{prefix}.{name}", dtype) for name, dtype in old.items() if name != "entry_marks"}
    runs, blocks, starts = (stored[name] for name in ("column_starts", "blocks", "entry_starts"))
    n_columns, n_runs = len(stored["scales"]), len(blocks)
    if len(runs) != n_columns + 1 or (np.diff(runs, prepend=0, append=n_runs) < 0).any() or len(starts) != n_runs + 1:
        raise StoreError(f"The arrays '{prefix}.*' are damaged. Build the model again.")
    n_shards = max(1, -(-len(stored["groups"]) // (block_size * _core.SHARD_BLOCKS)))
    of_run = (
        np.repeat(np.arange(n_columns) * n_shards, np.diff(runs)) + blocks[runs[0] : runs[-1]] // _core.SHARD_BLOCKS
    )
    marks = starts[:: _core.MARK_RUNS].astype(np.int64)
    stored |= {
        "column_starts": runs[0] + np.searchsorted(of_run, np.arange(n_columns * n_shards + 1)),
        "blocks": (blocks % _core.SHARD_BLOCKS).astype(np.uint16),
        "entry_starts": (starts - np.repeat(marks, _core.MARK_RUNS)[: n_runs + 1]).astype(np.uint16),
        "entry_marks": marks,
    }
    return {f"{prefix}.{name}": array for name, array in stored.items()}


def check_max_blocks(max_blocks: int) -> None:
    """Whether so many blocks may be opened; a `ConfigError` if not."""
    if not 1 <= max_blocks <= MAX_BLOCKS:
        raise ConfigError(f"max_blocks must lie in 1..{MAX_BLOCKS}, got {max_blocks}.")
