"""Positive instance feature aggregation: what a label looks like, from the instances that have it (XMRED, Eq. 2)."""

from __future__ import annotations

import numpy as np

from deixis.scipy_sparse import sparse
from deixis.store.sparse_rows_builder import SparseRowsBuilder, row_chunks
from deixis.xmr.sparse_rows import SparseRows


def aggregate_positive_instances(docs_by_features: SparseRows, docs_by_labels: SparseRows) -> SparseRows:
    """One row of unit length per label: the sum of its instances' features; empty for a label without instances."""
    labels_by_docs, features = docs_by_labels.matrix().T.tocsr(), docs_by_features.matrix()
    builder = SparseRowsBuilder(docs_by_features.n_columns)
    for chunk in row_chunks(labels_by_docs.shape[0]):
        builder.add(_unit_rows(labels_by_docs[chunk.start : chunk.stop] @ features).matrix())
    return SparseRows.of(builder.build())


def _unit_rows(labels_by_features: sparse.csr_matrix) -> SparseRows:
    """The rows scaled to unit length, their columns in order."""
    labels_by_features.sort_indices()
    rows = SparseRows.of(labels_by_features)
    lengths = np.diff(rows.indptr)
    has_features = lengths > 0
    squares = np.zeros(rows.n_rows, dtype=np.float64)
    squares[has_features] = np.add.reduceat(rows.data.astype(np.float64) ** 2, rows.indptr[:-1][has_features])
    scale = np.divide(1.0, np.sqrt(squares), out=np.zeros_like(squares), where=squares > 0)
    data = (rows.data * np.repeat(scale, lengths)).astype(np.float32)
    return SparseRows(rows.indptr, rows.indices, data, rows.n_columns)
