"""How far a share could have come out otherwise: percentile bootstrap over documents (Efron, 1979).

Mentions of one text stand or fall together, so whole documents are drawn, not mentions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

N_DRAWS = 1000
_CHUNK = 1 << 22  # draws x documents held at once


@dataclass(frozen=True, slots=True)
class Interval:
    """A range that holds the middle 95 % of what other draws of documents would have given."""

    low: float
    high: float


def share_interval(hits: ArrayLike, totals: ArrayLike, seed: int = 0, n_draws: int = N_DRAWS) -> Interval:
    """The interval of sum(hits) / sum(totals), both given per document.

    Examples
    --------
    >>> share_interval([1, 1, 1], [1, 1, 1])
    Interval(low=1.0, high=1.0)
    >>> share_interval([1, 0] * 50, [1, 1] * 50).low > 0.3
    True
    """
    hits, totals = np.asarray(hits, dtype=np.float64), np.asarray(totals, dtype=np.float64)
    n_documents = len(totals)
    if n_documents == 0 or totals.sum() == 0:
        return Interval(0.0, 0.0)
    random = np.random.default_rng(seed)
    evenly = np.full(n_documents, 1.0 / n_documents)
    shares: list[np.ndarray] = []
    rows = max(1, _CHUNK // n_documents)
    for begin in range(0, n_draws, rows):
        times_drawn = random.multinomial(n_documents, evenly, size=min(rows, n_draws - begin))
        n_drawn = times_drawn @ totals
        shares.append((times_drawn @ hits)[n_drawn > 0] / n_drawn[n_drawn > 0])
    low, high = np.percentile(np.concatenate(shares), [2.5, 97.5])
    return Interval(float(low), float(high))
