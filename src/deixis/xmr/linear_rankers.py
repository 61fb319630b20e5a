"""Linear rankers for the children of every parent in a tree level (XMRED, Eq. 3-5), trained in the compiled core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deixis.config import Config, setting
from deixis.errors import StoreError
from deixis.native import _core
from deixis.scipy_sparse import sparse
from deixis.store.checks import require
from deixis.store.scratch import concatenated
from deixis.xmr.earlier_rankers import repacked
from deixis.xmr.sparse_rows import SparseRows

_DTYPES = {
    "block_starts": np.int64,
    "blocks": np.uint64,
    "byte_starts": np.int64,
    "bytes": np.uint8,
    "entry_sizes": np.uint8,
    "biases": np.float32,
}
_PACKED = ("block_starts", "blocks", "byte_starts", "bytes", "entry_sizes")


@dataclass(frozen=True)
class RankerConfig(Config):
    """How the rankers learn."""

    loss: Literal["hinge", "squared_hinge"] = setting("squared_hinge", "XMRED's Eq. 5, or its square.")
    cost: float = setting(1.0, "Weight of the loss against the weights' length (C).", above=0)
    epsilon: float = setting(0.1, "Stop when no dual gradient is wider than this.", above=0, is_fixed=True)
    bias: float = setting(1.0, "Value of the constant feature; 0 for none.", low=0)
    min_weight: float = setting(0.1, "Weights closer to zero are dropped (delta).", low=0)
    max_rounds: int = setting(100, "Passes over a parent's instances, at most.", low=1, is_fixed=True)


@dataclass(frozen=True)
class RankerLevel:
    """The rankers of one level: packed arrays, as the compiled core searches them (see packed_weights.hpp)."""

    child_starts: NDArray[np.int64]
    arrays: Mapping[str, NDArray[Any]]

    def for_search(self) -> dict[str, NDArray[Any]]:
        """What the compiled search takes."""
        return {"child_starts": self.child_starts, **self.arrays}

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Flat arrays under names that begin with `prefix`."""
        return {f"{prefix}.{name}": array for name, array in self.arrays.items()}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, child_starts: NDArray[np.int64], n_features: int
    ) -> RankerLevel:
        """The level `to_arrays` gave; sizes and ranges are checked, so that a search stays inside the arrays."""
        if f"{prefix}.eighths" in arrays:
            arrays = repacked(arrays, prefix, child_starts, n_features)
        level = {name: require(arrays, f"{prefix}.{name}", dtype) for name, dtype in _DTYPES.items()}
        n_parents = len(child_starts) - 1
        sizes = {"block_starts": n_parents + 1, "byte_starts": n_parents + 1, "entry_sizes": n_parents}
        if any(len(level[name]) != n for name, n in {**sizes, "biases": int(child_starts[-1])}.items()):
            raise StoreError(f"The sizes of {prefix}.* do not fit each other: the model is damaged; build it again.")
        packed: dict[str, Any] = {name: level[name] for name in _PACKED}
        problem = _core.find_damage(child_starts, n_features=n_features, **packed)
        if problem:
            raise StoreError(f"{prefix}: {problem}: the model is damaged; build it again.")
        return cls(child_starts, level)

    def weights_by_child(self, n_features: int) -> tuple[sparse.csc_matrix, NDArray[np.float32]]:
        """The same rankers as features_by_children and the children's biases: for looking at, not for speed."""
        n_parents = len(self.child_starts) - 1
        starts, features, children, values = self._entries(n_features, 0, n_parents)
        children = children + np.repeat(self.child_starts[:-1], np.diff(starts))
        shape = (n_features, int(self.child_starts[-1]))
        return sparse.csc_matrix((values, (features, children)), shape=shape), self.arrays["biases"].astype(np.float32)

    def weights_of(self, parent: int, child: int, columns: NDArray[np.int32], n_features: int) -> NDArray[np.float32]:
        """What each of these features, ascending, weighs for one child of a parent."""
        _, features, children, values = self._entries(n_features, parent, parent + 1)
        is_own = children == child - self.child_starts[parent]
        features, values = features[is_own], values[is_own]
        weights = np.zeros(len(columns), dtype=np.float32)
        places = np.searchsorted(columns, features)
        is_asked = places < len(columns)
        is_asked[is_asked] = columns[places[is_asked]] == features[is_asked]
        weights[places[is_asked]] = values[is_asked]
        return weights

    def _entries(
        self, n_features: int, first: int, last: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
        """Where the entries of some parents begin; feature, child (from its parent's first on) and weight of each."""
        packed: dict[str, Any] = {name: self.arrays[name] for name in _PACKED}
        starts, hashes, children, weights = _core.unpack_level(n_features=n_features, first=first, last=last, **packed)
        n_bits = max(1, int(n_features - 1).bit_length())
        inverse = np.uint64(pow(_core.FEATURE_HASH, -1, 1 << n_bits))
        features = ((hashes * inverse) & np.uint64((1 << n_bits) - 1)).astype(np.int64)
        values = (weights.astype(np.uint32) << np.uint32(16)).view(np.float32)
        return starts, features, children.astype(np.int64), values


def joined_levels(runs: Sequence[RankerLevel]) -> RankerLevel:
    """The level whose parents are those of all runs, in order."""
    if len(runs) == 1:
        return runs[0]
    arrays: dict[str, NDArray[Any]] = {}
    for name in _DTYPES:
        columns = [run.arrays[name] for run in runs]
        if name in ("block_starts", "byte_starts"):  # each run's begin at 0
            ends = np.cumsum([0, *(int(column[-1]) for column in columns)])
            columns = [column[bool(number) :] + ends[number] for number, column in enumerate(columns)]
        arrays[name] = concatenated(columns)
    starts = [run.child_starts[bool(number) :] for number, run in enumerate(runs)]
    return RankerLevel(np.concatenate(starts), arrays)


def train_level(
    docs_by_features: SparseRows,
    docs_by_children: SparseRows,
    instances: sparse.csc_matrix,
    child_starts: NDArray[np.int64],
    config: RankerConfig,
    seed: int = 0,
    n_threads: int = 0,
    *,
    is_soft: bool = False,
    first_parent: int = 0,
) -> RankerLevel:
    """Rankers for all children of one level; column v of `instances` says what parent v learns from.

    An instance is a positive of the children it has in `docs_by_children`, a negative of the parent's others. With
    `is_soft` a positive of value t costs `t * C`, a negative C; without it values are ignored. A parent of one child
    is solved without padding: rankers that each learn from instances of their own are a level in which every child has
    a parent to itself, `child_starts = np.arange(n + 1)`. The parents may be a run of those of a level, from
    `first_parent` on: their rankers are those that they have in the whole level.
    """
    weights = docs_by_children.data if is_soft else np.zeros(0, dtype=np.float32)
    arrays = _core.train_level(
        docs_by_features.indptr,
        docs_by_features.indices,
        docs_by_features.data,
        docs_by_features.n_columns,
        docs_by_children.indptr,
        docs_by_children.indices,
        weights,
        np.ascontiguousarray(instances.indptr, dtype=np.int64),
        np.ascontiguousarray(instances.indices, dtype=np.int32),
        child_starts,
        config.loss == "squared_hinge",
        config.cost,
        config.epsilon,
        config.bias,
        config.min_weight,
        config.max_rounds,
        seed,
        first_parent,
        n_threads,
    )
    return RankerLevel(child_starts, arrays)
