"""Ranks candidates by a weighted sum of features, turned into probabilities by a softmax.

Without annotated mentions the weights are those in `default_weights.json`, fitted on the dev splits of many suites
(`python -m benchmarks.quality.ranker`), none of which need be like the knowledge base at hand; with annotated mentions
others can be fitted (`learners/listwise`) for the names that were annotated.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from deixis.errors import DataError
from deixis.features.entity_words import EntityWords
from deixis.features.name_set import NameSet
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.native import _core
from deixis.ranking.best_candidates import best_candidates
from deixis.ranking.correction_odds import CorrectedPairs
from deixis.ranking.default_weights import RankerConfig
from deixis.ranking.entity_facts import EntityFacts
from deixis.ranking.feature import FeatureContext
from deixis.ranking.features import FEATURES
from deixis.ranking.weights import FeatureMatrix, FeatureWeights, weighted_sums
from deixis.store.part import GIVEN, Part, nested
from deixis.tables import BestCandidates, CandidateTable, FlatRows
from deixis.types import MentionInContext


@dataclass(frozen=True, eq=False)
class FeatureRanker(Part):
    """Orders candidates by a weighted sum of features; scores are a softmax over the candidates of a mention.

    Weights are stored by the names of features: a feature that a saved model does not know weighs 0 there. Learned ones
    hold for names that were seen annotated, `fitted_names` among them; all other mentions have `unseen_weights`, if
    there are any: what was learned from one kind of text must not harm another.

    Examples
    --------
    >>> from deixis.features.entity_words import EntityWords
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q22889", "title": "Troy"}])
    >>> words = EntityWords.build(*kb.names(), kb.description_texts())
    >>> ranker = FeatureRanker.build(kb, words, np.array([1, 0], dtype=np.float32), sources=["names"])
    >>> table = CandidateTable(np.array([0, 2]), np.array([0, 1]), {"names": np.array([0.9, 0.1], dtype=np.float32)})
    >>> ranker.rank([MentionInContext("Paris", "Paris fled.", 0, 5)], table, 1).indices.tolist()
    [0]
    """

    facts: Annotated[EntityFacts, nested(words="words", n_entities="n_entities")]
    weights: FeatureWeights
    unseen_weights: FeatureWeights | None = None
    fitted_names: NameSet | None = None
    n_threads: Annotated[int, GIVEN] = 0
    corrected: Annotated[CorrectedPairs, GIVEN] = field(default_factory=CorrectedPairs)

    @classmethod
    def build(
        cls,
        kb: KnowledgeBase,
        words: EntityWords,
        popularity: NDArray[np.float32],
        seen_names: NameSet | None = None,
        config: RankerConfig | None = None,
        n_threads: int = 0,
        *,
        sources: Collection[str],
    ) -> FeatureRanker:
        """A ranker over the entities of `kb`, with the features that these candidate sources support.

        `popularity` is 0 to 1 for each entity, `seen_names` are names seen annotated.
        """
        facts = EntityFacts.of(kb, words, popularity, seen_names, n_threads)
        return cls(facts, (config or RankerConfig()).start_weights(kb, sources), n_threads=n_threads)

    def with_weights(self, weights: FeatureWeights) -> FeatureRanker:
        """The same ranker with other weights; names that were not seen annotated keep weights of their own."""
        return replace(self, weights=weights)

    def with_fitted_weights(self, weights: FeatureWeights, names: NameSet) -> FeatureRanker:
        """The same ranker with weights for these names and those seen before; the weights before hold for others."""
        fitted = names if self.fitted_names is None else names | self.fitted_names
        return replace(self, weights=weights, unseen_weights=self.unseen_weights or self.weights, fitted_names=fitted)

    def with_weights_of(self, other: FeatureRanker) -> FeatureRanker:
        """The same ranker with all weights of another."""
        unseen, names = other.unseen_weights, other.fitted_names
        return replace(self, weights=other.weights, unseen_weights=unseen, fitted_names=names)

    def with_further_features(self, weights: Mapping[str, float]) -> FeatureRanker:
        """The same ranker with weights for further features, whatever the name; those that it weighs stay."""
        unseen = None if self.unseen_weights is None else self.unseen_weights.extended(weights)
        return replace(self, weights=self.weights.extended(weights), unseen_weights=unseen)

    def with_corrected(self, corrected: CorrectedPairs) -> FeatureRanker:
        """The same ranker with what corrections say of names, in place of others; it is not stored."""
        return replace(self, corrected=corrected)

    def features(self, mentions: Sequence[MentionInContext], table: CandidateTable) -> FeatureMatrix:
        """All features of candidates: those that have a weight, and those besides that the sources support."""
        names = (name for name, each in FEATURES.items() if each.is_supported(table.signals))
        context, every = self._context(mentions, table), self._all_weights.extended(names).names
        context.features = every
        # A feature after the other in memory: five times faster to write than a candidate after the other.
        return FeatureMatrix(every, np.stack([FEATURES[name](context) for name in every]).T)

    def rank(self, mentions: Sequence[MentionInContext], table: CandidateTable, k: int) -> FlatRows:
        """mentions_by_entities: the best `k` candidates of each mention, stored best first; scores of all add to 1."""
        return self.rank_with_best(mentions, table, k)[0]

    def rank_with_best(
        self,
        mentions: Sequence[MentionInContext],
        table: CandidateTable,
        k: int,
        name_sums: NDArray[np.float64] | None = None,
    ) -> tuple[FlatRows, BestCandidates]:
        """The same as `rank`, and what is known of each mention's best candidate.

        `name_sums` are those of the method of this name, if they are known.
        """
        context = self._context(mentions, table)
        of_names = self._sums(context, reads_context=False) if name_sums is None else name_sums
        totals = of_names + self._sums(context, reads_context=True)
        if self.corrected.mentions:
            totals += self.corrected.log_odds(mentions, table)
        starts, rows, scores, positions, leads = _core.ranked_candidates(
            table.starts, context.pairs.rows, totals, k, self.n_threads
        )
        ranked = FlatRows(starts, rows, scores, (len(mentions), len(self.facts.popularity)))
        return ranked, best_candidates(context, ranked, positions, leads)

    def name_sums(self, mentions: Sequence[MentionInContext], table: CandidateTable) -> NDArray[np.float64]:
        """The weighted sum of those features of each candidate that do not read the context.

        It is the same for all mentions of one name in one language, as far as their candidates are.
        """
        return self._sums(self._context(mentions, table), reads_context=False)

    def totals(
        self, mentions: Sequence[MentionInContext], features: FeatureMatrix, table: CandidateTable
    ) -> NDArray[np.float64]:
        """The weighted sum of each candidate's features, with the log odds of corrections."""
        of_names, of_contexts = (
            self._by_seen(mentions, table, lambda weights: weights.sums(features), reads_context=reads)
            for reads in (False, True)
        )
        return of_names + of_contexts + self.corrected.log_odds(mentions, table)

    def _sums(self, context: FeatureContext, *, reads_context: bool) -> NDArray[np.float64]:
        """The weighted sum of the features of one kind."""

        def sums(weights: FeatureWeights) -> NDArray[np.float64]:
            columns = [FEATURES[name](context) for name in weights.names]
            return weighted_sums(columns, weights.values, len(context.rows))

        return self._by_seen(context.mentions, context.table, sums, reads_context=reads_context)

    def _by_seen(
        self,
        mentions: Sequence[MentionInContext],
        table: CandidateTable,
        sums: Callable[[FeatureWeights], NDArray[np.float64]],
        *,
        reads_context: bool,
    ) -> NDArray[np.float64]:
        """Sums by the weights of one kind that hold for each mention: those of seen names, or of others."""
        seen = sums(self.weights.parts[reads_context])
        if self.unseen_weights is None:
            return seen
        is_seen = self.is_seen(mentions)[table.mention_numbers]
        return np.where(is_seen, seen, sums(self.unseen_weights.parts[reads_context]))

    def is_seen(self, mentions: Sequence[MentionInContext]) -> NDArray[np.bool_]:
        """Which mentions have a name that was seen annotated."""
        texts = [mention.text for mention in mentions]
        seen = self.facts.seen_names.holds(texts)
        return seen if self.fitted_names is None else seen | self.fitted_names.holds(texts)

    def weights_of(self, mention: MentionInContext) -> FeatureWeights:
        """The weights that hold for a mention."""
        if self.unseen_weights is None or self.is_seen([mention])[0]:
            return self.weights
        return self.unseen_weights

    @cached_property
    def _all_weights(self) -> FeatureWeights:
        """Weights whose names are the features of both records."""
        return self.weights if self.unseen_weights is None else self.weights.extended(self.unseen_weights.names)

    def _context(self, mentions: Sequence[MentionInContext], table: CandidateTable) -> FeatureContext:
        if len(mentions) != len(table.starts) - 1:
            raise DataError(f"Each mention needs its candidates, got {len(mentions)} and {len(table.starts) - 1}.")
        return FeatureContext(mentions, table, self.facts, self.n_threads, self._all_weights.names)


def softmax_scores(totals: NDArray[np.float64], table: CandidateTable) -> NDArray[np.float32]:
    """The probability that each candidate is the one, if one of its mention's is: a softmax of their totals."""
    parts = np.exp(totals - table.group_max(totals))
    softmax: NDArray[np.float32] = (parts / table.group_sum(parts)).astype(np.float32)
    return softmax
