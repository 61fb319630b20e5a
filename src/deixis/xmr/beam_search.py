"""Beam search through a label tree (XMRED, Algorithm 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from deixis.config import Config, setting
from deixis.native import _core
from deixis.nearest.mask_cache import PreparedMasks, check_allowed
from deixis.xmr.linear_rankers import RankerLevel
from deixis.xmr.sparse_rows import SparseRows


@dataclass(frozen=True)
class BeamConfig(Config):
    """How the tree is searched and a path is scored."""

    width: int = setting(10, "Nodes of a label tree kept per level.", low=1, below=2**31, cli="--beam-width")
    path_score: Literal["sigmoid", "hinge"] = setting(
        "hinge", "Product of sigmoids (XMRED's Eq. 6), or of exp(-max(0, 1 - margin)^power)."
    )
    power: int = setting(1, "Power of the hinge path score.", low=1, high=8, is_fixed=True)
    memory: float = setting(
        0.3, "Share of the parent's score a child inherits: 1 the whole path, 0 the last step.", low=0, high=1
    )

    @cached_property
    def power_code(self) -> int:
        """The power as the compiled core takes it, which has one that stands for the sigmoid."""
        return _core.SIGMOID_POWER if self.path_score == "sigmoid" else self.power


class TreeSearcher:
    """Ready to search: holds the levels' arrays where the compiled core finds them.

    `labels` gives the label at each place of the last level; without it, places are what a search finds.
    """

    # A filter is honoured on the way down, not afterwards: every label of a tree has a score, so a search among n
    # allowed labels finds min(k, n) of them.

    def __init__(self, levels: Sequence[RankerLevel], n_features: int, labels: NDArray[np.int32] | None = None) -> None:
        names = np.zeros(0, dtype=np.int32) if labels is None else labels
        self._core = _core.TreeSearch([level.for_search() for level in levels], names, n_features)
        self._n_levels = len(levels)
        self._labels = labels
        self._child_starts = [level.child_starts for level in levels]
        self._masks: PreparedMasks[list[NDArray[np.int32]]] = PreparedMasks()

    def search(
        self,
        queries: SparseRows,
        k: int,
        config: BeamConfig,
        n_threads: int = 0,
        allowed: NDArray[np.bool_] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
        """The best `k` labels (or nodes) of each query, best first: where rows start, labels, scores in 0..1.

        Of a filter's labels as many as there are up to `k`: the beam grows beyond its width where it holds fewer.
        """
        n_allowed = [] if allowed is None else self._masks.of(allowed, self._allowed_below)
        rows: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]] = self._core.search(
            queries.indptr,
            queries.indices,
            queries.data,
            self._n_levels,
            config.width,
            k,
            config.power_code,
            config.memory,
            n_threads,
            n_allowed,
        )
        return rows

    def search_row(
        self, columns: NDArray[np.int32], values: NDArray[np.float32], k: int, config: BeamConfig
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The best `k` labels of a single row and their scores, best first.

        TypeError or ValueError if it is not a row as the compiled core takes it: such types, and columns that ascend.
        """
        best: tuple[NDArray[np.int32], NDArray[np.float32]] = self._core.search_row(
            columns, values, config.width, k, config.power_code, config.memory
        )
        return best

    def _allowed_below(self, mask: NDArray[np.bool_]) -> list[NDArray[np.int32]]:
        """For the children of every level, how many allowed labels lie below each."""
        check_allowed(mask, int(self._child_starts[-1][-1]))
        n_below = (mask if self._labels is None else mask[self._labels]).astype(np.int32)
        counts = [n_below]
        for starts in self._child_starts[:0:-1]:
            n_before = np.zeros(len(n_below) + 1, dtype=np.int32)
            np.cumsum(n_below, out=n_before[1:])
            n_below = n_before[starts[1:]] - n_before[starts[:-1]]
            counts.insert(0, n_below)
        return counts
