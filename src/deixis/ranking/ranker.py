"""Ranks candidates by a weighted sum of features, turned into probabilities by a softmax.

Without annotated mentions the weights are those in `default_weights.json`, fitted on the dev splits of many suites
(`python -m benchmarks.quality.ranker`), none of which need be like the knowledge base at hand; with annotated mentions
they can be fitted anew (`learners/listwise`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.errors import DataError
from deixis.features.entity_words import EntityWords
from deixis.features.name_set import NameSet
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.ranking.correction_odds import CorrectedPairs
from deixis.ranking.default_weights import RankerConfig
from deixis.ranking.entity_facts import EntityFacts
from deixis.ranking.feature import FeatureContext
from deixis.ranking.features import FEATURES
from deixis.ranking.weights import FeatureMatrix, FeatureWeights
from deixis.store.part import GIVEN, Part, nested
from deixis.tables import CandidateTable
from deixis.types import MentionInContext


@dataclass(frozen=True, eq=False)
class FeatureRanker(Part):
    """Orders candidates by a weighted sum of features; scores are a softmax over the candidates of a mention.

    Weights are stored by the names of features: a feature that a saved model does not know weighs 0 there.

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
        return cls(facts, (config or RankerConfig()).start_weights(kb, sources), n_threads)

    def with_weights(self, weights: FeatureWeights) -> FeatureRanker:
        """The same ranker with other weights."""
        return replace(self, weights=weights)

    def with_corrected(self, corrected: CorrectedPairs) -> FeatureRanker:
        """The same ranker with what corrections say of names, in place of others; it is not stored."""
        return replace(self, corrected=corrected)

    def features(self, mentions: Sequence[MentionInContext], table: CandidateTable) -> FeatureMatrix:
        """All features of candidates: those that have a weight, and those besides that the sources support."""
        names = (name for name, each in FEATURES.items() if each.is_supported(table.signals))
        return self._computed(self.weights.extended(names).names, mentions, table)

    def rank(self, mentions: Sequence[MentionInContext], table: CandidateTable, k: int) -> sparse.csr_matrix:
        """mentions_by_entities: the best `k` candidates of each mention, stored best first; scores of all add to 1."""
        features = self._computed(self.weights.names, mentions, table)
        scores = self.scores(features, table, self.corrected.log_odds([mention.text for mention in mentions], table))
        return table.best(scores, k, len(self.facts.popularity))

    def scores(
        self, features: FeatureMatrix, table: CandidateTable, correction_odds: NDArray[np.float64] | float = 0.0
    ) -> NDArray[np.float32]:
        """The probability that each candidate is the one, if one of its mention's is; log odds of corrections added."""
        totals = self.weights.sums(features) + correction_odds
        parts = np.exp(totals - table.group_max(totals))
        scores: NDArray[np.float32] = (parts / table.group_sum(parts)).astype(np.float32)
        return scores

    def _computed(
        self, names: tuple[str, ...], mentions: Sequence[MentionInContext], table: CandidateTable
    ) -> FeatureMatrix:
        if len(mentions) != len(table.starts) - 1:
            raise DataError(f"Each mention needs its candidates, got {len(mentions)} and {len(table.starts) - 1}.")
        context = FeatureContext(mentions, table, self.facts, self.corrected.seen, self.n_threads)
        columns = [FEATURES[name](context) for name in names]
        values = np.stack(columns, axis=1) if columns else np.zeros((len(table.rows), 0), dtype=np.float32)
        return FeatureMatrix(names, values)
