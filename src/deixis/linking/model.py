"""The parts of a linker, as data: frozen, changed only by making another one. `deixis.linking.stored` saves them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.combined import CandidateSources
from deixis.decision.decision import Decisions
from deixis.detection.detector import SpanDetector
from deixis.kb.edits import EntityEdits
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.config import LinkerConfig
from deixis.linking.corrections import Corrections
from deixis.linking.seen_documents import SeenDocuments
from deixis.ranking.ranker import FeatureRanker
from deixis.ranking.weights import FeatureWeights
from deixis.store.checks import MAX_WEIGHT
from deixis.store.lazy_part import LazyPart
from deixis.store.origin import Origin
from deixis.store.part import Part, array, nested
from deixis.types import Document, MentionInContext

if TYPE_CHECKING:
    from scipy import sparse


class Reranker(Protocol):
    """A slower model that reads a mention and its best candidates."""

    @property
    def n_candidates(self) -> int:
        """How many of a mention's best candidates it reads."""

    def rank(self, mentions: Sequence[MentionInContext], ranked: sparse.csr_matrix) -> sparse.csr_matrix:
        """mentions_by_entities: the same candidates in its own order, stored best first, scores in 0..1."""

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Everything it learned as arrays under names that begin with `prefix`, without the knowledge base."""


@dataclass(frozen=True, eq=False)
class TrainedReranker(Part):
    """A re-ranker, or the arrays of one that is opened when it is first used, and the documents it was trained on."""

    part: Annotated[Reranker | LazyPart, nested(LazyPart, open_part="open_reranker")]
    seen: SeenDocuments = field(default_factory=SeenDocuments)

    @property
    def opened(self) -> Reranker:
        """The re-ranker itself."""
        opened: Reranker = self.part.opened if isinstance(self.part, LazyPart) else self.part
        return opened


@dataclass(frozen=True, eq=False)
class Reader(Part):
    """A reader, opened when it first reads; what its evidence weighs beside that of detection; what it was trained on.

    `deixis.linking.stages.read.EVIDENCE` has the meanings of the weights.
    """

    part: Annotated[LazyPart, nested(open_part="open_reader")]
    weights: Annotated[NDArray[np.float64], array(length=6, low=-MAX_WEIGHT, high=MAX_WEIGHT)]
    seen: SeenDocuments = field(default_factory=SeenDocuments)


@dataclass(frozen=True, eq=False)
class LinkerModel:
    """The parts of a linker. Functions of `deixis.training` make other models from it; nothing mutates it.

    `seen` are the documents that it was trained on, `corrections` those of single spans.
    `uncorrected_weights` are the ranker's before many corrections refitted them; None if they did not. `built` is the
    model before edits and corrections if there are any edits, and `added` what `deixis.linking.edited` made of these.
    `origin` is the folder that it was loaded from; None if it was built.
    """

    kb: KnowledgeBase
    detector: SpanDetector
    sources: CandidateSources
    ranker: FeatureRanker
    decisions: Decisions
    config: LinkerConfig
    reranker: TrainedReranker | None = None
    reader: Reader | None = None
    corrections: Corrections = field(default_factory=Corrections)
    seen: SeenDocuments = field(default_factory=SeenDocuments)
    uncorrected_weights: FeatureWeights | None = None
    n_threads: int = 0
    built: LinkerModel | None = None
    added: Any = None
    origin: Origin | None = None

    @property
    def edits(self) -> EntityEdits:
        """The edits of entities since it was built."""
        return EntityEdits.of() if self.added is None else self.added.edited.edits

    @property
    def all_seen(self) -> SeenDocuments:
        """The documents that it was trained on or corrected in: it looks better on them than on others."""
        return self.seen | SeenDocuments.of(Document("", text) for text in self.corrections.by_text)
