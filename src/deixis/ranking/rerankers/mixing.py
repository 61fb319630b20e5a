"""How the scores of the ranking and of a re-ranker are combined, learned from held-out mentions.

The logarithm of the share that the ranking gives a candidate and the logit of the re-ranker are weighed and summed.
Where that gets fewer held-out mentions right than one of the two does alone, that one is used alone:
a re-ranker must not make anything worse.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deixis.learners.listwise import TrainingExamples, fit_weights

LEAST = 1e-6  # a smaller share counts as this one where its logarithm is taken
PENALTY = 1e-4


@dataclass(frozen=True)
class Mixing:
    """What the word of each of the two weighs.

    Examples
    --------
    >>> Mixing(1.0, 0.5).totals(np.array([1.0, 1.0]), np.array([2.0, 4.0])).tolist()
    [1.0, 2.0]
    """

    ranking: float
    reranker: float

    def totals(self, shares: NDArray[np.floating], logits: NDArray[np.floating]) -> NDArray[np.float64]:
        """The weighted sum for each candidate."""
        logs = np.log(np.maximum(shares.astype(np.float64), LEAST))
        totals: NDArray[np.float64] = self.ranking * logs + self.reranker * logits.astype(np.float64)
        return totals


RANKING_ALONE, RERANKER_ALONE = Mixing(1.0, 0.0), Mixing(0.0, 1.0)


@dataclass(frozen=True, eq=False)
class RerankerScores:
    """What both say of the candidates of mentions; mention `i` has those from `starts[i]` to `starts[i + 1]`.

    Examples
    --------
    >>> shares, logits = np.array([0.6, 0.4, 0.9, 0.1]), np.array([-1.0, 1.0, 0.1, 0.0])
    >>> scores = RerankerScores(np.array([0, 2, 4]), shares, logits, np.array([False, True, True, False]))
    >>> scores.is_first_right(RANKING_ALONE).tolist(), scores.is_first_right(scores.mixing()).tolist()
    ([False, True], [True, True])
    """

    starts: NDArray[np.int64]
    shares: NDArray[np.floating]
    logits: NDArray[np.floating]
    is_right: NDArray[np.bool_]

    def is_first_right(self, mixing: Mixing) -> NDArray[np.bool_]:
        """Whether the best candidate of each mention is right; a mention without candidates is not."""
        totals = mixing.totals(self.shares, self.logits)
        numbers = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        order = np.lexsort((np.arange(len(totals)), -totals, numbers))
        has_some = np.diff(self.starts) > 0
        right = np.zeros(len(has_some), dtype=np.bool_)
        right[has_some] = self.is_right[order[self.starts[:-1][has_some]]]
        return right

    def mixing(self) -> Mixing:
        """The weights that make the right candidates likely, or one alone where that gets more of them right."""
        logs = np.log(np.maximum(self.shares, LEAST))
        examples = TrainingExamples(
            self.starts, np.stack([logs, self.logits], axis=1).astype(np.float32), self.is_right
        )
        weights = fit_weights([examples], PENALTY, is_positive=np.ones(2, dtype=np.bool_))
        both = Mixing(float(weights[0]), float(weights[1]))
        return max((both, RANKING_ALONE, RERANKER_ALONE), key=lambda each: int(self.is_first_right(each).sum()))
