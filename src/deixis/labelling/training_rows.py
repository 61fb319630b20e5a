"""The training data of an engine, made of labelled documents: only usable rows, and labels that have a row."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.errors import ConfigError, DataError
from deixis.labelling.config import LabellerConfig
from deixis.progress import stage
from deixis.store.strings import StringTable
from deixis.xmr.label_augmentation import augmented
from deixis.xmr.sparse_rows import SparseRows
from deixis.xmr.text_rows import TextRows

logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Rows and their labels; label `j` here is label `label_rows[j]` of the vocabulary.

    The first `n_documents` rows are documents, those after them names of labels.
    """

    documents: TextRows
    docs_by_labels: sparse.csr_matrix
    label_rows: NDArray[np.int32]
    n_documents: int

    @classmethod
    def of(
        cls,
        documents: TextRows,
        docs_by_labels: sparse.csr_matrix,
        names: TextRows | None,
        config: LabellerConfig,
        seed: int = 0,
        n_threads: int = 0,
    ) -> TrainingRows:
        """The training rows of documents, augmented as the settings say.

        Labels that no row has take no part, since nothing could be learned of them. With augmentation every label
        whose name has a known word has a row: its name.
        """
        documents, labels = _usable(documents, docs_by_labels)
        n_documents = documents.shape[0]
        if config.augmentation.kind != "none":
            if names is None:
                raise ConfigError(
                    f"Augmentation by {config.augmentation.kind!r} learns from the names of labels, and these labels "
                    "have none, only numbers. Give rows of features for the labels, too, or augment by 'none'."
                )
            with stage("adding names of labels to the documents"):
                rows, labels = augmented(
                    documents.docs_by_features, labels, names.docs_by_features, config.augmentation, seed, n_threads
                )
            documents = TextRows(rows, _with_names(documents.texts, names))
        label_rows = np.flatnonzero(np.bincount(labels.indices, minlength=labels.shape[1])).astype(np.int32)
        return cls(documents, _only_columns(labels, label_rows), label_rows, n_documents)

    def only(self, is_kept: NDArray[np.bool_]) -> TrainingRows:
        """The same labels with these rows."""
        n_documents = int(is_kept[: self.n_documents].sum())
        return TrainingRows(self.documents[is_kept], self.docs_by_labels[is_kept], self.label_rows, n_documents)


def _with_names(texts: StringTable | None, names: TextRows) -> StringTable | None:
    """The texts of the rows that `augmented` gives: those of documents, then names that have a known word."""
    if texts is None or names.texts is None:
        return None
    return texts.joined(names.texts.take(np.flatnonzero(np.diff(names.docs_by_features.indptr))))


def _usable(documents: TextRows, docs_by_labels: sparse.csr_matrix) -> tuple[TextRows, sparse.csr_matrix]:
    """The documents that have both features and labels, each label counted once."""
    labels = SparseRows.of(docs_by_labels, "label matrix").indicators().matrix()
    has_labels, has_features = np.diff(labels.indptr) > 0, np.diff(documents.docs_by_features.indptr) > 0
    is_kept = has_labels & has_features
    if not is_kept.any():
        raise DataError(
            f"Nothing to learn from: of {len(is_kept):,} documents {has_labels.sum():,} have a label of the vocabulary "
            f"and {has_features.sum():,} have words; at least one must have both."
        )
    if not is_kept.all():
        logger.warning(
            "%d of %d documents cannot be used and are left out: %d have no label, %d no words",
            len(is_kept) - int(is_kept.sum()), len(is_kept), int((~has_labels).sum()), int((~has_features).sum()),
        )  # fmt: skip
        documents, labels = documents[is_kept], labels[is_kept]
    return documents, labels


def _only_columns(matrix: sparse.csr_matrix, columns: NDArray[np.int32]) -> sparse.csr_matrix:
    """The matrix without its empty columns; `columns` are the others, ascending."""
    positions = np.zeros(matrix.shape[1], dtype=np.int32)
    positions[columns] = np.arange(len(columns), dtype=np.int32)
    return sparse.csr_matrix(
        (matrix.data, positions[matrix.indices], matrix.indptr), shape=(matrix.shape[0], len(columns))
    )
