"""What came out of training: a model, and how it did on mentions that it had not seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deixis.evaluation.statistics.bootstrap import share_interval
from deixis.evaluation.statistics.metric import Metric
from deixis.linking.model import LinkerModel


@dataclass(frozen=True, eq=False)
class TrainingResult:
    """The model, and its accuracies on held-out mentions of known entities.

    The first of the `accuracies` is that of the model before. `mentions_per_second` is the cost of reranking.
    `recalls` are those of a trained encoder alone among its ten nearest: as it came, and after each round. `f1s` are
    those from text to links without and with a reader, and `characters_per_second` what reading costs.
    """

    model: LinkerModel
    accuracies: tuple[Metric, ...]
    n_train: int
    mentions_per_second: float | None = None
    recalls: tuple[Metric, ...] = ()
    f1s: tuple[Metric, ...] = ()
    characters_per_second: float | None = None


def accuracy(name: str, is_right: NDArray[np.bool_], documents: NDArray[np.integer]) -> Metric:
    """The accuracy of mentions, with an interval over their documents.

    Examples
    --------
    >>> accuracy("fused", np.array([True, True, False, True]), np.array([0, 0, 1, 2])).value
    0.75
    """
    _, numbers = np.unique(documents, return_inverse=True)
    hits, totals = np.bincount(numbers, weights=is_right), np.bincount(numbers)
    return Metric(name, float(is_right.mean()) if len(is_right) else 0.0, share_interval(hits, totals), len(is_right))
