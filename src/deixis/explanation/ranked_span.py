"""The candidates of one span with all their features."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deixis.explanation.name_match import name_match
from deixis.explanation.records import ExplainedCandidate, Part, parts_of
from deixis.linking.model import LinkerModel
from deixis.linking.stages.rank import RankedSpans
from deixis.ranking.features import FEATURES
from deixis.ranking.weights import FeatureMatrix
from deixis.tables import Ranking
from deixis.types import MentionInContext

CORRECTED = "corrections of this name to another entity"


@dataclass(frozen=True, eq=False)
class RankedSpan:
    """All candidates of a span, best first by the ranker: their features, log odds of corrections, and sums of both."""

    mention: MentionInContext
    ranking: Ranking
    features: FeatureMatrix
    refuted: NDArray[np.float64]
    totals: NDArray[np.float64]

    @property
    def log_sum(self) -> float:
        """The logarithm of the sum of exp(total): a score is exp(total - log_sum)."""
        return float(np.logaddexp.reduce(self.totals))

    def candidate(
        self, model: LinkerModel, row: int, probabilities: Mapping[int, float], reranked: Mapping[int, float]
    ) -> ExplainedCandidate:
        """One candidate with the parts of its score; `reranked` are the scores of a re-ranker, if there is one."""
        position = int(np.flatnonzero(self.ranking.rows == row)[0])
        names, refuted = self.features.names, float(self.refuted[position])
        weights = model.ranker.weights.extended(names).values
        meanings = {name: FEATURES[name].sentence for name in names}
        corrected = Part("corrected", CORRECTED, refuted, 1.0, refuted)
        return ExplainedCandidate(
            model.kb.ids[row], model.kb.titles[row], float(self.ranking.scores[position]), probabilities.get(row, 0.0),
            float(self.totals[position]), name_match(model.kb, row, self.mention.text),
            parts_of(meanings, self.features.values[position], weights, corrected), reranked.get(row),
        )  # fmt: skip


def ranked_spans(model: LinkerModel, batch: RankedSpans) -> Iterator[tuple[tuple[int, int], RankedSpan]]:
    """Start and end of each span of a batch, and its candidates."""
    table, ranker = batch.table, model.ranker
    features = ranker.features(batch.mentions, table)
    refuted = ranker.corrected.log_odds([mention.text for mention in batch.mentions], table)
    totals = ranker.weights.sums(features) + refuted
    scores = ranker.scores(features, table, refuted).astype(np.float64)
    for number, mention in enumerate(batch.mentions):
        own = slice(int(table.starts[number]), int(table.starts[number + 1]))
        order = own.start + np.lexsort((table.rows[own], -scores[own]))
        ranking = Ranking(np.array([0, len(order)]), table.rows[order], scores[order])
        own_features = FeatureMatrix(features.names, features.values[order])
        yield (mention.start, mention.end), RankedSpan(mention, ranking, own_features, refuted[order], totals[order])
