"""What is known of a best candidate before anything is decided: its score and its lead, as numbers to weigh."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deixis.learners.log_odds import logit
from deixis.tables import Ranking

MIN_SCORE = 1e-4  # scores nearer to 0 or 1 than this are as good as there
MAX_LEAD = 6.0  # four hundred times the score of the second: more adds nothing


def score_evidence(ranking: Ranking) -> NDArray[np.float64]:
    """What is known of the best candidate of each span, [n, 2]: the logit of its score, and its lead.

    The lead is the logarithm of its score over the second's.

    Examples
    --------
    >>> score_evidence(Ranking(np.array([0, 2]), np.array([4, 7]), np.array([0.5, 0.5]))).tolist()
    [[0.0, 0.0]]
    >>> score_evidence(Ranking(np.array([0, 1]), np.array([4]), np.array([0.5]))).tolist()  # nothing in second place
    [[0.0, 6.0]]
    """
    best, second = ranking.best_scores(), ranking.best_scores(1)
    lead = np.log(np.maximum(best, MIN_SCORE**2)) - np.log(np.maximum(second, MIN_SCORE**2))
    return np.column_stack([logit(np.clip(best, MIN_SCORE, 1 - MIN_SCORE)), np.clip(lead, 0.0, MAX_LEAD)])
