"""Log odds to probabilities and back: those of `scipy.special`, without the time that its import takes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deixis.native import _core


def expit(log_odds: ArrayLike) -> NDArray[np.float64]:
    """The probabilities that have these log odds: 1 / (1 + exp(-x)).

    Examples
    --------
    >>> expit([-np.inf, 0.0, np.inf]).tolist()
    [0.0, 0.5, 1.0]
    """
    values = np.asarray(log_odds, dtype=np.float64)
    probabilities: NDArray[np.float64] = _core.expit(values.ravel()).reshape(values.shape)
    return probabilities


def logit(probabilities: ArrayLike) -> NDArray[np.float64]:
    """The log odds of probabilities: ln(p / (1 - p)).

    Examples
    --------
    >>> logit([0.0, 0.5, 1.0]).tolist()
    [-inf, 0.0, inf]
    """
    values = np.asarray(probabilities, dtype=np.float64)
    log_odds: NDArray[np.float64] = _core.logit(values.ravel()).reshape(values.shape)
    return log_odds
