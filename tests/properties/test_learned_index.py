"""Laws of the learned index: every beam does what its definition says, and a batch is its singles."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.xmr.cluster_graph import ClusterGraph


@st.composite
def small_searches(draw):
    """A graph of a few clusters and labels, and cluster scores with many ties."""
    n_clusters, n_labels, n_docs = draw(st.integers(1, 6)), draw(st.integers(1, 8)), draw(st.integers(0, 4))
    has_edge = np.array(draw(st.lists(st.booleans(), min_size=n_clusters * n_labels, max_size=n_clusters * n_labels)))
    clusters, labels = np.nonzero(has_edge.reshape(n_clusters, n_labels))
    starts = np.searchsorted(clusters, np.arange(n_clusters + 1)).astype(np.int64)
    shares = draw(st.lists(st.sampled_from([0.0, 0.125, 0.25, 0.5, 1.0]), min_size=len(labels), max_size=len(labels)))
    graph = ClusterGraph(starts, labels.astype(np.int32), np.array(shares, np.float32), beta=2.0, n_labels=n_labels)
    cells = n_docs * n_clusters
    scores = draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=cells, max_size=cells))
    return graph, np.array(scores, np.float32).reshape(n_docs, n_clusters)


def by_definition(graph: ClusterGraph, scores: np.ndarray, beam: int, k: int) -> list[tuple[float, int]]:
    """Labels of one document: best first, the lower label among equals."""
    best: dict[int, float] = {}
    for cluster in np.argsort(-scores, kind="stable")[:beam]:
        for edge in range(graph.edge_starts[cluster], graph.edge_starts[cluster + 1]):
            path = float(scores[cluster] * graph.edge_scores()[edge])
            label = int(graph.edge_labels[edge])
            best[label] = max(path, best.get(label, path))
    return sorted((-score, label) for label, score in best.items())[:k]


@settings(max_examples=60, deadline=None)
@given(small_searches(), st.integers(1, 7), st.integers(1, 9))
def test_a_shortlist_is_what_its_definition_says(search, beam, k):
    graph, scores = search
    found = graph.shortlist(scores, beam, k, n_threads=2)
    for row in range(len(scores)):
        span = slice(found.indptr[row], found.indptr[row + 1])
        pairs = [
            (-float(score), int(label)) for score, label in zip(found.data[span], found.indices[span], strict=True)
        ]
        assert pairs == by_definition(graph, scores[row], beam, k)


@settings(max_examples=30, deadline=None)
@given(small_searches(), st.integers(1, 7))
def test_a_batch_is_its_singles(search, beam):
    graph, scores = search
    together = graph.shortlist(scores, beam, 5)
    for row in range(len(scores)):
        alone = graph.shortlist(scores[row : row + 1], beam, 5)
        span = slice(together.indptr[row], together.indptr[row + 1])
        assert (alone.indices == together.indices[span]).all() and (alone.data == together.data[span]).all()
