"""Rankers that learn an encoder of their own: torch trains them, NumPy and the compiled core use them."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.errors import ConfigError, DataError, NotFittedError
from deixis.labelling.config import LabellerConfig
from deixis.labelling.training_rows import TrainingRows
from deixis.neural.one_vs_all.config import BAG
from deixis.registry import Lazy, LazyRegistry
from deixis.xmr.learned_index import LearnedRanker
from deixis.xmr.one_vs_all import OneVsAllRanker
from deixis.xmr.text_rows import TextRows

TRAINERS = LazyRegistry(
    "engine",
    {
        "elias": Lazy("deixis.neural.elias.train:train_elias", extra="neural"),
        "one-vs-all": Lazy("deixis.neural.one_vs_all.train:train_one_vs_all", extra="neural"),
    },
)
# Where an encoder's files lie, or an error that says they are missing.
FILES = LazyRegistry("encoder", {"folder": Lazy("deixis.neural.hub:folder_of", extra="neural")})


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
        """Raises if torch is missing, or the encoder's files."""
        TRAINERS[self.name]  # imports it
        if self.reads_texts:
            FILES["folder"](self.settings().encoder)

    def fit(self, examples: TrainingRows, seed: int = 0, n_threads: int = 0) -> Self:
        """Itself, having learned; the values of `docs_by_labels` are its targets."""
        rows, labels = examples.documents.docs_by_features, examples.docs_by_labels
        texts = {"texts": self._inputs(examples.documents)} if self.reads_texts else {}
        self._ranker = TRAINERS[self.name](rows, labels, self.settings(), seed, n_threads=n_threads, **texts)
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

    @property
    def reads_texts(self) -> bool:
        """Whether its encoder takes texts, not rows of features."""
        return bool(self.settings().reads_texts)

    def _inputs(self, documents: TextRows) -> Any:  # noqa: ANN401 - texts or rows
        if not self.reads_texts:
            return documents.docs_by_features
        if documents.texts is None:
            raise DataError(
                "The encoder of this engine reads texts, and there are only rows of features. Give texts, or train "
                f"with the encoder {BAG!r}."
            )
        return documents.texts

    def encode(self, documents: TextRows) -> NDArray[np.float32]:
        """A dense vector for each document."""
        vectors: NDArray[np.float32] = self._fitted().encode(self._inputs(documents))
        return vectors

    def rank(self, documents: TextRows, k: int) -> sparse.csr_matrix:
        """docs_by_labels: the best `k` labels of each row, stored best first."""
        ranked: sparse.csr_matrix = self._fitted().rank(self._inputs(documents), k, n_threads=self._n_threads)
        return ranked

    def with_search(self, beam: int | None, n_shortlist: int | None) -> Self:
        """The same engine; one that scores every label has no search."""
        if beam is not None or n_shortlist is not None:
            raise ConfigError(f"The engine {self.name} scores every label: leave --beam and --shortlist out.")
        return self

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
    """A classifier for each label on learned vectors of words or on those of texts: exact, for not too many labels."""

    name = "one-vs-all"
    ranker_class = OneVsAllRanker

    def settings(self) -> Any:  # noqa: ANN401 - see above
        """Those of the encoder and its classifiers."""
        return self._config.one_vs_all


class EliasEngine(EncodedEngine):
    """A learned index of clusters on learned vectors (ELIAS): only labels of the best clusters are scored."""

    name = "elias"
    ranker_class = LearnedRanker

    def settings(self) -> Any:  # noqa: ANN401 - see above
        """Those of the encoder and its index."""
        return self._config.elias

    def with_search(self, beam: int | None, n_shortlist: int | None) -> Self:
        """The same index, searched in more clusters or for more labels."""
        other = copy.copy(self)
        other._ranker = self._fitted().with_search(beam, n_shortlist)
        return other
