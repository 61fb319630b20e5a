"""New scores for the best candidates: a cross-encoder reads each of them beside the mention (XMRED, 2.4).

Its word is mixed with that of the ranking before it, by weights learned on held-out mentions (`mixing`).
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.config import config_from_dict, config_to_dict
from deixis.errors import ConfigError, StoreError
from deixis.gold import is_gold
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.nearest.best_rows import best_rows
from deixis.neural.cross_encoder.config import CrossEncoderConfig
from deixis.neural.cross_encoder.pairs import PairScorer
from deixis.neural.cross_encoder.scorer import OnnxPairScorer
from deixis.neural.cross_encoder.texts import PairTexts
from deixis.neural.windows import TokenWindows
from deixis.ranking.rerankers.examples import Ranked, best_scores
from deixis.ranking.rerankers.mixing import RERANKER_ALONE, Mixing, RerankerScores
from deixis.scipy_sparse import sparse
from deixis.store.checks import MAX_WEIGHT, check_length, check_range, require
from deixis.tables import CandidateTable
from deixis.types import MentionInContext


class CrossEncoderRanker:
    """Re-orders the best candidates of each mention; scores are shares of what the ranking gave them together."""

    def __init__(
        self,
        kb: KnowledgeBase,
        scorer: PairScorer,
        texts: PairTexts,
        config: CrossEncoderConfig | None = None,
        mixing: Mixing = RERANKER_ALONE,
    ) -> None:
        self.kb = kb
        self.scorer = scorer
        self.texts = texts
        self.config = config or CrossEncoderConfig()
        self.mixing = mixing

    def with_kb(self, kb: KnowledgeBase) -> CrossEncoderRanker:
        """The same over another knowledge base, whose first rows are those of this one."""
        changed = copy.copy(self)
        changed.kb = kb
        return changed

    @property
    def n_candidates(self) -> int:
        """How many of a mention's best candidates are reranked."""
        return self.config.n_candidates

    def rank(self, mentions: Sequence[MentionInContext], ranked: sparse.csr_matrix) -> sparse.csr_matrix:
        """mentions_by_entities: the same candidates in a new order, stored best first.

        Candidates behind the first `n_candidates` keep their scores, and so do all of a mention that is too long, or
        whose best one has a larger score than `max_score`. Nothing is read where the re-ranker does not count.
        """
        if len(mentions) != ranked.shape[0]:
            raise ConfigError(f"Each mention needs its candidates, got {len(mentions)} and {ranked.shape[0]}.")
        if not self.mixing.reranker:
            return ranked
        starts, positions = self._first(ranked, self._is_read(mentions, ranked))
        if not len(positions):
            return ranked
        scores = ranked.data.astype(np.float64)
        group = CandidateTable(starts, positions, {})
        totals = self.mixing.totals(ranked.data[positions], self._logits(mentions, ranked, positions))
        parts = np.exp(totals - group.group_max(totals))
        scores[positions] = parts / group.group_sum(parts) * group.group_sum(scores[positions])
        everything = CandidateTable(ranked.indptr.astype(np.int64), ranked.indices.astype(np.int64), {})
        width = int(np.diff(ranked.indptr).max())
        return best_rows(everything, scores.astype(np.float32), width, ranked.shape[1]).matrix()

    def reranker_scores(self, annotated: Ranked) -> RerankerScores:
        """What the ranking and the cross-encoder say of the first candidates of mentions whose entity is known."""
        mentions, ranked = annotated.mentions, annotated.candidates
        is_read = self._is_read(mentions, ranked)
        starts, positions = self._first(ranked, np.ones_like(is_read))
        numbers = np.repeat(np.arange(len(mentions)), np.diff(starts))
        logits = np.zeros(len(positions), dtype=np.float32)
        logits[is_read[numbers]] = self._logits(mentions, ranked, positions[is_read[numbers]])
        is_right = is_gold(numbers, ranked.indices[positions], annotated.gold)
        return RerankerScores(starts, ranked.data[positions], logits, is_right)

    def _is_read(self, mentions: Sequence[MentionInContext], ranked: sparse.csr_matrix) -> NDArray[np.bool_]:
        """Which mentions the cross-encoder reads: those that fit into its window and of which the ranking is unsure."""
        fits = np.array(self.texts.fits(mentions), dtype=np.bool_) if mentions else np.zeros(0, dtype=np.bool_)
        is_read: NDArray[np.bool_] = fits & (best_scores(ranked) <= self.config.max_score)
        return is_read

    def _first(
        self, ranked: sparse.csr_matrix, is_chosen: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The positions, among all candidates, of the first `n_candidates` of the chosen mentions.

        Before them come the starts: mention `i` has the positions from `starts[i]` to `starts[i + 1]`.
        """
        numbers = np.repeat(np.arange(ranked.shape[0]), np.diff(ranked.indptr))
        is_first = np.arange(len(numbers)) - ranked.indptr[numbers] < self.n_candidates
        positions = np.flatnonzero(is_first & is_chosen[numbers])
        return np.searchsorted(numbers[positions], np.arange(ranked.shape[0] + 1)), positions

    def _logits(
        self, mentions: Sequence[MentionInContext], ranked: sparse.csr_matrix, positions: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """What the cross-encoder says of the candidates at these positions."""
        if not len(positions):
            return np.zeros(0, dtype=np.float32)
        numbers = np.repeat(np.arange(len(mentions)), np.diff(ranked.indptr))[positions]
        return self.scorer.scores(self.texts.pairs(self.kb, mentions, numbers, ranked.indices[positions]))

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The trained model, its settings and the mixing as arrays under names that begin with `prefix`."""
        if not isinstance(self.scorer, OnnxPairScorer):
            raise ConfigError(f"Only a scorer with an ONNX graph can be stored, not {type(self.scorer).__name__}.")
        settings = json.dumps({"separator": self.texts.separator, "config": config_to_dict(self.config)}).encode()
        return self.scorer.to_arrays(f"{prefix}.scorer") | {
            f"{prefix}.settings": np.frombuffer(settings, dtype=np.uint8),
            f"{prefix}.mixing": np.array([self.mixing.ranking, self.mixing.reranker], dtype=np.float64),
        }

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, kb: KnowledgeBase, n_threads: int = 0
    ) -> CrossEncoderRanker:
        """The re-ranker `to_arrays` gave, over the same knowledge base."""
        weights = require(arrays, f"{prefix}.mixing", np.float64)
        check_length(f"{prefix}.mixing", weights, 2)
        check_range(f"{prefix}.mixing", weights, 0, MAX_WEIGHT)
        try:
            settings = json.loads(require(arrays, f"{prefix}.settings", np.uint8).tobytes())
            config = config_from_dict(CrossEncoderConfig, settings["config"], is_saved=True)
            separator = str(settings["separator"])
        except (ValueError, KeyError, TypeError, ConfigError) as error:
            raise StoreError(f"The settings of the re-ranker are damaged ({error}). Learn it again.") from error
        scorer = OnnxPairScorer.from_arrays(arrays, f"{prefix}.scorer", n_threads)
        windows = TokenWindows.from_bytes(scorer.tokenizer.tobytes())
        mixing = Mixing(*weights.tolist())
        return cls(kb, scorer, PairTexts(windows, separator, config.pairs), config, mixing)
