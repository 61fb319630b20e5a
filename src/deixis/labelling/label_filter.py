"""Labels that a document must not get: its own, where inputs are items like the labels, or those of a file of pairs.

Sets of short texts, whose inputs are products or pages as the labels are, come with such pairs
(`filter_labels_test.txt` of the Extreme Classification repository): they are neither predicted nor counted as true.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from scipy import sparse

from deixis.errors import DataError
from deixis.features.name_set import folded
from deixis.labelling.corpus.documents import LabelledTexts
from deixis.store.files import open_byte_lines
from deixis.store.strings import StringTable


class OwnLabels:
    """Finds the labels whose title is the text of a document, up to case and spacing.

    Examples
    --------
    >>> own = OwnLabels(["Cats", "Ships", "cats"])
    >>> own.of(["CATS", "cats and ships"]).toarray().tolist()
    [[1.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """

    def __init__(self, titles: Iterable[str] | StringTable) -> None:
        self._title_to_labels: dict[str, list[int]] = defaultdict(list)
        self.n_labels = 0
        for title in titles:
            self._title_to_labels[folded(title)].append(self.n_labels)
            self.n_labels += 1

    def of(self, texts: Iterable[str] | StringTable) -> sparse.csr_matrix:
        """docs_by_labels: 1 for every label that is called as the text is."""
        labels = [self._title_to_labels.get(folded(text), []) for text in texts]
        indptr = np.concatenate([[0], np.cumsum([len(row) for row in labels], dtype=np.int64)])
        indices = np.array([label for row in labels for label in row], dtype=np.int32)
        ones = np.ones(len(indices), dtype=np.float32)
        return sparse.csr_matrix((ones, indices, indptr), shape=(len(labels), self.n_labels))


def named_fraction(documents: LabelledTexts, titles: Iterable[str] | StringTable) -> float:
    """How many of the documents are called as a label is that they do not have, as a fraction: inputs are labels, too.

    Examples
    --------
    >>> ids, texts = StringTable.from_strings("ab"), StringTable.from_strings(["Cats", "Ships"])
    >>> named_fraction(LabelledTexts(ids, texts, sparse.csr_matrix([[0, 1], [0, 1]])), ["Cats", "Ships"])
    0.5
    """
    own = OwnLabels(titles).of(documents.texts)
    n_own, n_true = (np.diff(each.tocsr().indptr) for each in (own, own.multiply(documents.docs_by_labels)))
    return float(np.mean((n_own > 0) & (n_true == 0))) if len(documents) else 0.0


def without_filtered(docs_by_labels: sparse.csr_matrix, filtered: sparse.csr_matrix) -> sparse.csr_matrix:
    """The labels of documents without those that are filtered, which count as true nowhere.

    Examples
    --------
    >>> without_filtered(sparse.csr_matrix([[1, 1]]), sparse.csr_matrix([[0, 1]])).toarray().tolist()
    [[1, 0]]
    """
    left = sparse.csr_matrix(docs_by_labels - docs_by_labels.multiply(filtered > 0))
    left.eliminate_zeros()
    return left


def read_label_filter(path: str | os.PathLike[str], n_labels: int, n_documents: int | None = None) -> sparse.csr_matrix:
    r"""docs_by_labels: the pairs of a file with a document's row and a label's row in each line, counted from 0.

    Without `n_documents` there are as many rows as the pairs need. An empty file has no pairs.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "filter_labels_test.txt"
    >>> _ = path.write_text("0 2\n1 0\n")
    >>> read_label_filter(path, n_labels=3).toarray().tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    rows: list[int] = []
    labels: list[int] = []
    for line, text in open_byte_lines(path):
        words = text.split()
        if not words:
            continue
        if len(words) != 2 or not all(word.isdigit() for word in words):
            shown = text.decode("utf-8", "replace").strip()[:60]
            raise DataError(
                f"{shown!r} is no pair of a document's row and a label's, such as 17 4", path=path, line=line
            )
        row, label = int(words[0]), int(words[1])
        if label >= n_labels:
            raise DataError(f"there is no label {label}; labels are 0 to {n_labels - 1}", path=path, line=line)
        if n_documents is not None and row >= n_documents:
            raise DataError(f"there is no document {row}; documents are 0 to {n_documents - 1}", path=path, line=line)
        rows.append(row)
        labels.append(label)
    n_rows = max(rows, default=-1) + 1 if n_documents is None else n_documents
    ones = np.ones(len(rows), dtype=np.float32)
    pairs = sparse.csr_matrix((ones, (rows, labels)), shape=(n_rows, n_labels))  # adds up pairs that come twice
    pairs.data[:] = 1
    return pairs
