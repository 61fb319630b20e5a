"""Several engines of one kind, from other seeds, whose scores are averaged."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Self

from numpy.typing import NDArray
from scipy import sparse

from deixis.errors import StoreError
from deixis.labelling.config import LabellerConfig
from deixis.labelling.engines import ENGINES
from deixis.labelling.engines.protocol import Engine
from deixis.labelling.training_rows import TrainingRows
from deixis.store.declared import n_stored
from deixis.xmr.averaging import AverageRanker
from deixis.xmr.text_rows import TextRows

SEED_STEP = 100_003  # far enough that no seed of one engine is one of another's


class AverageEngine:
    """`config.n_engines` engines, which all learn from the same rows."""

    def __init__(self, config: LabellerConfig) -> None:
        self._engines: list[Engine] = [ENGINES[config.engine](config) for _ in range(config.n_engines)]

    def check_extras(self) -> None:
        """Raises if its engines need an extra that is not installed."""
        self._engines[0].check_extras()

    def fit(self, examples: TrainingRows, seed: int = 0, n_threads: int = 0) -> Self:
        """Itself, all its engines having learned."""
        for number, engine in enumerate(self._engines):
            engine.fit(examples, seed + SEED_STEP * number, n_threads)
        return self

    @property
    def n_features(self) -> int:
        """How many columns its rows must have."""
        return self._engines[0].n_features

    @property
    def n_labels(self) -> int:
        """How many labels it ranks."""
        return self._engines[0].n_labels

    def rank(self, documents: TextRows, k: int) -> sparse.csr_matrix:
        """docs_by_labels: the best `k` labels of each row by the mean of all scores, stored best first."""
        return AverageRanker(self._engines).rank(documents, k)

    def with_search(self, beam: int | None, n_shortlist: int | None) -> Self:
        """The same engines, each searched so."""
        other = copy.copy(self)
        other._engines = [engine.with_search(beam, n_shortlist) for engine in self._engines]
        return other

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """All engines as arrays under names that begin with `prefix`."""
        arrays: dict[str, NDArray[Any]] = {}
        for number, engine in enumerate(self._engines):
            arrays |= engine.to_arrays(f"{prefix}.{number}")
        return arrays

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, config: LabellerConfig, n_threads: int = 0
    ) -> Self:
        """The engines that `to_arrays` gave, checked."""
        n_engines, kind = n_stored(arrays, prefix), ENGINES[config.engine]
        if config.n_engines != n_engines:
            raise StoreError(
                f"The settings say n_engines = {config.n_engines}, the model holds {n_engines}. It is damaged; build "
                "it again."
            )
        average = cls(config)
        average._engines = [
            kind.from_arrays(arrays, f"{prefix}.{number}", config, n_threads) for number in range(n_engines)
        ]
        return average


def engine_class(config: LabellerConfig) -> type[Engine]:
    """The class of the engine that the settings ask for, or of an average of several."""
    own: type[Engine] = ENGINES[config.engine]
    return own if config.n_engines == 1 else AverageEngine
