"""Labelled documents, to train and evaluate extreme classification. Labels are rows of a vocabulary."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.errors import DataError
from deixis.store.strings import StringTable


@dataclass(frozen=True, eq=False)
class LabelledTexts:
    """Texts, each with its id and its labels; column `j` of `docs_by_labels` is entity `j` of the vocabulary.

    Examples
    --------
    >>> docs_by_labels = sparse.csr_matrix([[1, 0], [1, 1]], dtype=np.float32)
    >>> ids, texts = StringTable.from_strings(["a", "b"]), StringTable.from_strings(["one", "two"])
    >>> documents = LabelledTexts(ids, texts, docs_by_labels)
    >>> len(documents), list(documents.take([1]).texts)
    (2, ['two'])
    """

    ids: StringTable
    texts: StringTable
    docs_by_labels: sparse.csr_matrix

    def __post_init__(self) -> None:
        if not len(self.ids) == len(self.texts) == self.docs_by_labels.shape[0]:
            raise DataError(
                f"Each document needs an id, a text and a row of labels; got {len(self.ids)} ids, "
                f"{len(self.texts)} texts and {self.docs_by_labels.shape[0]} rows."
            )

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, rows: NDArray[np.integer] | list[int]) -> LabelledTexts:
        """Only these documents, in this order."""
        return LabelledTexts(self.ids.take(rows), self.texts.take(rows), self.docs_by_labels[rows])


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Rows of features made elsewhere, and their labels.

    Examples
    --------
    >>> rows = LabelledRows(sparse.csr_matrix([[0.5], [0.1]]), sparse.csr_matrix([[1, 0], [1, 1]]))
    >>> len(rows)
    2
    """

    docs_by_features: sparse.csr_matrix
    docs_by_labels: sparse.csr_matrix

    def __post_init__(self) -> None:
        if self.docs_by_features.shape[0] != self.docs_by_labels.shape[0]:
            raise DataError(
                f"There are {self.docs_by_features.shape[0]} rows of features and "
                f"{self.docs_by_labels.shape[0]} rows of labels; they must be as many."
            )

    def __len__(self) -> int:
        return int(self.docs_by_features.shape[0])

    def take(self, rows: NDArray[np.integer] | list[int]) -> LabelledRows:
        """Only these documents, in this order."""
        return LabelledRows(self.docs_by_features[rows], self.docs_by_labels[rows])
