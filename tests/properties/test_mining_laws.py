"""Laws of mined negatives: never the gold entity, none twice, always as many as asked for, all of them near."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.nearest.vector_index import VectorIndex
from deixis.neural.bi_encoder.mining import batches_apart, mine_negatives

QUICK = settings(max_examples=60, deadline=None)


@st.composite
def searches(draw):
    """An index in which some entities have several vectors, and queries with one or two gold rows each."""
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    n_entities, n_queries = draw(st.integers(4, 30)), draw(st.integers(0, 6))
    groups = np.sort(np.concatenate([np.arange(n_entities), random.integers(0, n_entities, draw(st.integers(0, 40)))]))
    vectors = _unit(random.normal(size=(len(groups), 4)) + draw(st.sampled_from([0, 2])))
    gold = [random.choice(n_entities, draw(st.integers(1, 2)), replace=False).tolist() for _ in range(n_queries)]
    queries = _unit(random.normal(size=(n_queries, 4)) + 0.1)
    n_negatives, k = draw(st.integers(0, n_entities - 2)), draw(st.integers(1, 40))
    return VectorIndex.build([vectors], groups), queries, gold, n_negatives, k


def _unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@QUICK
@given(searches(), st.integers(0, 100))
def test_negatives_are_as_many_as_asked_all_different_and_never_gold(search, seed):
    index, queries, gold, n_negatives, k = search
    mined = mine_negatives(index, queries, gold, n_negatives, k, seed)
    assert mined.shape == (len(queries), n_negatives)
    for rows, right in zip(mined.tolist(), gold, strict=True):
        assert len(set(rows)) == n_negatives and not set(rows) & set(right)
        assert all(0 <= row < index.n_groups for row in rows)


@QUICK
@given(searches(), st.integers(0, 100))
def test_negatives_come_from_the_narrowest_search_that_has_enough(search, seed):
    index, queries, gold, n_negatives, k = search
    mined = mine_negatives(index, queries, gold, n_negatives, k, seed)
    for query, rows, right in zip(queries, mined.tolist(), gold, strict=True):
        width = k
        while True:
            found = set(index.search(query[None], width).indices.tolist()) - set(right)
            if len(found) >= n_negatives or width >= index.n_groups:
                break
            width *= 2
        assert set(rows) <= found or found <= set(rows)  # the latter where the index finds no more


@QUICK
@given(searches(), st.integers(0, 100))
def test_the_same_seed_draws_the_same_and_a_query_does_not_mind_those_after_it(search, seed):
    index, queries, gold, n_negatives, k = search
    mined = mine_negatives(index, queries, gold, n_negatives, k, seed)
    again = mine_negatives(index, queries[:2], gold[:2], n_negatives, k, seed)
    np.testing.assert_array_equal(mined[:2], again)


@QUICK
@given(
    st.lists(st.tuples(st.integers(0, 12), st.sets(st.integers(0, 12), max_size=4)), max_size=40),
    st.integers(1, 5),
    st.randoms(),
)
def test_in_a_batch_no_entity_is_a_negative_of_its_own_mention(queries, batch_size, random):
    gold = [[row] for row, _ in queries]
    shown = [[row, *sorted(others - {row})] for row, others in queries]
    order = list(range(len(queries)))
    random.shuffle(order)
    batches = list(batches_apart(gold, shown, batch_size, order))
    assert sorted(query for batch in batches for query in batch) == sorted(order)
    for batch in batches:
        assert 1 <= len(batch) <= batch_size
        for query in batch:
            assert not any(gold[query][0] in shown[other] for other in batch if other != query)
