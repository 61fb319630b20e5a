import numpy as np
import pytest
from scipy import sparse

from deixis.errors import ConfigError, DataError
from deixis.xmr.label_augmentation import AugmentationConfig, augmented, label_targets, soft_targets
from deixis.xmr.label_graph import LabelGraphConfig

# Three features and three labels; labels 0 and 1 stand together, label 2 has no document and its text no feature.
X = sparse.csr_matrix([[1.0, 0, 0], [0.5, 0.5, 0]])
Y = sparse.csr_matrix([[1, 1, 0], [1, 1, 0]])
TEXTS = sparse.csr_matrix([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 0]])
GRAPH = sparse.csr_matrix([[0.5, 0.4, 0.1], [0.3, 0.6, 0.1], [0.0, 0.0, 1.0]])


def test_a_target_is_the_share_over_that_of_the_label_whose_text_it_is():
    assert soft_targets(GRAPH, 0.05).toarray() == pytest.approx(np.array([[1, 0.8, 0.2], [0.5, 1, 1 / 6], [0, 0, 1]]))


def test_targets_at_or_below_the_threshold_are_none():
    # 0.1 of the walk, 0.2 after the division.
    assert soft_targets(GRAPH, 0.19).toarray()[0] == pytest.approx([1, 0.8, 0.2])
    assert soft_targets(GRAPH, 0.21).toarray() == pytest.approx(np.array([[1, 0.8, 0], [0.5, 1, 0], [0, 0, 1]]))


def test_a_threshold_of_shares_looks_at_them_before_they_are_divided():
    found = soft_targets(GRAPH, 0.25, "share").toarray()
    assert found == pytest.approx(np.array([[1, 0.8, 0], [0.5, 1, 0], [0, 0, 1]]))
    assert soft_targets(GRAPH, 0.45, "share").toarray()[0].tolist() == [1, 0, 0]


def test_many_equal_neighbours_are_all_kept_by_their_targets_and_none_by_their_shares():
    graph = sparse.csr_matrix(np.full((20, 20), 0.05))
    assert soft_targets(graph, 0.1).nnz == 400
    assert soft_targets(graph, 0.1, "share").nnz == 20


@pytest.mark.parametrize(
    ("has_names", "fraction", "kind"),
    [(False, 0.5, "none"), (True, 0.0, "self"), (True, 0.09, "self"), (True, 0.1, "soft")],
)
def test_auto_is_soft_only_where_enough_inputs_are_names_of_labels(has_names, fraction, kind):
    assert AugmentationConfig("auto").settled(has_names=has_names, named_fraction=fraction).kind == kind
    assert AugmentationConfig("self").settled(has_names=has_names, named_fraction=fraction).kind == "self"


def test_the_own_label_is_kept_whatever_the_threshold():
    graph = sparse.csr_matrix([[0.2, 0.8], [0.0, 1.0]])
    assert soft_targets(graph, 0.5).toarray().tolist() == [[1, 1], [0, 1]]  # 4 is cut to 1


def test_a_graph_whose_labels_do_not_meet_themselves_is_refused():
    with pytest.raises(DataError, match="Label 1 has no share of its own walk"):
        soft_targets(sparse.csr_matrix([[0.5, 0.5], [1.0, 0.0]]))
    with pytest.raises(DataError, match="got 1 by 2"):
        soft_targets(sparse.csr_matrix([[0.5, 0.5]]))


def test_nothing_is_appended_by_default():
    more_X, more_Y = augmented(X, Y, TEXTS)
    assert (more_X != X).nnz == 0
    assert (more_Y != Y).nnz == 0


def test_self_annotation_appends_label_texts_with_their_own_label():
    more_X, more_Y = augmented(X, Y, TEXTS, AugmentationConfig("self"))
    assert more_X.toarray()[2:].tolist() == TEXTS.toarray()[:2].tolist()
    assert more_Y.toarray()[2:].tolist() == [[1, 0, 0], [0, 1, 0]]


def test_soft_annotation_adds_the_labels_that_go_together():
    config = AugmentationConfig("soft", graph=LabelGraphConfig(walk_length=10_000))
    more_X, more_Y = augmented(X, Y, TEXTS, config)
    assert more_X.shape == (4, 3)
    assert more_Y.toarray()[:2].tolist() == Y.toarray().tolist()
    assert more_Y.toarray()[2:] == pytest.approx(np.array([[1, 1, 0], [1, 1, 0]]), abs=0.05)


def test_a_count_in_the_labels_is_still_a_target_of_one():
    _, more_Y = augmented(X, Y * 3, TEXTS, AugmentationConfig("self"))
    assert more_Y.max() == 1


def test_the_kinds_differ_only_in_the_targets():
    made = [augmented(X, Y, TEXTS, AugmentationConfig(kind)) for kind in ("self", "soft")]
    assert (made[0][0] != made[1][0]).nnz == 0
    assert label_targets(Y, AugmentationConfig("none")).shape == (0, 3)


def test_the_same_seed_gives_the_same_targets_on_one_thread_and_two():
    docs_by_labels = sparse.random(500, 700, density=0.01, random_state=1, format="csr")
    one, two = (label_targets(docs_by_labels, AugmentationConfig("soft"), 3, n) for n in (1, 2))
    assert one.data.tobytes() == two.data.tobytes()
    assert one.indices.tobytes() == two.indices.tobytes()


def test_matrices_that_do_not_fit_are_refused_with_their_sizes():
    with pytest.raises(DataError, match="X has 2 rows and Y has 1"):
        augmented(X, Y[:1], TEXTS, AugmentationConfig("self"))
    with pytest.raises(DataError, match="2 by 3; with 3 labels and 3 features it must be 3 by 3"):
        augmented(X, Y, TEXTS[:2], AugmentationConfig("self"))


def test_settings_out_of_range_are_refused():
    with pytest.raises(ConfigError, match="threshold must be at least 0 and below 1"):
        AugmentationConfig("soft", threshold=1.0)
    with pytest.raises(ConfigError, match="kind"):
        AugmentationConfig("hard")
