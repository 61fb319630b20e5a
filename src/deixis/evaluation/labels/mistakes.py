"""Examples of documents whose labels were not all found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, csr_matrix

from deixis.evaluation.labels.rankings import TrueLabels, checked_ranking


@dataclass(frozen=True, slots=True)
class LabelMistake:
    """A document by its row, with the numbers of its labels that were found, of those missed, and of wrong ones.

    `found` and `wrong` stand in the order in which they were ranked.
    """

    document: int
    found: Sequence[int]
    missed: Sequence[int]
    wrong: Sequence[int]


def label_mistakes(
    docs_by_labels: csr_matrix | csr_array, ranked: ArrayLike, n: int, seed: int = 0
) -> list[LabelMistake]:
    """Up to `n` of the documents that have a label which was not ranked, drawn evenly, in their order.

    `ranked` has one row of labels per document, best first, filled up with -1.

    Examples
    --------
    >>> label_mistakes(csr_matrix([[1, 1, 0], [0, 0, 1]]), np.array([[0, 2], [2, 1]]), n=5)
    [LabelMistake(document=0, found=[0], missed=[1], wrong=[2])]
    """
    labels = checked_ranking(ranked, *docs_by_labels.shape)
    truth = TrueLabels.of(docs_by_labels, None)
    is_true = truth.holds(labels)
    n_true = np.bincount(truth.documents, minlength=truth.n_documents)
    candidates = np.flatnonzero(is_true.sum(axis=1) < n_true)
    chosen = np.random.default_rng(seed).permutation(candidates)[:n]
    mistakes = []
    for document in np.sort(chosen).tolist():
        row, right = labels[document], is_true[document]
        own = truth.labels[truth.documents == document]
        missed = np.setdiff1d(own, row).tolist()
        mistakes.append(LabelMistake(document, row[right].tolist(), missed, row[~right & (row >= 0)].tolist()))
    return mistakes
