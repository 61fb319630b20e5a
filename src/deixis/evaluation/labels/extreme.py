"""How well documents are given labels from a large set: precision, nDCG and recall at k, and what rare labels add.

The definitions are those of the Extreme Classification Repository (Bhatia et al., 2016) and its pyxclib; propensity
scored precision and nDCG are shares of the best that a ranking could have. One convention is our own: a document
without labels is left out and counted, where pyxclib counts it as a miss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, csr_matrix

from deixis.errors import ConfigError, DataError
from deixis.evaluation.labels.frequencies import PROPENSITY_A, PROPENSITY_B, LabelFrequencies
from deixis.evaluation.labels.rankings import TrueLabels, checked_ranking
from deixis.evaluation.statistics.bootstrap import N_DRAWS, Interval, quotient
from deixis.evaluation.statistics.metric import Metric
from deixis.evaluation.statistics.resampling import resampled_sums

AT = (1, 3, 5)


@dataclass(frozen=True)
class ExtremeConfig:
    """At which ks, with which propensities and how many bootstrap draws."""

    at: Sequence[int] = AT
    propensity_a: float = PROPENSITY_A
    propensity_b: float = PROPENSITY_B
    seed: int = 0
    n_draws: int = N_DRAWS

    def __post_init__(self) -> None:
        if not self.at or min(self.at) < 1:
            raise ConfigError(f"Each k must be at least 1, and there must be one, got {list(self.at)}.")


@dataclass(frozen=True)
class ExtremeResult:
    """Metrics over the documents that have labels; the others are only counted.

    `by_decile` has the same metrics as if a decile's labels were the only true ones, over the documents that have one
    of them. Precision can then not reach 1: other labels, right or not, stand in the ranking too.
    """

    metrics: list[Metric]
    by_decile: dict[int, list[Metric]] = field(default_factory=dict)
    n_documents: int = 0
    n_without_labels: int = 0


def extreme_metrics(
    docs_by_labels: csr_matrix | csr_array,
    ranked: ArrayLike,
    training: LabelFrequencies | None = None,
    config: ExtremeConfig | None = None,
) -> ExtremeResult:
    """Precision, nDCG and recall at each k, with propensity scores and deciles if the training data is known.

    `docs_by_labels` is the truth, stored zeros are no labels. `ranked` has one row of labels per document, best first,
    filled up with -1; each label once. Precision divides by k however few labels were ranked or are true.

    Examples
    --------
    >>> truth = csr_matrix([[1, 1, 0], [0, 0, 1]])
    >>> found = extreme_metrics(truth, np.array([[0, 2], [1, 2]]), config=ExtremeConfig(at=[1, 2]))
    >>> [(metric.name, round(metric.value, 3)) for metric in found.metrics[:4]]
    [('precision@1', 0.5), ('precision@2', 0.5), ('ndcg@1', 0.5), ('ndcg@2', 0.622)]
    """
    config = config or ExtremeConfig()
    if training is not None and len(training.counts) != docs_by_labels.shape[1]:
        raise DataError(f"The truth has {docs_by_labels.shape[1]} labels; the training data {len(training.counts)}.")
    ranked = checked_ranking(ranked, *docs_by_labels.shape)[:, : max(config.at)]
    weights = None if training is None else training.inverse_propensities(config.propensity_a, config.propensity_b)
    truth = TrueLabels.of(docs_by_labels, weights)
    metrics, n = _metrics(truth, ranked, weights, config)
    by_decile: dict[int, list[Metric]] = {}
    if training is not None:
        deciles = training.deciles()
        for decile in np.unique(deciles[truth.labels]).tolist():
            by_decile[decile], _ = _metrics(truth.only(deciles == decile), ranked, weights, config)
    return ExtremeResult(metrics, by_decile, len(ranked), len(ranked) - n)


def _metrics(
    truth: TrueLabels, ranked: NDArray[np.int64], weights: NDArray[np.float64] | None, config: ExtremeConfig
) -> tuple[list[Metric], int]:
    n_true = np.bincount(truth.documents, minlength=truth.n_documents)
    has_labels = n_true > 0
    pairs = _quotients(truth, ranked, n_true, weights, config.at)
    above = np.column_stack([pair[0] for pair in pairs.values()])[has_labels]
    below = np.column_stack([pair[1] for pair in pairs.values()])[has_labels]
    values = np.nan_to_num(quotient(above.sum(axis=0), below.sum(axis=0)))
    drawn = resampled_sums(np.hstack([above, below]), config.seed, config.n_draws)
    draws = quotient(drawn[:, : len(pairs)], drawn[:, len(pairs) :])
    n = int(has_labels.sum())
    return [
        Metric(name, float(value), Interval.of(column), n)
        for name, value, column in zip(pairs, values, draws.T, strict=True)
    ], n


def _quotients(
    truth: TrueLabels,
    ranked: NDArray[np.int64],
    n_true: NDArray[np.int64],
    weights: NDArray[np.float64] | None,
    at: Sequence[int],
) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """For each metric, what each document adds above and below its fraction bar."""
    ones, most = np.ones(len(ranked)), max(at)
    ranked = np.pad(ranked, ((0, 0), (0, most - ranked.shape[1])), constant_values=-1)
    hits = truth.holds(ranked).astype(np.float64)
    discounts = 1.0 / np.log2(np.arange(most) + 2)
    n_hits, gains = np.cumsum(hits, axis=1), np.cumsum(hits * discounts, axis=1)
    ideals = np.cumsum(discounts)[np.clip(np.minimum(n_true[:, None], np.arange(most) + 1), 1, most) - 1]
    name_to_quotient = {f"precision@{k}": (n_hits[:, k - 1] / k, ones) for k in at}
    name_to_quotient |= {f"ndcg@{k}": (gains[:, k - 1] / ideals[:, k - 1], ones) for k in at}
    name_to_quotient |= {f"recall@{k}": (n_hits[:, k - 1] / np.maximum(n_true, 1), ones) for k in at}
    if weights is not None:
        scored, best = hits * np.append(weights, 0.0)[ranked], truth.best_weights(weights, most)
        name_to_quotient |= {f"psp@{k}": (scored[:, :k].sum(axis=1) / k, best[:, :k].sum(axis=1) / k) for k in at}
        gains, best_gains = np.cumsum(scored * discounts, axis=1), np.cumsum(best * discounts, axis=1)
        name_to_quotient |= {
            f"psndcg@{k}": (gains[:, k - 1] / ideals[:, k - 1], best_gains[:, k - 1] / ideals[:, k - 1]) for k in at
        }
    return name_to_quotient
