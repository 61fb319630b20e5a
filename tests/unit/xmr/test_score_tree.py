import sys

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from deixis.errors import ConfigError, DataError, MissingExtraError, StoreError
from deixis.xmr.score_tree import ScoreTree, ScoreTreeConfig
from deixis.xmr.scored_pairs import ScoredPairs, combined_scores


def held_out(n_documents=200, n_each=10, seed=0):
    """Pairs whose second score is worth something for rare labels only."""
    rng = np.random.default_rng(seed)
    n = n_documents * n_each
    first, margins, counts = rng.random(n), rng.normal(size=n), rng.integers(0, 100, n)
    chances = np.where(counts < 50, 1 / (1 + np.exp(-3 * margins)), first) * 0.5
    starts = np.arange(0, n + 1, n_each)
    return ScoredPairs.of(starts, first, margins, counts), rng.random(n) < chances


@pytest.mark.parametrize("depth", [1, 3, 8])
def test_probabilities_are_those_of_scikit_learn(depth):
    pairs, is_right = held_out()
    theirs = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(pairs.features, is_right)
    ours = ScoreTree.of_sklearn(theirs)
    other, _ = held_out(seed=1)
    np.testing.assert_allclose(ours.probabilities(other.features), theirs.predict_proba(other.features)[:, 1])
    assert ours.n_leaves == theirs.get_n_leaves()
    assert ours.depths.max() == theirs.get_depth()


@pytest.mark.parametrize("depth", [0, 1, 4])
def test_a_tree_that_is_cut_has_the_shares_of_right_pairs_in_its_new_leaves(depth):
    pairs, is_right = held_out()
    theirs = DecisionTreeClassifier(max_depth=8, min_samples_leaf=20, random_state=0).fit(pairs.features, is_right)
    cut = ScoreTree.of_sklearn(theirs).cut(depth)
    assert cut.depths.max() == depth
    leaves = cut.leaves(pairs.features)
    assert len(np.unique(leaves)) == cut.n_leaves
    for leaf in np.unique(leaves):
        assert is_right[leaves == leaf].mean() == pytest.approx(cut.value[leaf])


def test_a_tree_without_depth_leaves_the_combined_score_as_it_is():
    pairs, is_right = held_out()
    tree = ScoreTree.fit(pairs, is_right, ScoreTreeConfig(depths=(0,)))
    assert tree.n_leaves == 1
    np.testing.assert_allclose(tree.probabilities(pairs.features), is_right.mean())
    np.testing.assert_array_equal(tree.spread(pairs.features, pairs.combined), pairs.combined)


def test_cross_validation_takes_a_tree_where_there_is_something_to_correct_and_none_where_there_is_not():
    pairs, is_right = held_out(1000)
    assert ScoreTree.fit(pairs, is_right, ScoreTreeConfig(min_leaf=0.01)).n_leaves > 1
    by_combined = np.random.default_rng(5).random(len(pairs)) < pairs.combined
    assert ScoreTree.fit(pairs, by_combined, ScoreTreeConfig(depths=(0, 12), min_leaf=0.0001)).n_leaves == 1


def test_a_depth_that_loses_the_first_place_is_not_taken():
    # The fourth feature alone tells the first label; the second tells all others, which nDCG@5 rewards.
    n, per_document = 600, 6
    rng = np.random.default_rng(0)
    first, margins = rng.random(n * per_document), np.zeros(n * per_document)
    starts = np.arange(n + 1) * per_document
    pairs = ScoredPairs.of(starts, first, margins, np.tile([0, 9, 9, 9, 9, 9], n))
    best = starts[:-1] + pairs.combined.reshape(n, per_document).argmax(axis=1)
    is_right = np.tile([False, True, True, True, True, True], n) & (rng.random(len(pairs)) < 0.6)
    is_right[best] = True
    scores = np.where(np.tile([False, True, True, True, True, True], n), 1.0, 0.0)
    assert pairs.is_first_right(pairs.combined, is_right).all()
    assert pairs.is_first_right(scores, is_right).mean() < 1
    assert ScoreTree.fit(pairs, is_right, ScoreTreeConfig(min_leaf=0.01)).n_leaves == 1


def test_a_calibrated_score_ranks_better_than_the_combined_one_on_other_documents():
    tree = ScoreTree.fit(*held_out(1000))
    pairs, is_right = held_out(1000, seed=1)
    calibrated = pairs.ndcg(tree.spread(pairs.features, pairs.combined), is_right)
    assert calibrated > 1.05 * pairs.ndcg(pairs.combined, is_right)


def test_the_same_seed_gives_the_same_tree():
    pairs, is_right = held_out()
    one, two = (ScoreTree.fit(pairs, is_right, seed=3).to_arrays("t") for _ in range(2))
    assert all(one[name].tobytes() == two[name].tobytes() for name in one)


def test_held_out_points_that_teach_nothing_are_refused():
    pairs, is_right = held_out(5)
    none = ScoredPairs(np.zeros(1, np.int64), pairs.features[:0])
    with pytest.raises(DataError, match="no held-out points"):
        ScoreTree.fit(none, is_right[:0])
    with pytest.raises(DataError, match="All 50 held-out pairs are wrong"):
        ScoreTree.fit(pairs, np.zeros(50, dtype=bool))
    with pytest.raises(DataError, match="All 50 held-out pairs are right"):
        ScoreTree.fit(pairs, np.ones(50, dtype=bool))


def test_one_held_out_document_is_enough_for_a_tree_without_a_choice():
    pairs, is_right = held_out(1)
    is_right[:2] = True, False
    assert ScoreTree.fit(pairs, is_right).n_leaves == 1


def test_without_scikit_learn_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.tree", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'deixis\[sklearn\]'"):
        ScoreTree.fit(*held_out(20))


def test_a_loaded_tree_gives_the_same_scores():
    pairs, is_right = held_out()
    tree = ScoreTree.fit(pairs, is_right, ScoreTreeConfig(depths=(4,)))
    loaded = ScoreTree.from_arrays(tree.to_arrays("t"), "t")
    assert (
        loaded.spread(pairs.features, pairs.combined).tolist() == tree.spread(pairs.features, pairs.combined).tolist()
    )


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [("left", 0, 0), ("right", 0, 10**6), ("left", -1, -2), ("feature", 0, 4), ("value", 0, np.nan), ("value", 0, 1.5)],
)
def test_damage_is_refused(name, place, value):
    pairs, is_right = held_out()
    arrays = ScoreTree.fit(pairs, is_right, ScoreTreeConfig(depths=(4,))).to_arrays("t")
    arrays[f"t.{name}"] = arrays[f"t.{name}"].copy()
    arrays[f"t.{name}"][place] = value
    with pytest.raises(StoreError):
        ScoreTree.from_arrays(arrays, "t")
    with pytest.raises(StoreError):
        ScoreTree.from_arrays({name: array[:0] for name, array in arrays.items()}, "t")


@pytest.mark.parametrize(
    "settings", [{"depths": ()}, {"depths": (-1,)}, {"min_leaf": 0}, {"min_leaf": 1}, {"n_folds": 1}]
)
def test_settings_that_cannot_be_are_refused(settings):
    with pytest.raises(ConfigError):
        ScoreTreeConfig(**settings)


def test_the_combined_score_is_by_hand_the_root_times_the_logistic():
    np.testing.assert_allclose(combined_scores(np.array([0.64]), np.array([np.log(3)])), [0.6], rtol=1e-6)
    assert combined_scores(np.ones(2), np.array([-1e9, 1e9])).tolist() == [pytest.approx(0, abs=1e-30), 1.0]


def test_ndcg_by_hand():
    pairs = ScoredPairs.of(np.array([0, 2, 3]), np.array([0.9, 0.5, 0.5]), np.zeros(3), np.zeros(3))
    # The first document's right label stands second; the other document has none to find.
    assert pairs.ndcg(pairs.combined, np.array([False, True, False])) == pytest.approx(1 / np.log2(3))
    assert pairs.ndcg(-pairs.combined, np.array([False, True, False])) == 1.0
