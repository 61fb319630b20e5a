"""Hard negatives: near entities that are not the right one."""

import numpy as np
import pytest

from deixis.errors import ConfigError, DataError
from deixis.nearest.vector_index import VectorIndex
from deixis.neural.bi_encoder.mining import batches_apart, mine_negatives


def on_a_circle(n):
    """Vectors from east to north, the first the east-most."""
    angles = np.linspace(0, np.pi / 2, n, endpoint=False)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_negatives_are_drawn_evenly_from_the_best_k():
    index = VectorIndex.build([on_a_circle(50)], np.arange(50))
    queries = np.repeat(on_a_circle(50)[:1], 900, axis=0)
    mined = mine_negatives(index, queries, [[0]] * 900, n_negatives=3, k=10)
    counts = np.bincount(mined.ravel(), minlength=50)
    assert counts[0] == 0 and counts[10:].sum() == 0
    assert counts[1:10].min() > 240 and counts[1:10].max() < 360  # 300 each, were it perfectly even


def test_two_descriptions_of_one_entity_are_one_negative():
    vectors = on_a_circle(6)
    index = VectorIndex.build([vectors], groups=np.array([0, 1, 1, 1, 1, 2]))
    mined = mine_negatives(index, vectors[:1], [[0]], n_negatives=2, k=1)
    assert sorted(mined[0].tolist()) == [1, 2]


def test_every_acceptable_entity_is_left_out():
    index = VectorIndex.build([on_a_circle(4)], np.arange(4))
    assert set(mine_negatives(index, on_a_circle(4)[:1], [[0, 1]], n_negatives=2)[0].tolist()) == {2, 3}


def test_where_too_few_are_left_twice_as_many_are_looked_at():
    index = VectorIndex.build([on_a_circle(50)], np.arange(50))
    mined = mine_negatives(index, on_a_circle(50)[:1], [[0, 1, 2, 3, 4]], n_negatives=3, k=4)
    assert sorted(mined[0].tolist()) == [5, 6, 7]  # the best eight without the right ones


def test_what_an_index_does_not_find_is_drawn_from_the_rest():
    vectors = np.array([[1, 0], [-1, 0], [0, -1]], dtype=np.float32)
    index = VectorIndex.build([vectors], np.arange(3))
    assert index.search(vectors[:1], 3).indices.tolist() == [0]  # the others are not alike at all
    assert set(mine_negatives(index, vectors[:1], [[0]], n_negatives=2)[0].tolist()) == {1, 2}


def test_a_knowledge_base_too_small_for_the_negatives_is_an_error():
    index = VectorIndex.build([on_a_circle(4)], np.arange(4))
    with pytest.raises(DataError, match=r"4 negatives are needed, .* only 3 entities besides the right one"):
        mine_negatives(index, on_a_circle(4)[:1], [[0]], n_negatives=4)


def test_no_negatives_may_be_asked_for():
    index = VectorIndex.build([on_a_circle(4)], np.arange(4))
    assert mine_negatives(index, on_a_circle(4), [[0]] * 4, n_negatives=0).shape == (4, 0)


@pytest.mark.parametrize(("values", "match"), [({"n_negatives": -1}, "n_negatives"), ({"k": 0}, "k must")])
def test_settings_out_of_range_are_errors(values, match):
    index = VectorIndex.build([on_a_circle(4)], np.arange(4))
    with pytest.raises(ConfigError, match=match):
        mine_negatives(index, on_a_circle(4)[:1], [[0]], **({"n_negatives": 1} | values))


def test_each_query_needs_its_gold():
    index = VectorIndex.build([on_a_circle(4)], np.arange(4))
    with pytest.raises(DataError, match="1 queries need their gold rows each, got 2"):
        mine_negatives(index, on_a_circle(4)[:1], [[0], [1]], n_negatives=1)


def test_a_mention_waits_for_a_batch_without_its_entity():
    gold, shown = [[0], [0], [1], [2]], [[0, 9], [0, 8], [1, 0], [2, 7]]
    assert list(batches_apart(gold, shown, 2, order=[0, 1, 2, 3])) == [[0, 3], [1], [2]]
