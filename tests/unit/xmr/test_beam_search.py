import numpy as np
import pytest
from scipy import sparse

from deixis.errors import ConfigError
from deixis.xmr.beam_search import BeamConfig, TreeSearcher
from deixis.xmr.linear_rankers import RankerLevel
from deixis.xmr.sparse_rows import SparseRows


def level_of(child_starts, biases):
    """A level whose margins are its biases, whatever the query."""
    n_parents = len(child_starts) - 1
    arrays = {
        "block_starts": np.arange(n_parents + 1),
        "blocks": np.zeros(n_parents, np.uint64),
        "byte_starts": np.zeros(n_parents + 1, np.int64),
        "bytes": np.zeros(0, np.uint8),
        "entry_sizes": np.full(n_parents, 2, np.uint8),
        "biases": np.array(biases, np.float32),
    }
    return RankerLevel(np.array(child_starts), arrays)


def search(levels, k, **settings):
    """Nodes and scores found for one empty query."""
    query = SparseRows.of(sparse.csr_matrix((1, 2), dtype=np.float32))
    _, nodes, scores = TreeSearcher(levels, 2).search(query, k, BeamConfig(**settings))
    return nodes.tolist(), scores.tolist()


def test_path_scores_by_hand():
    levels = [level_of([0, 2], [1.5, 0.0]), level_of([0, 2, 4], [0.5, -1.0, 2.0, 1.0])]
    nodes, scores = search(levels, 4, width=2, power=2, memory=1.0)
    # Margins 1.5 and 0 give log scores 0 and -1; their children add -0.25, -4, 0, 0.
    assert nodes == [0, 2, 3, 1]
    np.testing.assert_allclose(np.log(scores), [-0.25, -1, -1, -4], rtol=1e-6)


def test_a_child_inherits_the_share_of_its_parents_score_that_memory_says():
    levels = [level_of([0, 1], [-1.0]), level_of([0, 1], [0.0])]
    for memory, expected in [(1.0, -3), (0.5, -2), (0.0, -1)]:
        np.testing.assert_allclose(np.log(search(levels, 1, power=1, memory=memory)[1]), [expected], rtol=1e-6)


def test_the_sigmoid_score_is_the_product_of_sigmoids():
    levels = [level_of([0, 1], [0.0]), level_of([0, 2], [np.log(3), -np.log(3)])]
    nodes, scores = search(levels, 2, path_score="sigmoid", memory=1.0)
    assert nodes == [0, 1]
    np.testing.assert_allclose(scores, [0.5 * 0.75, 0.5 * 0.25], rtol=1e-6)


def test_a_narrow_beam_misses_what_lies_under_a_worse_node():
    levels = [level_of([0, 2], [0.9, 0.8]), level_of([0, 1, 2], [-5.0, 3.0])]
    assert search(levels, 1, width=1, power=1)[0] == [0]
    assert search(levels, 1, width=2, power=1)[0] == [1]


@pytest.mark.parametrize("settings", [{"path_score": "sigmoid"}, {"power": 1}, {"power": 3}, {"power": 8}])
def test_of_equal_scores_the_first_nodes_win_however_few_are_wanted(settings):
    # All labels score the same, and parents come in an order of their own: the search may not skip a tie.
    levels = [level_of([0, 4], [0.5, 0.7, 0.6, 0.8]), level_of(np.arange(5) * 8, [0.25] * 32)]
    for margin in (30.0, 200.0, 1.0, 0.25, -3.0):
        levels[1].arrays["biases"][:] = margin
        everything = search(levels, 32, width=4, memory=0.0, **settings)[0]
        assert everything == list(range(32))
        for k in range(1, 9):
            assert search(levels, k, width=4, memory=0.0, **settings)[0] == everything[:k]


@pytest.mark.parametrize("settings", [{"path_score": "sigmoid"}, {"power": 1}, {"power": 3}, {"power": 8}])
def test_scores_that_differ_by_a_hair_are_not_mixed_up(settings):
    rng = np.random.default_rng(0)
    for base in (0.0, 0.9, 0.999, 5.0, 13.0, 16.0, 40.0, -7.0):
        biases = (base * (1 + 1e-6 * rng.integers(-40, 40, 400)) + 1e-6 * rng.normal(size=400)).astype(np.float32)
        for parents in (1.0, 8.0, 13.0):
            levels = [level_of([0, 20], rng.normal(parents, 1e-4, 20)), level_of(np.arange(21) * 20, biases)]
            everything = search(levels, 400, width=20, **settings)
            for k in (1, 3, 7, 20):
                few = search(levels, k, width=20, **settings)
                assert few == (everything[0][:k], everything[1][:k])


@pytest.mark.parametrize("settings", [{"path_score": "sigmoid"}, {"power": 1}, {"power": 8}])
@pytest.mark.parametrize("memory", [0.0, 0.5, 1.0])
def test_margins_of_any_size_give_scores_that_can_be_ordered(settings, memory):
    far = [-1e6, 1e6, -3e38, 3e38, np.inf, -np.inf, 0.5, 1.0]
    levels = [level_of([0, 8], far), level_of(np.arange(9) * 8, far * 8)]
    for k in (1, 5, 64):
        nodes, scores = search(levels, k, width=8, memory=memory, **settings)
        assert len(set(nodes)) == k
        assert np.isfinite(scores).all() and (np.diff(scores) <= 0).all()
        assert scores[0] > 0


def test_a_margin_that_is_no_number_is_never_found():
    levels = [level_of([0, 3], [np.nan, 0.2, 0.1]), level_of([0, 1, 3, 4], [1.0, np.nan, 0.5, np.nan])]
    assert search(levels, 4)[0] == [2]


@pytest.mark.parametrize(
    "settings",
    [
        {"width": 0},
        {"width": 2**40},
        {"power": 0},
        {"power": 9},
        {"memory": -0.1},
        {"memory": float("nan")},
        {"path_score": "softmax"},
    ],
)
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(ConfigError):
        BeamConfig(**settings)
