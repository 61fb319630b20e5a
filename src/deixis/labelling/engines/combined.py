"""Reranking of another engine's best labels: a sparse ranker, and a calibration of both scores (ELIAS++, 3.5)."""

from __future__ import annotations

import copy
import logging
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.errors import DataError, NotFittedError, StoreError
from deixis.labelling.config import LabellerConfig
from deixis.labelling.engines import ENGINES
from deixis.labelling.engines.protocol import Engine
from deixis.labelling.training_rows import TrainingRows
from deixis.xmr.combined import CombinedRanker
from deixis.xmr.score_tree import decision_tree_class
from deixis.xmr.text_rows import TextRows

logger = logging.getLogger(__name__)

MAX_HELD_OUT_FRACTION = 0.1
MIN_HELD_OUT = 50  # with fewer, scores are combined but not calibrated


class CombinedEngine:
    """A first engine and a second stage. Scores are calibrated on documents that neither has learned from."""

    first_name: ClassVar[str]

    def __init__(self, config: LabellerConfig) -> None:
        self._config = config
        self._first: Engine = ENGINES[self.first_name](config)
        self._combined: CombinedRanker | None = None

    def check_extras(self) -> None:
        """Raises if scikit-learn is missing, or what the first engine needs."""
        self._first.check_extras()
        decision_tree_class()

    def fit(self, examples: TrainingRows, seed: int = 0, n_threads: int = 0) -> Self:
        """Itself, having learned from all rows but those held out, of which no label loses its last."""
        n_held_out = min(self._config.combined.n_held_out, int(MAX_HELD_OUT_FRACTION * examples.n_documents))
        is_held_out = held_out_rows(examples.docs_by_labels, examples.n_documents, n_held_out, seed)
        left, held_out = examples.only(~is_held_out), examples.only(is_held_out)
        self._first.fit(left, seed, n_threads)
        # Names of labels are no documents: the second stage learns from inputs like those it will rank.
        X, Y = left.documents[: left.n_documents], left.docs_by_labels[: left.n_documents]  # noqa: N806
        combined = CombinedRanker.fit(self._first, X, Y, self._config.combined, seed, n_threads)
        self._combined = _calibrated(combined, held_out.documents, held_out.docs_by_labels, seed)
        return self

    def _fitted(self) -> CombinedRanker:
        if self._combined is None:
            raise NotFittedError("This engine has learned nothing yet; call fit first.")
        return self._combined

    @property
    def n_features(self) -> int:
        """How many columns its rows must have."""
        return self._first.n_features

    @property
    def n_labels(self) -> int:
        """How many labels it ranks."""
        return self._first.n_labels

    def rank(self, documents: TextRows, k: int) -> sparse.csr_matrix:
        """docs_by_labels: the best `k` labels of each row, stored best first."""
        return self._fitted().rank(documents, k)

    def with_search(self, beam: int | None, n_shortlist: int | None) -> Self:
        """The same stages, of which the first is searched so."""
        other, combined = copy.copy(self), copy.copy(self._fitted())
        other._first = combined.first = self._first.with_search(beam, n_shortlist)
        other._combined = combined
        return other

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Both stages as arrays under names that begin with `prefix`."""
        return self._first.to_arrays(f"{prefix}.first") | self._fitted().to_arrays(f"{prefix}.second")

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, config: LabellerConfig, n_threads: int = 0
    ) -> Self:
        """The engine that `to_arrays` gave, checked."""
        engine = cls(config)
        first: Engine = ENGINES[cls.first_name].from_arrays(arrays, f"{prefix}.first", config, n_threads)
        engine._first = first
        engine._combined = CombinedRanker.from_arrays(arrays, f"{prefix}.second", first, config.combined, n_threads)
        if engine._combined.sparse_ranker.n_labels != first.n_labels:
            raise StoreError(f"The stages of {prefix} rank different numbers of labels: the model is damaged.")
        return engine


class CombinedTree(CombinedEngine):
    """The label tree, reranked."""

    first_name = "tree"


class CombinedElias(CombinedEngine):
    """ELIAS, reranked by words and vectors together: ELIAS++."""

    first_name = "elias"


class CombinedOneVsAll(CombinedEngine):
    """One-versus-all on word vectors, reranked by words and vectors together."""

    first_name = "one-vs-all"


def _calibrated(ranker: CombinedRanker, X: TextRows, Y: sparse.csr_matrix, seed: int) -> CombinedRanker:  # noqa: N803
    """The ranker calibrated on documents held out, or uncalibrated if they are not enough."""
    if X.shape[0] == 0:
        logger.warning("scores are not calibrated: fewer than %d documents can be held out", MIN_HELD_OUT)
        return ranker
    try:
        return ranker.calibrated(X, Y, seed)
    except DataError as error:  # all that was shortlisted is right, or nothing is
        logger.warning("scores are not calibrated: %s", error)
        return ranker


def held_out_rows(docs_by_labels: sparse.csr_matrix, n: int, n_held_out: int, seed: int) -> NDArray[np.bool_]:
    """Which rows to hold out: `n_held_out` of the first `n`, drawn evenly, but none that has a label's last document.

    None at all if they would be too few to learn from.

    Examples
    --------
    >>> int(held_out_rows(sparse.csr_matrix(np.ones((200, 1))), n=150, n_held_out=60, seed=0).sum())
    60
    """
    is_held_out = np.zeros(docs_by_labels.shape[0], dtype=np.bool_)
    counts = np.bincount(docs_by_labels[:n].indices, minlength=docs_by_labels.shape[1])
    n_taken = 0
    for row in np.random.default_rng(seed).permutation(n).tolist():
        if n_taken == n_held_out:
            break
        own = docs_by_labels.indices[docs_by_labels.indptr[row] : docs_by_labels.indptr[row + 1]]
        if (counts[own] > 1).all():
            counts[own] -= 1
            is_held_out[row] = True
            n_taken += 1
    return is_held_out if n_taken >= MIN_HELD_OUT else np.zeros_like(is_held_out)
