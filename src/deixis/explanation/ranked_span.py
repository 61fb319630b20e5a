"""The candidates of one span with all their features."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deixis.decision.on_list import EVIDENCE, on_list_probabilities, on_list_weights
from deixis.explanation.name_match import name_match
from deixis.explanation.records import ExplainedCandidate, ListEvidence, Part, parts_of
from deixis.linking.model import LinkerModel
from deixis.linking.plan import LinkPlan
from deixis.linking.stages.rank import RankedSpans, evidence_of_list
from deixis.ranking.features import FEATURES
from deixis.ranking.ranker import softmax_scores
from deixis.ranking.weights import FeatureMatrix
from deixis.tables import Ranking
from deixis.types import MentionInContext

CORRECTED = "corrections of this name in texts like this one"


@dataclass(frozen=True, eq=False)
class RankedSpan:
    """All candidates of a span, best first by the ranker: their features, log odds of corrections, and sums of both.

    `evidence` is that for a mention of anything on the list.
    """

    mention: MentionInContext
    ranking: Ranking
    features: FeatureMatrix
    corrected: NDArray[np.float64]
    totals: NDArray[np.float64]
    evidence: NDArray[np.float32]

    @property
    def on_list(self) -> ListEvidence:
        """How likely the mention means anything on the list, and why."""
        weights = on_list_weights()
        parts = parts_of(EVIDENCE, self.evidence, weights)
        probability = float(on_list_probabilities(self.evidence[None, :])[0])
        return ListEvidence(probability, sum(part.contribution for part in parts), parts)

    @property
    def log_sum(self) -> float:
        """The logarithm of the sum of exp(total): a score is exp(total - log_sum)."""
        return float(np.logaddexp.reduce(self.totals))

    def candidate(
        self, model: LinkerModel, row: int, probabilities: Mapping[int, float], reranked: Mapping[int, float]
    ) -> ExplainedCandidate:
        """One candidate with the parts of its score; `reranked` are the scores of a re-ranker, if there is one."""
        position = int(np.flatnonzero(self.ranking.rows == row)[0])
        names, log_odds = self.features.names, float(self.corrected[position])
        weights = model.ranker.weights_of(self.mention).extended(names).by_name()
        meanings = {name: FEATURES[name].sentence for name in names}
        corrected = Part("corrected", CORRECTED, log_odds, 1.0, log_odds)
        return ExplainedCandidate(
            model.kb.ids[row], model.kb.titles[row], float(self.ranking.scores[position]), probabilities.get(row, 0.0),
            float(self.totals[position]), name_match(model.kb, row, self.mention.text),
            parts_of(meanings, self.features.values[position], np.array([weights[name] for name in names]), corrected),
            reranked.get(row),
        )  # fmt: skip


def ranked_spans(plan: LinkPlan, batch: RankedSpans) -> Iterator[tuple[tuple[int, int], RankedSpan]]:
    """Start and end of each span of a batch, and its candidates."""
    table, ranker = batch.table, plan.model.ranker
    _, best = ranker.rank_with_best(batch.mentions, table, 1)
    evidence = evidence_of_list(plan.model.kb, batch.mentions, best, plan.mask)
    features = ranker.features(batch.mentions, table)
    corrected = ranker.corrected.log_odds(batch.mentions, table)
    totals = ranker.totals(batch.mentions, features, table)
    scores = softmax_scores(totals, table).astype(np.float64)
    for number, mention in enumerate(batch.mentions):
        own = slice(int(table.starts[number]), int(table.starts[number + 1]))
        order = own.start + np.lexsort((table.rows[own], -scores[own]))
        ranking = Ranking(np.array([0, len(order)]), table.rows[order], scores[order])
        own_features = FeatureMatrix(features.names, features.values[order])
        yield (
            (mention.start, mention.end),
            RankedSpan(mention, ranking, own_features, corrected[order], totals[order], evidence[number]),
        )
