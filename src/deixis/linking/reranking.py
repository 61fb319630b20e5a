"""The second look of a linker: a re-ranker that reads mention and description together, and what its scores mean.

It is slow and needs an extra, so a linker opens it only when it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.errors import ConfigError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.calibration import Calibration
from deixis.linking.nil import NilRule
from deixis.linking.seen import SeenDocuments
from deixis.linking.stored_part import StoredPart
from deixis.ranking import RERANKERS
from deixis.store.checks import check_length, require
from deixis.types import MentionInContext

HOW_TO_GET_ONE = "Teach it one from annotated mentions: deixis learn MODEL --mentions train.jsonl --rerank"


class Reranker(Protocol):
    """What the linker asks of a re-ranker, whatever is inside."""

    @property
    def n_candidates(self) -> int:
        """How many of a mention's best candidates it reads."""

    def rank(self, mentions: Sequence[MentionInContext], ranked: sparse.csr_matrix) -> sparse.csr_matrix:
        """mentions_by_entities: the same candidates in its own order, stored best first, scores in 0..1."""

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Everything it learned as arrays under names that begin with `prefix`, without the knowledge base."""


class StoredReranker(StoredPart):
    """The re-ranker of a saved model."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], prefix: str, kb: KnowledgeBase, n_threads: int = 0) -> None:
        super().__init__(RERANKERS, "cross-encoder", arrays, prefix, kb, n_threads)

    @property
    def n_candidates(self) -> int:
        """How many of a mention's best candidates it reads."""
        found: int = self.opened.n_candidates
        return found

    def rank(self, mentions: Sequence[MentionInContext], ranked: sparse.csr_matrix) -> sparse.csr_matrix:
        """mentions_by_entities: the same candidates in its own order, stored best first."""
        found: sparse.csr_matrix = self.opened.rank(mentions, ranked)
        return found


@dataclass(frozen=True, eq=False)
class Reranking:
    """A re-ranker with its own calibration and its own threshold: its scores are others than the linker's.

    `learned_from` are the documents it was trained on.
    """

    ranker: Reranker
    calibration: Calibration | None = None
    nil: NilRule = field(default_factory=NilRule)
    learned_from: SeenDocuments = field(default_factory=SeenDocuments)

    def calibrated_by(self, calibration: Calibration, rule: NilRule) -> Reranking:
        """The same with a calibration and with the threshold that does what `rule` asks for."""
        return replace(self, calibration=calibration, nil=calibration.settled(rule))

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """All of it as arrays under names that begin with `prefix`."""
        rule = [np.nan if value is None else value for value in (self.nil.threshold, self.nil.target_precision)]
        arrays = self.ranker.to_arrays(f"{prefix}.ranker") | {f"{prefix}.nil": np.array(rule, dtype=np.float64)}
        if self.calibration is not None:
            arrays |= self.calibration.to_arrays(f"{prefix}.calibration")
        return arrays | self.learned_from.to_arrays(f"{prefix}.learned_from")

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, kb: KnowledgeBase, n_threads: int = 0
    ) -> Reranking | None:
        """What `to_arrays` gave, its re-ranker not opened yet; None if the model has none."""
        if f"{prefix}.nil" not in arrays:
            return None
        rule = require(arrays, f"{prefix}.nil", np.float64)
        check_length(f"{prefix}.nil", rule, 2)
        threshold, target = (None if np.isnan(value) else value for value in rule.tolist())
        return cls(
            StoredReranker(arrays, f"{prefix}.ranker", kb, n_threads),
            Calibration.from_arrays(arrays, f"{prefix}.calibration"),
            NilRule(threshold, target),
            SeenDocuments.from_arrays(arrays, f"{prefix}.learned_from"),
        )


def no_reranker() -> ConfigError:
    """The error of a linker that is asked for a second look and has none."""
    return ConfigError(f"This model has no re-ranker, so it cannot rerank. {HOW_TO_GET_ONE}")
