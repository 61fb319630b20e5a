"""The figures of entity linking: which there are, and which sums over documents they are made of.

Each is defined in docs/reference/metrics.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from deixis.evaluation.bootstrap import N_DRAWS, Interval
from deixis.evaluation.document_sums import Array, Columns, Figure, measured_draws, micro, per_document, share
from deixis.evaluation.metric import Metric

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
    is_found = ranks > 0
    documents, ranks = documents[is_found], ranks[is_found]
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
    for place, language in enumerate(sorted(language_to_columns)):
        for metric, drawn in measured_draws(language_to_columns[language], figures, seed + place, n_draws):
            values.setdefault(metric.name, []).append(metric.value)
            draws.setdefault(metric.name, []).append(drawn)
    return [
        Metric(f"lang_macro_{name}", float(np.mean(found)), Interval.of(np.mean(draws[name], axis=0)), len(found))
        for name, found in values.items()
    ]
