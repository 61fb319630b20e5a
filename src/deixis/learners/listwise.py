"""Listwise learning of feature weights, from mentions whose entity is known.

The weights maximize the likelihood of the right candidates under a softmax over each mention's candidates, with a
penalty on large weights. Same data, same weights: sums are taken in a fixed order, not by a matrix product, whose last
digits depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deixis.errors import DataError

MAX_ROUNDS = 200
BLOCK = 16_384  # candidates summed together: their features stay in a near cache


@dataclass(frozen=True, eq=False)
class TrainingExamples:
    """Candidates of mentions: mention `i` has the feature rows `starts[i]:starts[i + 1]`, some of which are right.

    `names` are those of the features, where they have any; `offsets` are log odds of candidates besides their features.
    """

    starts: NDArray[np.int64]
    features: NDArray[np.float32]
    is_right: NDArray[np.bool_]
    names: tuple[str, ...] = ()
    offsets: NDArray[np.float64] | None = None

    def column(self, name: str) -> NDArray[np.float32]:
        """The numbers of one feature."""
        return self.features[:, self.names.index(name)]

    @staticmethod
    def joined(parts: Sequence[TrainingExamples]) -> TrainingExamples:
        """The mentions of all parts, in order."""
        if not parts:
            raise DataError("There are no mentions to learn from.")
        if len({part.names for part in parts}) > 1:
            raise DataError("Examples to join must have the same features in the same order.")
        ends = np.cumsum([0, *(len(part.is_right) for part in parts)])
        starts = [part.starts[:-1] + end for part, end in zip(parts, ends, strict=False)]
        return TrainingExamples(
            np.concatenate([*starts, ends[-1:]]),
            np.concatenate([part.features for part in parts]),
            np.concatenate([part.is_right for part in parts]),
            parts[0].names,
            np.concatenate([part.all_offsets for part in parts]),
        )

    @property
    def all_offsets(self) -> NDArray[np.float64]:
        """The log odds of each candidate besides its features, 0 if there are none."""
        return np.zeros(len(self.is_right)) if self.offsets is None else self.offsets

    def usable(self) -> TrainingExamples:
        """Only the mentions that have a right candidate: nothing can be learned from the others."""
        lengths = np.diff(self.starts)
        numbers = np.repeat(np.arange(len(lengths)), lengths)
        return self.take(np.bincount(numbers, weights=self.is_right, minlength=len(lengths)) > 0)

    def take(self, is_chosen: NDArray[np.bool_]) -> TrainingExamples:
        """Only these mentions."""
        lengths = np.diff(self.starts)
        is_used = np.repeat(is_chosen, lengths)
        starts = np.concatenate([[0], np.cumsum(lengths[is_chosen])])
        offsets = self.all_offsets[is_used]
        return TrainingExamples(starts, self.features[is_used], self.is_right[is_used], self.names, offsets)


def fit_weights(
    examples: Sequence[TrainingExamples],
    penalty: float = 1e-3,
    start: NDArray[np.float64] | None = None,
    importance: Sequence[float] | None = None,
    is_positive: NDArray[np.bool_] | None = None,
    min_scales: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """One weight per feature; every part of `examples` counts as its `importance`, or as the others, whatever its size.

    With `start`, weights far from those cost, not large ones: a few mentions then change little. Features that are
    `is_positive` have a weight of at least 0. A feature is scaled by its deviation among these candidates, but by its
    `min_scales` at least: one that hardly varies here would leave its weight at no cost.

    Examples
    --------
    >>> features = np.array([[1.0, 0.5], [0.0, 0.5], [0.9, 0.1], [0.2, 0.1]], dtype=np.float32)
    >>> examples = TrainingExamples(np.array([0, 2, 4]), features, np.array([True, False, True, False]))
    >>> (fit_weights([examples]) > 1).tolist()
    [True, False]
    """
    importances = np.ones(len(examples)) if importance is None else np.asarray(importance, dtype=np.float64)
    usable = zip([each.usable() for each in examples], importances, strict=True)
    known = [(part, weight) for part, weight in usable if len(part.is_right)]
    total_weight = sum(weight for _, weight in known)
    n_features = examples[0].features.shape[1]
    if not known:
        return np.zeros(n_features) if start is None else start
    scales = np.concatenate([part.features for part, _ in known]).std(axis=0).astype(np.float64)
    if min_scales is not None:
        scales = np.maximum(scales, min_scales)
    is_used = scales > 1e-6
    scales[~is_used] = 1.0
    prepared = [(each, _columns(each.features, scales), weight / total_weight) for each, weight in known]
    origin = np.zeros(n_features) if start is None else start * scales

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        away = weights - origin
        total, slope = penalty * float(away @ away), 2 * penalty * away
        for part, columns, weight in prepared:
            cost, gradient = _likelihood(part, columns, weights)
            total += weight * cost
            slope += weight * gradient
        return total, slope

    from scipy.optimize import minimize  # only who fits waits for this import

    bounds = None if is_positive is None else [(0 if positive else None, None) for positive in is_positive.tolist()]
    optimum = minimize(loss, origin, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": MAX_ROUNDS})
    weights: NDArray[np.float64] = np.where(is_used, optimum.x, origin) / scales
    return weights


def _columns(features: NDArray[np.float32], scales: NDArray[np.float64]) -> NDArray[np.float32]:
    """features_by_candidates, each feature divided by its scale."""
    columns = np.ascontiguousarray(features.T)
    columns /= scales[:, None].astype(np.float32)
    return columns


def _likelihood(
    examples: TrainingExamples, columns: NDArray[np.float32], weights: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """The mean negative log likelihood of the right candidates, and its gradient."""
    starts, is_right = examples.starts, examples.is_right
    lengths = np.diff(starts)
    blocks = [slice(begin, begin + BLOCK) for begin in range(0, len(is_right), BLOCK)]
    factors = weights.astype(np.float32)[:, None]
    totals = np.concatenate([(columns[:, block] * factors).sum(axis=0) for block in blocks]).astype(np.float64)
    totals += examples.all_offsets
    totals -= np.repeat(np.maximum.reduceat(totals, starts[:-1]), lengths)
    parts = np.exp(totals)
    right = np.where(is_right, parts, 0.0)
    all_sums = np.add.reduceat(parts, starts[:-1])
    right_sums = np.maximum(np.add.reduceat(right, starts[:-1]), 1e-300)
    pull = (parts / np.repeat(all_sums, lengths) - right / np.repeat(right_sums, lengths)).astype(np.float32)
    slope = np.zeros(len(weights))
    for block in blocks:
        slope += (columns[:, block] * pull[block]).sum(axis=1)
    return float(np.log(all_sums / right_sums).mean()), slope / len(lengths)
