"""How the scores of the ranking and of a re-ranker are combined, learned from held-out mentions.

The logarithm of the share that the ranking gives a candidate and the logit of the re-ranker are weighed and summed.
The re-ranker counts only if held-out mentions gain beyond noise: more become right than become wrong, by more than the
square root of all that change, the standard deviation if both were as likely. Otherwise the ranking is used alone:
a re-ranker must not make anything worse.
"""

from __future__ import annotations

import math
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

    Mentions that the re-ranker does not read have logits of 0, and keep the order of the ranking.

    Examples
    --------
    >>> shares, logits = np.array([0.6, 0.4, 0.7, 0.3, 0.9, 0.1]), np.array([-1.0, 1.0, -1.0, 0.5, 0.1, 0.0])
    >>> is_right = np.array([False, True, False, True, True, False])
    >>> scores = RerankerScores(np.array([0, 2, 4, 6]), shares, logits, is_right)
    >>> scores.is_first_right(RANKING_ALONE).tolist(), scores.is_first_right(scores.mixing()).tolist()
    ([False, False, True], [True, True, True])
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
        """The fitted weights, or the ranking alone where these mentions do not gain by them beyond noise."""
        fitted = self.fitted()
        return fitted if self.gains(fitted) else RANKING_ALONE

    def fitted(self) -> Mixing:
        """The weights that make the right candidates likely, or the re-ranker alone if that gets more of them right."""
        numbers = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        is_used = np.isin(numbers, numbers[self.logits != 0])  # those of mentions that the re-ranker has read
        starts = np.searchsorted(numbers[is_used], np.arange(len(self.starts)))
        logs = np.log(np.maximum(self.shares[is_used], LEAST))
        features = np.stack([logs, self.logits[is_used]], axis=1).astype(np.float32)
        examples = TrainingExamples(starts, features, self.is_right[is_used])
        weights = fit_weights([examples], PENALTY, is_positive=np.ones(2, dtype=np.bool_))
        both = Mixing(float(weights[0]), float(weights[1]))
        return max((both, RERANKER_ALONE), key=lambda each: int(self.is_first_right(each).sum()))

    def gains(self, mixing: Mixing) -> bool:
        """Whether a mixing gets more mentions right than the ranking alone, and that by more than noise would."""
        before, after = self.is_first_right(RANKING_ALONE), self.is_first_right(mixing)
        n_gained, n_changed = int(after.sum()) - int(before.sum()), int((after != before).sum())
        return n_gained > math.sqrt(n_changed)
