"""What each document adds to each figure, and the figures as functions of the sums.

Precision, recall and F1 follow GERBIL (Röder, Usbeck, Ngonga Ngomo, "GERBIL - Benchmarking Named Entity Recognition and
Linking Consistently", Semantic Web 9(5), 2018, and its `FMeasureCalculator`): nothing to find and nothing found is 1,
and nothing right is 0 for all three, whichever of gold and predictions is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deixis.evaluation.bootstrap import N_DRAWS, Interval, Statistic, quotient
from deixis.evaluation.metric import Metric
from deixis.evaluation.resampling import Sums, resampled_sums

Array = NDArray[np.float64]
Columns = Mapping[str, Array]
"""The name of a sum -> its values: one per document, or one per draw of documents."""


@dataclass(frozen=True)
class Figure:
    """A figure: its name, its value as a function of sums, and the sum that says of how many things it tells."""

    name: str
    value: Callable[[Columns], Array]
    n: str

    def over(self, names: Sequence[str]) -> Statistic:
        """The figure as a function of a matrix whose columns have these names."""
        places = {name: place for place, name in enumerate(names)}

        def statistic(sums: Sums) -> Array:
            return self.value({name: sums[:, place] for name, place in places.items()})

        return statistic


def precision_recall_f1(right: Array, predicted: Array, gold: Array) -> tuple[Array, Array, Array]:
    """All three by GERBIL's conventions, NaN where there is neither gold nor prediction.

    Examples
    --------
    >>> right, predicted, gold = (np.array(counts, dtype=float) for counts in ([2, 0, 0], [4, 3, 0], [2, 0, 5]))
    >>> [values.round(3).tolist() for values in precision_recall_f1(right, predicted, gold)]
    [[0.5, 0.0, 0.0], [1.0, 0.0, 0.0], [0.667, 0.0, 0.0]]
    """
    nothing = np.where(predicted + gold > 0, 0.0, np.nan)
    precision, recall, f1 = quotient(right, predicted), quotient(right, gold), quotient(2 * right, predicted + gold)
    return tuple(np.where(right > 0, values, nothing) for values in (precision, recall, f1))  # type: ignore[return-value]


def share(name: str, part: str, whole: str) -> Figure:
    """The figure sum(part) / sum(whole)."""
    return Figure(name, lambda columns: quotient(columns[part], columns[whole]), whole)


def micro(prefix: str, right: str, predicted: str, gold: str, suffix: str = "") -> list[Figure]:
    """Precision, recall and F1 over all mentions of all documents."""

    def nth(place: int) -> Callable[[Columns], Array]:
        return lambda columns: precision_recall_f1(columns[right], columns[predicted], columns[gold])[place]

    return [
        Figure(f"{prefix}_precision{suffix}", nth(0), predicted),
        Figure(f"{prefix}_recall{suffix}", nth(1), gold),
        Figure(f"{prefix}_f1{suffix}", nth(2), gold),
    ]


def per_document(prefix: str, right: Array, predicted: Array, gold: Array, suffix: str = "") -> dict[str, Array]:
    """Columns with the precision, recall and F1 of each document; an empty one that was left empty has 1."""
    values = precision_recall_f1(right, predicted, gold)
    names = (f"{prefix}_precision{suffix}", f"{prefix}_recall{suffix}", f"{prefix}_f1{suffix}")
    return {name: np.nan_to_num(value, nan=1.0) for name, value in zip(names, values, strict=True)}


def measured(columns: Columns, figures: Sequence[Figure], seed: int, n_draws: int = N_DRAWS) -> list[Metric]:
    """The figures with their intervals, all from one drawing of documents; figures about nothing are left out.

    Examples
    --------
    >>> columns = {"right": np.array([1.0, 1.0]), "gold": np.array([2.0, 2.0])}
    >>> measured(columns, [share("accuracy", "right", "gold")], seed=0)
    [Metric(name='accuracy', value=0.5, interval=Interval(low=0.5, high=0.5), n=4)]
    """
    return [metric for metric, _ in measured_draws(columns, figures, seed, n_draws)]


def measured_draws(
    columns: Columns, figures: Sequence[Figure], seed: int, n_draws: int = N_DRAWS
) -> list[tuple[Metric, Array]]:
    """The same, each with its value in every draw."""
    names = list(columns)
    matrix = np.column_stack([columns[name] for name in names])
    totals = matrix.sum(axis=0, keepdims=True)
    draws = resampled_sums(matrix, seed, n_draws)
    found: list[tuple[Metric, Array]] = []
    for figure in figures:
        statistic = figure.over(names)
        value = float(statistic(totals)[0])
        if not np.isnan(value):
            n = int(totals[0, names.index(figure.n)])
            values = statistic(draws)
            found.append((Metric(figure.name, value, Interval.of(values), n), values))
    return found
