"""Which labels belong together: random walks with restarts over the graph that joins documents and their labels.

The label correlation graph of ECLARE (Mittal et al., WWW 2021, section 3), walked in the compiled core. From a label a
step goes to one of its documents and on to one of that document's labels. The start of a walk counts as a visit too, so
every label meets itself, even one without documents. As in ECLARE, visits are divided by the square root of how often
both ends are visited, which favours rare labels (`weighting`). ECLARE also leaves labels of more than 500 documents out
of the graph; here they are rows like others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deixis.config import Config, setting
from deixis.errors import ConfigError
from deixis.native import _core
from deixis.scipy_sparse import sparse
from deixis.xmr.sparse_rows import SparseRows


@dataclass(frozen=True)
class LabelGraphConfig(Config):
    """How far and how often the walks go, and what is kept of them."""

    walk_length: int = setting(400, "Steps walked from each label.", low=1, high=_core.MAX_WALK, is_fixed=True)
    restart: float = setting(0.8, "Chance to begin at the label again before a step.", low=0, high=1, is_fixed=True)
    max_neighbours: int = setting(32, "Other labels kept for each label: those visited most.", low=0, is_fixed=True)
    weighting: Literal["visits", "symmetric"] = setting(
        "symmetric",
        "Shares of visits, or of visits over the root of how often a label is visited (ECLARE).",
    )


def label_graph(
    docs_by_labels: Any,  # noqa: ANN401 - any sparse or dense matrix
    config: LabelGraphConfig | None = None,
    seed: int = 0,
    n_threads: int = 0,
) -> sparse.csr_matrix:
    """labels_by_labels: row i has the shares of the labels on walks from label i; every row sums to one.

    A label without documents has itself only. Memory is bounded by `max_neighbours + 1` entries a label.

    Examples
    --------
    >>> docs_by_labels = sparse.csr_matrix([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0]])
    >>> graph = label_graph(docs_by_labels, LabelGraphConfig(walk_length=2000))
    >>> graph.toarray().round(1).tolist()
    [[0.5, 0.5, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    """
    config = config or LabelGraphConfig()
    if not 0 <= seed < 2**63:
        raise ConfigError(f"The seed must lie in 0..2^63 - 1, got {seed}.")
    documents = SparseRows.of(docs_by_labels, "label matrix").indicators()
    labels_by_docs = documents.matrix().T.tocsr()
    indptr, neighbours, counts = _core.label_walks(
        documents.indptr,
        documents.indices,
        labels_by_docs.indptr.astype(np.int64),
        labels_by_docs.indices.astype(np.int32),
        config.walk_length,
        config.restart,
        config.max_neighbours,
        seed,
        n_threads,
    )
    n_labels = documents.n_columns
    return _weighted(sparse.csr_matrix((counts, neighbours, indptr), shape=(n_labels, n_labels)), config)


def exact_label_graph(docs_by_labels: Any, config: LabelGraphConfig | None = None) -> NDArray[np.float64]:  # noqa: ANN401
    """What `label_graph` comes to with endless walks of that length and all neighbours kept; for small sets only.

    Examples
    --------
    >>> exact_label_graph(np.array([[1, 1], [0, 1]]), LabelGraphConfig(walk_length=1, weighting="visits")).tolist()
    [[0.75, 0.25], [0.125, 0.875]]
    """
    config = config or LabelGraphConfig()
    documents = SparseRows.of(docs_by_labels, "label matrix").indicators().matrix().toarray().astype(np.float64)
    to_labels = documents / np.maximum(documents.sum(axis=1, keepdims=True), 1)
    to_documents = documents.T / np.maximum(documents.sum(axis=0)[:, None], 1)
    step = to_documents @ to_labels
    start = np.eye(len(step))
    at, visits = start, start.copy()
    for _ in range(config.walk_length):
        at = (config.restart * start + (1 - config.restart) * at) @ step
        visits += at
    return _weighted(sparse.csr_matrix(visits), config, np.float64).toarray()


def _weighted(
    visits: sparse.csr_matrix, config: LabelGraphConfig, dtype: type[np.floating[Any]] = np.float32
) -> sparse.csr_matrix:
    """Visits as shares of their row, weighted as the config says."""
    weights = visits.data.astype(np.float64)
    if config.weighting == "symmetric":  # the root of a row's sum would be divided out again
        n_visited = np.bincount(visits.indices, weights=weights, minlength=visits.shape[1])
        weights /= np.sqrt(n_visited[visits.indices])
    rows = np.repeat(np.arange(visits.shape[0]), np.diff(visits.indptr))
    sums = np.bincount(rows, weights=weights, minlength=visits.shape[0])
    probabilities = (weights / sums[rows]).astype(dtype)
    return sparse.csr_matrix((probabilities, visits.indices, visits.indptr), shape=visits.shape)
