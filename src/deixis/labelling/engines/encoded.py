"""Rankers that learn an encoder of their own: torch trains them, NumPy and the compiled core use them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.errors import NotFittedError
from deixis.labelling.config import LabellerConfig
from deixis.registry import Lazy, LazyRegistry
from deixis.xmr.learned_index import LearnedRanker
from deixis.xmr.one_vs_all import OneVsAllRanker

TRAINERS = LazyRegistry(
    "engine",
    {
        "elias": Lazy("deixis.neural.elias_training:train_elias", extra="neural"),
        "one-vs-all": Lazy("deixis.neural.one_vs_all:train_one_vs_all", extra="neural"),
    },
)


class EncodedEngine:
    """What engines with an encoder share; each says who trains it and what the trained one is."""

    name: ClassVar[str]
    ranker_class: ClassVar[Any]

    def __init__(self, config: LabellerConfig) -> None:
        self._config = config
        self._ranker: Any = None
        self._n_threads = 0

    def settings(self) -> Any:  # noqa: ANN401 - a config of the trainer's
        """Its own part of the labeller's settings."""
        raise NotImplementedError

    def check_extras(self) -> None:
        """Raises if torch is missing."""
        TRAINERS[self.name]  # imports it

    def fit(
        self,
        docs_by_features: sparse.csr_matrix,
        docs_by_labels: sparse.csr_matrix,
        labels_by_features: sparse.csr_matrix | None,
        seed: int = 0,
        n_threads: int = 0,
        n_documents: int | None = None,
    ) -> Self:
        """Itself, having learned; the values of `docs_by_labels` are its targets."""
        self._ranker = TRAINERS[self.name](docs_by_features, docs_by_labels, self.settings(), seed, n_threads=n_threads)
        self._n_threads = n_threads
        return self

    def _fitted(self) -> Any:  # noqa: ANN401 - the ranker of its class
        if self._ranker is None:
            raise NotFittedError("This engine has learned nothing yet; call fit first.")
        return self._ranker

    @property
    def n_features(self) -> int:
        """How many columns its rows must have."""
        return int(self._fitted().encoder.n_features)

    @property
    def n_labels(self) -> int:
        """How many labels it ranks."""
        return int(self._fitted().n_labels)

    def encode(self, docs_by_features: sparse.csr_matrix) -> NDArray[np.float32]:
        """A dense vector for each row."""
        vectors: NDArray[np.float32] = self._fitted().encode(docs_by_features)
        return vectors

    def rank(self, docs_by_features: sparse.csr_matrix, k: int) -> sparse.csr_matrix:
        """docs_by_labels: the best `k` labels of each row, stored best first."""
        ranked: sparse.csr_matrix = self._fitted().rank(docs_by_features, k, n_threads=self._n_threads)
        return ranked

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Encoder and classifiers as arrays under names that begin with `prefix`."""
        arrays: dict[str, NDArray[Any]] = self._fitted().to_arrays(prefix)
        return arrays

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, config: LabellerConfig, n_threads: int = 0
    ) -> Self:
        """The engine that `to_arrays` gave, checked; no torch is needed."""
        engine = cls(config)
        engine._ranker = cls.ranker_class.from_arrays(arrays, prefix)
        engine._n_threads = n_threads
        return engine


class OneVsAllEngine(EncodedEngine):
    """A classifier for each label on a learned sum of word vectors: exact, for vocabularies that are not too large."""

    name = "one-vs-all"
    ranker_class = OneVsAllRanker

    def settings(self) -> Any:  # noqa: ANN401 - see above
        """Those of the encoder and its classifiers."""
        return self._config.one_vs_all


class EliasEngine(EncodedEngine):
    """A learned index of clusters on learned vectors (ELIAS): only labels of the best clusters are asked."""

    name = "elias"
    ranker_class = LearnedRanker

    def settings(self) -> Any:  # noqa: ANN401 - see above
        """Those of the encoder and its index."""
        return self._config.elias
