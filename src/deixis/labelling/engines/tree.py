"""The linear label tree as an engine: no torch, minutes on a processor, trees averaged if there are several."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray
from scipy import sparse

from deixis.errors import ConfigError
from deixis.labelling.config import LabellerConfig
from deixis.labelling.training_rows import TrainingRows
from deixis.xmr.model import LabelTreeRanker
from deixis.xmr.text_rows import TextRows


class TreeEngine:
    """Ranks labels by a tree of linear classifiers (`deixis.xmr.model`)."""

    def __init__(self, config: LabellerConfig) -> None:
        self._ranker = LabelTreeRanker(config.tree)

    def check_extras(self) -> None:
        """Nothing: it needs none."""

    def fit(self, examples: TrainingRows, seed: int = 0, n_threads: int = 0) -> TreeEngine:
        """Itself, having learned."""
        self._ranker = LabelTreeRanker(self._ranker.config, seed, n_threads)
        is_soft = bool((examples.docs_by_labels.data != 1).any())
        self._ranker.fit(examples.documents.docs_by_features, examples.docs_by_labels, is_soft=is_soft)
        return self

    @property
    def n_features(self) -> int:
        """How many columns its rows must have."""
        return self._ranker.n_features

    @property
    def n_labels(self) -> int:
        """How many labels it ranks."""
        return self._ranker.n_labels

    def rank(self, documents: TextRows, k: int) -> sparse.csr_matrix:
        """docs_by_labels: the best `k` labels of each row, stored best first."""
        return self._ranker.rank(documents.docs_by_features, k)

    def with_search(self, beam: int | None, n_shortlist: int | None) -> TreeEngine:
        """The same tree, searched with another beam."""
        if n_shortlist is not None:
            raise ConfigError("A label tree has no shortlist; a wider beam (--beam) finds more labels.")
        other = copy.copy(self)
        if beam is not None:
            other._ranker = self._ranker.with_beam(beam)
        return other

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Trees and rankers as arrays under names that begin with `prefix`."""
        return self._ranker.to_arrays(prefix)

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, config: LabellerConfig, n_threads: int = 0
    ) -> TreeEngine:
        """The engine that `to_arrays` gave, checked."""
        engine = cls(config)
        engine._ranker = LabelTreeRanker.from_arrays(arrays, prefix, config.tree, n_threads)
        return engine
