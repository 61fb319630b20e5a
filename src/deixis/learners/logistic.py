"""Logistic regression with a penalty on the distance from the start weights. Same data, same bytes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deixis.learners.log_odds import expit

MAX_ROUNDS = 200
BLOCK = 8192  # rows summed together: they stay in a near cache


def fit_logistic(
    features: NDArray[np.float32],
    is_right: NDArray[np.bool_],
    penalty: float = 1.0,
    start: NDArray[np.float64] | None = None,
    is_positive: NDArray[np.bool_] | None = None,
    counts: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """One weight per column. `penalty` is what a step away from `start` (else from 0) costs, in examples.

    Columns that are `is_positive` have a weight of at least 0. `counts` says how many examples each row counts for.

    Examples
    --------
    >>> features = np.array([[1, 0], [1, 1], [1, 2], [1, 3]] * 5, dtype=np.float32)
    >>> weights = fit_logistic(features, np.array([False, False, True, True] * 5), penalty=0.1)
    >>> (weighed(features[:4], weights) > 0).tolist()
    [False, False, True, True]
    """
    n_features = features.shape[1]
    origin = np.zeros(n_features) if start is None else np.asarray(start, dtype=np.float64)
    scales = np.maximum(features.std(axis=0).astype(np.float64), 1e-3) if len(features) else np.ones(n_features)
    scales[scales <= 1e-3] = 1.0
    scaled = features / scales.astype(np.float32)
    right = is_right.astype(np.float64)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        away = weights - origin * scales
        total, slope = penalty / 2 * float((away**2).sum()), penalty * away
        for begin in range(0, len(scaled), BLOCK):
            rows, verdicts = scaled[begin : begin + BLOCK], right[begin : begin + BLOCK]
            n_each = 1.0 if counts is None else counts[begin : begin + BLOCK]
            sums = np.einsum("rf,f->r", rows, weights)
            total += float((n_each * (np.logaddexp(0.0, sums) - verdicts * sums)).sum())
            slope = slope + np.einsum("rf,r->f", rows, n_each * (expit(sums) - verdicts))
        return total, slope

    from scipy.optimize import minimize  # only who fits waits for this import

    bounds = None if is_positive is None else [(0 if one else None, None) for one in is_positive.tolist()]
    optimum = minimize(
        loss, origin * scales, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": MAX_ROUNDS}
    )
    weights: NDArray[np.float64] = optimum.x / scales
    return weights


def weighed(features: NDArray[np.float32], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of each row's features times their weights: the same whatever rows stand beside it."""
    sums: NDArray[np.float64] = np.einsum("rf,f->r", features, weights)
    return sums
