"""Laws of the label graph and of the soft targets made of it."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from deixis.xmr.label_augmentation import AugmentationConfig, augmented, soft_targets
from deixis.xmr.label_graph import LabelGraphConfig, exact_label_graph, label_graph

DOCS_BY_LABELS = st.tuples(st.integers(0, 6), st.integers(1, 7)).flatmap(
    lambda shape: arrays.arrays(np.float32, shape, elements=st.sampled_from([0.0, 0.0, 1.0]))
)
CONFIGS = st.builds(
    LabelGraphConfig,
    walk_length=st.integers(1, 60),
    restart=st.floats(0, 1),
    max_neighbours=st.integers(0, 8),
    weighting=st.sampled_from(["visits", "symmetric"]),
)


@given(DOCS_BY_LABELS, CONFIGS, st.integers(0, 2**40))
@settings(max_examples=60, deadline=None)
def test_rows_are_shares_of_walks_within_what_documents_join(docs_by_labels, config, seed):
    graph = label_graph(docs_by_labels, config, seed, n_threads=1)
    assert np.allclose(graph.sum(axis=1), 1, atol=1e-5)
    assert (graph.data > 0).all()
    assert (graph.diagonal() > 0).all()
    assert graph.has_sorted_indices
    assert (np.diff(graph.indptr) <= config.max_neighbours + 1).all()
    assert not (graph.toarray()[exact_label_graph(docs_by_labels, config) == 0]).any()


@given(DOCS_BY_LABELS, CONFIGS, st.floats(0, 0.99))
@settings(max_examples=60, deadline=None)
def test_soft_targets_lie_above_0_and_up_to_1_and_the_own_label_has_1(docs_by_labels, config, threshold):
    targets = soft_targets(label_graph(docs_by_labels, config, n_threads=1), threshold)
    assert (targets.diagonal() == 1).all()
    assert (targets.data > 0).all()
    assert (targets.data <= 1).all()


@given(DOCS_BY_LABELS, st.tuples(st.floats(0, 0.99), st.floats(0, 0.99)))
@settings(max_examples=40, deadline=None)
def test_a_higher_threshold_only_takes_targets_away(docs_by_labels, thresholds):
    graph = label_graph(docs_by_labels, n_threads=1)
    few, many = (soft_targets(graph, t).toarray() for t in (max(thresholds), min(thresholds)))
    assert np.array_equal(few, np.where(few > 0, many, 0))


@given(DOCS_BY_LABELS, st.sampled_from(["none", "self", "soft"]), st.data())
@settings(max_examples=40, deadline=None)
def test_documents_stand_unchanged_before_the_label_texts(docs_by_labels, kind, data):
    n_documents, n_labels = docs_by_labels.shape
    numbers = st.floats(0, 1, width=32)
    X = data.draw(arrays.arrays(np.float32, (n_documents, 3), elements=numbers))
    texts = data.draw(arrays.arrays(np.float32, (n_labels, 3), elements=numbers))
    more_X, more_Y = augmented(X, docs_by_labels, texts, AugmentationConfig(kind), n_threads=1)
    assert np.array_equal(more_X.toarray()[:n_documents], X)
    assert np.array_equal(more_Y.toarray()[:n_documents], docs_by_labels)
    has_text = texts.any(axis=1) & (kind != "none")
    assert np.array_equal(more_X.toarray()[n_documents:], texts[has_text])
    assert np.array_equal(more_Y.toarray()[n_documents:][:, has_text].diagonal(), np.ones(has_text.sum()))
