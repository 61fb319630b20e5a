"""Label texts as training points, annotated with the labels they go with (Gandalf, Kharbanda et al., section 4).

A label's text is one more document. It has its own label (self-annotation), and other labels as far as the label
correlation graph says that they go together: a soft target above 0 and at most 1.

The paper's Eq. 6 gives label i, for the text of label j, the target G_ij / G_jj where G_ij > delta. Its Postulate 1 and
the text around say that the targets are the walk's shares *from the label whose text it is*, and that rows are made to
sum to one; so its G_ij must be read as the share of label i on walks from label j. Our rows are the walks: the text of
label i gives label j the target G_ij / G_ii. With one step a walk this is the probability that a document of label i
has label j too, documents of few labels counting more; by chance it can pass 1, and is cut there.

Where we differ: the threshold is on the target, not on the share G_ij (delta). Shares of a label with many neighbours
are all small, so that a threshold on them leaves frequent labels without any.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from deixis.config import Config, setting
from deixis.errors import DataError
from deixis.progress import stage
from deixis.scipy_sparse import sparse
from deixis.xmr.label_graph import LabelGraphConfig, label_graph
from deixis.xmr.sparse_rows import SparseRows

ThresholdOf = Literal["target", "share"]
MIN_NAMED_FRACTION = 0.1  # the lowest at which soft targets were seen to gain (docs/explanation/gandalf.md)


@dataclass(frozen=True)
class AugmentationConfig(Config):
    """Whether label texts are training points, and with which targets.

    Examples
    --------
    >>> AugmentationConfig("auto").settled(has_names=False).kind
    'none'
    >>> AugmentationConfig("auto").settled(has_names=True, named_fraction=0.4).kind
    'soft'
    """

    kind: Literal["none", "self", "soft", "auto"] = setting(
        "none",
        "Learn from label names, and (soft) for related labels.",
        cli="--augment",
    )
    threshold: float = setting(0.1, "Least target of a related label; the label itself has 1.", low=0, below=1)
    graph: LabelGraphConfig = field(default_factory=LabelGraphConfig)
    threshold_of: ThresholdOf = setting(
        "target", "What the threshold is of: the target, or the share of the walks (the paper's delta).", is_fixed=True
    )

    def settled(self, *, has_names: bool, named_fraction: float = 0.0) -> AugmentationConfig:
        """The same, `auto` replaced by what it means for labels without names, with names, and with names as inputs.

        `named_fraction` of the training documents are called as a label is that they do not have.
        """
        if self.kind != "auto":
            return self
        if not has_names:
            return replace(self, kind="none")
        return replace(self, kind="soft" if named_fraction >= MIN_NAMED_FRACTION else "self")


def soft_targets(
    graph: sparse.csr_matrix, threshold: float = 0.1, threshold_of: ThresholdOf = "target"
) -> sparse.csr_matrix:
    """Targets of each label's text (row) for all labels: 1 for its own, in (0, 1] for those above the threshold.

    `graph` is labels_by_labels with rows that sum to one, as `label_graph` gives it.

    Examples
    --------
    >>> graph = sparse.csr_matrix([[0.5, 0.375, 0.125], [0.2, 0.8, 0.0], [0.0, 0.0, 1.0]])
    >>> soft_targets(graph, threshold=0.25).toarray().tolist()
    [[1.0, 0.75, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    >>> soft_targets(graph, threshold=0.15, threshold_of="share").toarray().tolist()
    [[1.0, 0.75, 0.0], [0.25, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    rows = SparseRows.of(graph, "label graph")
    if rows.n_rows != rows.n_columns:
        raise DataError(f"A label graph has a row and a column for each label, got {rows.n_rows} by {rows.n_columns}.")
    row_of_entry = np.repeat(np.arange(rows.n_rows), np.diff(rows.indptr))
    own = rows.matrix().diagonal()
    if rows.n_rows and own.min() <= 0:
        raise DataError(f"Label {int(own.argmin())} has no share of its own walk; each must, as label_graph gives it.")
    targets = np.minimum(rows.data / own[row_of_entry], np.float32(1))
    is_kept = (targets if threshold_of == "target" else rows.data) > threshold
    is_kept |= rows.indices == row_of_entry
    n_before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(is_kept, dtype=np.int64)])
    return SparseRows(n_before[rows.indptr], rows.indices[is_kept], targets[is_kept], rows.n_columns).matrix()


def label_targets(
    docs_by_labels: Any,  # noqa: ANN401 - any sparse or dense matrix
    config: AugmentationConfig,
    seed: int = 0,
    n_threads: int = 0,
) -> sparse.csr_matrix:
    """labels_by_labels: the targets that label texts get, by the config's kind; no rows for `none`."""
    if config.kind == "none":
        return sparse.identity(docs_by_labels.shape[1], np.float32, format="csr")[:0]
    if config.kind in ("self", "auto"):
        return sparse.identity(docs_by_labels.shape[1], np.float32, format="csr")
    with stage("walking from label to label"):
        graph = label_graph(docs_by_labels, config.graph, seed, n_threads)
    return soft_targets(graph, config.threshold, config.threshold_of)


def augmented(
    X: Any,  # noqa: ANN401, N803 - any sparse or dense matrix
    Y: Any,  # noqa: ANN401, N803
    labels_by_features: Any,  # noqa: ANN401
    config: AugmentationConfig | None = None,
    seed: int = 0,
    n_threads: int = 0,
) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """(X', Y'): the documents, their labels with target 1, and below them the label texts with their soft targets.

    `X` is docs_by_features, `Y` docs_by_labels. Labels whose text has no known feature are not appended. With kind
    `none` nothing is.

    Examples
    --------
    >>> X, Y = sparse.csr_matrix([[1, 0], [1, 0]]), sparse.csr_matrix([[1, 1], [1, 0]])
    >>> more_X, more_Y = augmented(X, Y, sparse.csr_matrix([[0, 1], [0, 0]]), AugmentationConfig("self"))
    >>> more_X.toarray().tolist(), more_Y.toarray().tolist()
    ([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    """
    config = config or AugmentationConfig()
    documents, truth = SparseRows.of(X, "feature matrix"), SparseRows.of(Y, "label matrix").indicators()
    texts = SparseRows.of(labels_by_features, "matrix of label features")
    if documents.n_rows != truth.n_rows:
        raise DataError(f"X has {documents.n_rows} rows and Y has {truth.n_rows}; they must be as many.")
    if (texts.n_rows, texts.n_columns) != (truth.n_columns, documents.n_columns):
        raise DataError(
            f"The matrix of label features is {texts.n_rows} by {texts.n_columns}; with {truth.n_columns} labels and "
            f"{documents.n_columns} features it must be {truth.n_columns} by {documents.n_columns}."
        )
    if config.kind == "none":
        return documents.matrix(), truth.matrix()
    targets = label_targets(truth.matrix(), config, seed, n_threads)
    has_text = np.flatnonzero(np.diff(texts.indptr))
    more_X = sparse.vstack([documents.matrix(), texts.matrix()[has_text]], format="csr")  # noqa: N806
    more_Y = sparse.vstack([truth.matrix(), targets[has_text]], format="csr")  # noqa: N806
    return more_X, more_Y
