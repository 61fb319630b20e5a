"""How good a ranking of a title set's part is, by what the input is; and the labels that a graph alone would give."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.xmc.title_sets import TitleSet
from deixis.evaluation.labels.extreme import ExtremeConfig, extreme_metrics
from deixis.evaluation.labels.frequencies import LabelFrequencies
from deixis.evaluation.labels.rankings import TrueLabels, ranked_labels
from deixis.xmr.label_graph import LabelGraphConfig, label_graph
from deixis.xmr.rankings import without_labels

K = 5
DEEPER = 40  # ranked before mirrored pairs are taken out
METRICS = ("precision@1", "precision@3", "precision@5", "psp@1")
WIKIPEDIA = ExtremeConfig(at=(1, 3, 5), propensity_a=0.5, propensity_b=0.4, n_draws=1)  # as Jain et al. for Wikipedia


@dataclass(frozen=True, eq=False)
class Part:
    """Documents to be scored on, and what is known of each."""

    texts: list[str]
    docs_by_labels: sparse.csr_matrix
    own: sparse.csr_matrix
    mirrored: sparse.csr_matrix
    training: LabelFrequencies

    @classmethod
    def of(cls, title_set: TitleSet, name: str) -> Part:
        """`dev` or `test` of a set."""
        documents = getattr(title_set, name)
        own = title_set.own(documents)
        truth = documents.docs_by_labels - documents.docs_by_labels.multiply(own)
        truth = sparse.csr_matrix(truth)
        truth.eliminate_zeros()
        training = LabelFrequencies.of(title_set.train.docs_by_labels)
        return cls(list(documents.texts), truth, own, title_set.mirrored(documents), training)

    @property
    def is_label(self) -> NDArray[np.bool_]:
        """Whether each input is a label."""
        return np.diff(self.own.indptr) > 0

    def scores(self, ranked: sparse.csr_matrix) -> dict[str, float]:
        """Metrics of a ranking without the inputs' own labels, over all inputs and over some of them."""
        best = ranked_labels(ranked, K)
        found = {each.name: each.value for each in self._metrics(self.docs_by_labels, best)}
        scores = {name: found[name] for name in METRICS}
        for name, is_meant in (("labels", self.is_label), ("others", ~self.is_label)):
            scores[f"precision@1/{name}"] = self._metrics(self.docs_by_labels[is_meant], best[is_meant])[0].value
        left = sparse.csr_matrix(self.docs_by_labels - self.docs_by_labels.multiply(self.mirrored))
        left.eliminate_zeros()
        best = ranked_labels(without_labels(ranked, self.mirrored, K), K)
        return scores | {"precision@1/no-mirror": self._metrics(left, best)[0].value}

    def _metrics(self, truth: sparse.csr_matrix, best: NDArray[np.int64]) -> list:
        return extreme_metrics(truth, best, self.training, WIKIPEDIA).metrics

    def unfiltered(self, ranked: sparse.csr_matrix) -> float:
        """Precision at 1 of a ranking that has the inputs' own labels."""
        return self._metrics(self.docs_by_labels, ranked_labels(ranked, K))[0].value

    def hits(self, ranked: sparse.csr_matrix) -> NDArray[np.float64]:
        """Whether the best label of each document with labels is right."""
        truth = TrueLabels.of(self.docs_by_labels, None)
        has_labels = np.diff(self.docs_by_labels.indptr) > 0
        return truth.holds(ranked_labels(ranked, 1))[has_labels, 0].astype(np.float64)


def looked_up(title_set: TitleSet, part: Part, graph: LabelGraphConfig, seed: int = 0) -> sparse.csr_matrix:
    """docs_by_labels: for an input that is a label its neighbours in the graph of training, by their shares."""
    neighbours = label_graph(title_set.train.docs_by_labels, graph, seed, n_threads=1)
    neighbours = sparse.csr_matrix(neighbours - sparse.diags(neighbours.diagonal()))
    neighbours.eliminate_zeros()
    return best_first(sparse.csr_matrix(part.own @ neighbours))


def best_first(scores: sparse.csr_matrix) -> sparse.csr_matrix:
    """The same rows with the best scores stored first, of equal ones the lower label."""
    rows = np.repeat(np.arange(scores.shape[0]), np.diff(scores.indptr))
    order = np.lexsort([scores.indices, -scores.data, rows])
    return sparse.csr_matrix((scores.data[order], scores.indices[order], scores.indptr), shape=scores.shape)


def where_found(first: sparse.csr_matrix, second: sparse.csr_matrix) -> sparse.csr_matrix:
    """Rows of the first ranking where it has any label, of the second elsewhere."""
    is_found = sparse.diags((np.diff(first.indptr) > 0).astype(np.float32))
    is_missing = sparse.diags((np.diff(first.indptr) == 0).astype(np.float32))
    mixed = sparse.csr_matrix(is_found @ first + is_missing @ second)
    mixed.eliminate_zeros()
    return best_first(mixed)
