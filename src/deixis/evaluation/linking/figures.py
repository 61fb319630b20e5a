"""What each document adds to each figure, and the figures as functions of the sums.

Precision, recall and F1 follow GERBIL (Röder, Usbeck, Ngonga Ngomo, "GERBIL - Benchmarking Named Entity Recognition and
Linking Consistently", Semantic Web 9(5), 2018, and its `FMeasureCalculator`): nothing to find and nothing found is 1,
and nothing right is 0 for all three, whichever of gold and predictions is empty.

The figures of entity linking: which there are, and which sums over documents they are made of.

Each is defined in docs/reference/metrics.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deixis.evaluation.statistics.bootstrap import N_DRAWS, Interval, Statistic, quotient
from deixis.evaluation.statistics.metric import Metric
from deixis.evaluation.statistics.resampling import Sums, resampled_sums

Array = NDArray[np.float64]
Columns = Mapping[str, Array]
"""The name of a sum -> its values: one per document, or one per draw of documents."""


@dataclass(frozen=True)
class Figure:
    """A figure: its name, its value as a function of sums, and the sum that counts the things it is about."""

    name: str
    value: Callable[[Columns], Array]
    n: str

    def over(self, names: Sequence[str]) -> Statistic:
        """The figure as a function of a matrix whose columns have these names."""
        positions = {name: position for position, name in enumerate(names)}

        def statistic(sums: Sums) -> Array:
            return self.value({name: sums[:, position] for name, position in positions.items()})

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

    def nth(position: int) -> Callable[[Columns], Array]:
        return lambda columns: precision_recall_f1(columns[right], columns[predicted], columns[gold])[position]

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
    pairs: list[tuple[Metric, Array]] = []
    for figure in figures:
        statistic = figure.over(names)
        value = float(statistic(totals)[0])
        if not np.isnan(value):
            n = int(totals[0, names.index(figure.n)])
            values = statistic(draws)
            pairs.append((Metric(figure.name, value, Interval.of(values), n), values))
    return pairs


RECALL_AT = (1, 5, 10, 20, 100)


def document_columns(counts: Columns) -> dict[str, Array]:
    """The counts of each document, its own precision, recall and F1, and a 1 to count it by."""
    columns = dict(counts)
    columns["n_documents"] = np.ones(len(counts["n_links"]))
    columns["n_all_right"] = counts["n_right"] + counts["n_rightly_nil"]
    for right, suffix in (("n_right", ""), ("n_right_weak", "_weak")):
        columns |= per_document("inkb_macro", counts[right], counts["n_links"], counts["n_in_kb"], suffix)
    return columns


def rank_columns(
    documents: NDArray[np.int64], ranks: NDArray[np.int64], n_documents: int, at: Sequence[int]
) -> dict[str, Array]:
    """Per document, how many in-KB mentions have the right entity within each k, and the sum of their 1 / rank.

    Takes the document and the rank of each mention; a rank of 0 says that no candidate was right.

    Examples
    --------
    >>> rank_columns(np.array([0, 0, 1]), np.array([1, 4, 0]), 2, at=[1, 5])["found@5"]
    array([2., 0.])
    """
    has_rank = ranks > 0
    documents, ranks = documents[has_rank], ranks[has_rank]
    columns = {f"found@{k}": summed(documents, ranks <= k, n_documents) for k in at}
    columns["reciprocal_ranks"] = summed(documents, 1.0 / ranks, n_documents)
    return columns


def summed(documents: NDArray[np.int64], values: NDArray[np.generic], n_documents: int) -> Array:
    """The sum of the values in each document."""
    sums: Array = np.bincount(documents, weights=values.astype(np.float64), minlength=n_documents).astype(np.float64)
    return sums


def retrieval_figures(at: Sequence[int]) -> list[Figure]:
    """Recall at each k, the mean reciprocal rank and the accuracy, over gold mentions in the knowledge base."""
    figures = [share(f"recall@{k}", f"found@{k}", "n_in_kb") for k in at]
    return [*figures, share("mrr", "reciprocal_ranks", "n_in_kb"), share("accuracy", "n_right", "n_in_kb")]


def linking_figures(at: Sequence[int]) -> list[Figure]:
    """All figures of a corpus, in the order of a report."""
    figures = retrieval_figures(at)
    figures.append(share("accuracy_with_nil", "n_all_right", "n_spans"))
    figures.append(share("upper_bound", "n_in_kb", "n_linked_gold"))
    for right, suffix in (("n_right", ""), ("n_right_weak", "_weak")):
        figures += micro("inkb_micro", right, "n_links", "n_in_kb", suffix)
        figures += [
            share(f"inkb_macro_{name}{suffix}", f"inkb_macro_{name}{suffix}", "n_documents")
            for name in ("precision", "recall", "f1")
        ]
    figures += micro("gsinkb_micro", "n_right", "n_links_on_in_kb", "n_in_kb")
    figures += micro("span", "n_same_span", "n_predicted_spans", "n_spans")
    figures += micro("span", "n_overlapping_span", "n_predicted_spans", "n_spans", "_weak")
    figures += micro("nil", "n_rightly_nil", "n_nil_answers", "n_nil")
    figures.append(share("kilt_accuracy", "n_right", "n_linked_gold"))
    figures.append(share("kilt_rprecision", "n_first_right", "n_linked_gold"))
    figures.append(share("kilt_recall@5", "n_pages_found", "n_linked_gold"))
    return figures


def averaged_figures(at: Sequence[int]) -> list[Figure]:
    """The figures that are averaged over languages."""
    return [*retrieval_figures(at), *micro("inkb_micro", "n_right", "n_links", "n_in_kb")]


def macro_over_languages(
    language_to_columns: Mapping[str, Columns], figures: Sequence[Figure], seed: int, n_draws: int = N_DRAWS
) -> list[Metric]:
    """The unweighted mean over languages of each figure, named `lang_macro_...`; `n` is the number of languages.

    Documents are drawn anew within each language. A language in which a figure is about nothing does not count in it.
    """
    values: dict[str, list[float]] = {}
    draws: dict[str, list[Array]] = {}
    for number, language in enumerate(sorted(language_to_columns)):
        for metric, drawn in measured_draws(language_to_columns[language], figures, seed + number, n_draws):
            values.setdefault(metric.name, []).append(metric.value)
            draws.setdefault(metric.name, []).append(drawn)
    return [
        Metric(
            f"lang_macro_{name}",
            float(np.mean(by_language)),
            Interval.of(np.mean(draws[name], axis=0)),
            len(by_language),
        )
        for name, by_language in values.items()
    ]
