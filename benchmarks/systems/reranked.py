"""The linker with a re-ranker, trained on few mentions so that a run takes an hour and not days."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.systems.ours import LinkerSystem
from deixis.candidates.candidate_lists import candidate_lists
from deixis.config import config_to_dict
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.options import LinkOptions
from deixis.linking.streams import rank_mentions
from deixis.neural.cross_encoder.config import CrossEncoderConfig
from deixis.neural.cross_encoder.pairs import Pair, PairScorer
from deixis.training import TRAINERS
from deixis.training.config import TrainingConfig
from deixis.types import Candidate, Document, MentionInContext

WORK = "DEIXIS_WORK"  # names a folder for checkpoints, so that a run that was ended goes on


class RerankedLinkerSystem(LinkerSystem):
    """The linker taught by annotated mentions, and a cross-encoder that reranks its best candidates."""

    needs = "mentions"
    options: ClassVar[LinkOptions] = LinkOptions(rerank=True)
    seed: ClassVar[int] = 0
    config: ClassVar[TrainingConfig] = TrainingConfig(
        reranker=CrossEncoderConfig(max_mentions=2000, n_taught=8, n_candidates=10, epochs=2, max_checked=300)
    )

    @classmethod
    def build(cls, kb: KnowledgeBase, annotated: Sequence[Document] = (), n_threads: int = 1) -> RerankedLinkerSystem:
        """The linker with all its stages, and its re-ranker."""
        train_reranker = TRAINERS["reranker"]  # what is not installed is said before the work
        linker = Linker.build(kb, annotated, seed=cls.seed, n_threads=n_threads)
        with tempfile.TemporaryDirectory() as passing:
            work = Path(os.environ.get(WORK) or passing)
            trained = train_reranker(linker.model, annotated, None, cls.config, work, cls.seed, n_threads)
        if trained.model.reranker is not None:
            reranker: Any = trained.model.reranker.opened
            reranker.scorer = RememberedScores(reranker.scorer)
        return cls(Linker(trained.model))

    @classmethod
    def settings(cls) -> dict[str, Any]:
        """How it was trained; mentions are drawn at random by the seed."""
        return {
            "settings": "library defaults",
            "rerank": config_to_dict(cls.config.reranker),
            "drawn_by_seed": cls.seed,
        }

    def generate(self, mentions: Sequence[MentionInContext], k: int) -> list[list[Candidate]]:
        """Re-ranked candidates, as many as are asked for."""
        return candidate_lists(self.linker.kb, rank_mentions(self.linker.model, mentions, k, rerank=True))


class RememberedScores:
    """Scores of pairs; those of the last call are remembered, for the same mentions are asked again, only deeper.

    Examples
    --------
    >>> class Lengths:
    ...     def scores(self, pairs):
    ...         print("asked for", len(pairs))
    ...         return np.array([len(mention) for _, mention in pairs], dtype=np.float32)
    >>> remembered = RememberedScores(Lengths())
    >>> remembered.scores([("Q90", "Paris")])
    asked for 1
    array([5.], dtype=float32)
    >>> remembered.scores([("Q90", "Paris")])
    array([5.], dtype=float32)
    """

    def __init__(self, scorer: PairScorer) -> None:
        self._scorer = scorer
        self._known: dict[Pair, float] = {}

    def scores(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """A logit for each pair."""
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        known = {pair: score for pair in pairs if (score := self._known.get(pair)) is not None}
        if new:
            known |= zip(new, self._scorer.scores(new).tolist(), strict=True)
        self._known = known
        return np.array([known[pair] for pair in pairs], dtype=np.float32)
