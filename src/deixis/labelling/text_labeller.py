"""The labeller as scikit-learn asks for it: `fit(texts, Y)`, `predict(texts)`, in pipelines and grid searches."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.errors import DataError, NotFittedError
from deixis.evaluation.labels.extreme import ExtremeConfig, extreme_metrics
from deixis.evaluation.labels.rankings import ranked_labels
from deixis.features.tfidf import as_table
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.labelling.config import LabellerConfig
from deixis.labelling.corpus.documents import LabelledTexts
from deixis.labelling.labeller import Labeller
from deixis.labelling.vocabulary import numbered_vocabulary
from deixis.store.strings import StringTable
from deixis.xmr.sklearn_estimator import SklearnEstimator
from deixis.xmr.sparse_rows import SparseRows


class TextLabeller(SklearnEstimator):
    """Learns labels from texts; `predict` gives up to `k` labels of at least `threshold` to each text.

    Examples
    --------
    >>> texts = ["the cat sat", "a cat purrs", "sails and masts", "the ship sails"]
    >>> labeller = TextLabeller(k=1, n_threads=1).fit(texts, [["cats"], ["cats"], ["ships"], ["ships"]])
    >>> labeller.classes_
    ['cats', 'ships']
    >>> labeller.predict(["cat and mouse"]).toarray().tolist()
    [[1.0, 0.0]]
    """

    def __init__(
        self,
        config: LabellerConfig | None = None,
        k: int = 5,
        threshold: float = 0.0,
        seed: int = 0,
        n_threads: int = 0,
    ) -> None:
        self.config = config or LabellerConfig()
        self.k = k
        self.threshold = threshold
        self.seed = seed
        self.n_threads = n_threads
        self.labeller: Labeller | None = None

    def fit(
        self,
        X: StringTable | Sequence[str],  # noqa: N803 - as scikit-learn names it
        Y: Any,  # noqa: ANN401, N803 - a matrix, or a list of lists
        vocabulary: KnowledgeBase | None = None,
    ) -> TextLabeller:
        """Learn from texts and their labels.

        `Y` is an indicator matrix (docs_by_labels, non-zero = has it), or a list of each text's labels. With a
        vocabulary, columns are its rows and labels in lists are its ids; without one, labels are what the lists hold,
        in order of the alphabet, or the numbers of the columns.
        """
        texts = as_table(X)
        docs_by_labels, vocabulary = _matrix_and_vocabulary(Y, vocabulary)
        ids = StringTable.from_strings(map(str, range(len(texts))))
        documents = LabelledTexts(ids, texts, docs_by_labels)
        self.labeller = Labeller.build(documents, vocabulary, self.config, self.seed, self.n_threads)
        return self

    @property
    def classes_(self) -> list[str]:
        """The id of each column's label."""
        return list(self._fitted().vocabulary.ids)

    def rank(self, X: StringTable | Sequence[str], k: int = 10) -> sparse.csr_matrix:  # noqa: N803
        """docs_by_labels scores in 0..1 of the best `k` labels of each text, stored best first."""
        return self._fitted().rank(as_table(X), k)

    def predict(self, X: StringTable | Sequence[str]) -> sparse.csr_matrix:  # noqa: N803
        """The labels of each text, as an indicator matrix."""
        ranked = self._fitted().rank(as_table(X), self.k, self.threshold)
        return sparse.csr_matrix((np.ones_like(ranked.data), ranked.indices, ranked.indptr), shape=ranked.shape)

    def score(self, X: StringTable | Sequence[str], Y: Any) -> float:  # noqa: ANN401, N803
        """Precision at 1: how often the best label of a text is one of its own."""
        truth, _ = _matrix_and_vocabulary(Y, self._fitted().vocabulary, is_open=True)
        config = ExtremeConfig(at=(1,), n_draws=1)
        return extreme_metrics(truth, ranked_labels(self.rank(X, 1), 1), config=config).metrics[0].value

    def __sklearn_is_fitted__(self) -> bool:
        return self.labeller is not None

    def __sklearn_tags__(self) -> SimpleNamespace:
        """Those of our other estimators, but for the input: a list of strings."""
        tags = super().__sklearn_tags__()
        vars(tags.input_tags).update(one_d_array=True, two_d_array=False, sparse=False, string=True)
        return tags

    def _fitted(self) -> Labeller:
        if self.labeller is None:
            raise NotFittedError("This labeller has learned nothing yet; call fit(texts, Y) first.")
        return self.labeller


def _matrix_and_vocabulary(
    labels: Any,  # noqa: ANN401 - a matrix, or a list of lists
    vocabulary: KnowledgeBase | None,
    is_open: bool = False,
) -> tuple[sparse.csr_matrix, KnowledgeBase]:
    """docs_by_labels and what its columns are; with `is_open` labels outside the vocabulary get one more column."""
    if sparse.issparse(labels) or isinstance(labels, np.ndarray):
        matrix = SparseRows.of(labels, "label matrix").indicators().matrix()
        return matrix, vocabulary or numbered_vocabulary(matrix.shape[1])
    lists = [_checked(row, number) for number, row in enumerate(labels)]
    if vocabulary is None:
        names = sorted({label for row in lists for label in row})
        vocabulary = KnowledgeBase.from_records({"id": name, "title": name} for name in names)
    columns = vocabulary.rows_of(label for row in lists for label in row)
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in lists], dtype=np.int64)])
    if not is_open and (columns < 0).any():
        position = int(np.argmax(columns < 0))
        document = int(np.searchsorted(indptr, position, side="right")) - 1
        unknown = lists[document][position - int(indptr[document])]
        raise DataError(
            f"Document {document} has the label {unknown!r}, which is not an id of"
            f" the vocabulary of {len(vocabulary):,}. Give a vocabulary that has it, or leave it out."
        )
    return _indicators(columns, indptr, len(vocabulary)), vocabulary


def _indicators(columns: NDArray[np.int64], indptr: NDArray[np.int64], n_labels: int) -> sparse.csr_matrix:
    """Ones at the columns; those below 0 stand in one more column, if there are any."""
    is_open = bool((columns < 0).any())
    placed = np.where(columns < 0, n_labels, columns)
    matrix = sparse.csr_matrix(
        (np.ones(len(placed), np.float32), placed, indptr), (len(indptr) - 1, n_labels + is_open)
    )
    matrix.sum_duplicates()
    matrix.data[:] = 1.0
    return matrix


def _checked(row: object, number: int) -> list[str]:
    if isinstance(row, (str, bytes)) or not hasattr(row, "__iter__"):
        raise DataError(f"Document {number} must have a list of labels, got {row!r}. Put a single one into a list.")
    return [str(label) for label in row]
