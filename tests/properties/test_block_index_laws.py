"""Laws of the search by blocks: what it finds is what comparing everything finds, however it is cut and stored."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from deixis.errors import DataError, StoreError
from deixis.nearest.sparse_index import BlockIndex, BlockIndexConfig
from deixis.tables import FlatRows

quick = settings(max_examples=60, deadline=None)


@st.composite
def searches(draw):
    """Rows of length one, their groups, queries of length one, and an index of the rows."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows, n_columns = draw(st.integers(0, 120)), draw(st.integers(1, 12))
    rows, queries = drawn(random, n_rows, n_columns), drawn(random, draw(st.integers(1, 20)), n_columns)
    n_groups = draw(st.integers(1, 130))
    groups = random.integers(0, n_groups, n_rows)
    config = BlockIndexConfig(block_size=draw(st.sampled_from([1, 2, 7, 64, 256])), max_blocks=4096)
    return (
        rows,
        groups,
        queries,
        BlockIndex.build(rows, groups, config, n_groups),
        draw(st.sampled_from([1, 3, 20, 500])),
    )


def drawn(random, n_rows, n_columns):
    # Few different values, so that ties are common, and columns from rare to everywhere.
    is_there = random.random((n_rows, n_columns)) < np.linspace(0.05, 1, n_columns)
    dense = random.integers(1, 5, (n_rows, n_columns)) * is_there
    lengths = np.linalg.norm(dense, axis=1, keepdims=True)
    return sparse.csr_matrix((dense / np.maximum(lengths, 1)).astype(np.float32))


def best(scores, groups, k):
    """The best k groups above 0 with the scores of their best rows; ties go to the smaller group."""
    of_groups = {}
    for group, score in zip(groups.tolist(), scores.tolist(), strict=True):
        of_groups[group] = max(score, of_groups.get(group, 0))
    return sorted(((s, g) for g, s in of_groups.items() if s > 0), key=lambda hit: (-hit[0], hit[1]))[:k]


def same(a, b):
    return all(np.array_equal(getattr(a, part), getattr(b, part)) for part in ("indptr", "indices", "data"))


@given(searches())
@quick
def test_with_all_blocks_opened_it_finds_what_comparing_every_row_finds(search):
    rows, groups, queries, index, k = search
    largest = rows.toarray().max(axis=0, initial=0)
    codes = np.rint(rows.toarray() / np.where(largest > 0, largest, 1) * 255)
    stored = np.where(rows.toarray() > 0, np.maximum(codes, 1), 0) * (largest / 255)
    found = index.search(queries, k)
    for row, query in enumerate(queries.toarray()):
        listed = slice(found.indptr[row], found.indptr[row + 1])
        expected = best((stored @ query).round(5), groups, k)
        np.testing.assert_allclose(found.data[listed], [score for score, _ in expected], atol=2e-5)
        # Scores that differ in their last bits may change places; groups must be right all the same.
        of_group = {group: score for score, group in best(stored @ query, groups, len(groups))}
        for group, score in zip(found.indices[listed].tolist(), found.data[listed].tolist(), strict=True):
            assert score == pytest.approx(of_group[group], abs=1e-5)
        exact = [score for score, _ in best(rows.toarray() @ query, groups, k)]
        np.testing.assert_allclose(found.data[listed], exact, atol=0.01)


@given(searches())
@quick
def test_what_is_found_is_in_order_and_each_group_once(search):
    _, _, queries, index, k = search
    found = index.search(queries, k, max_blocks=2)
    for start, stop in zip(found.indptr, found.indptr[1:], strict=False):
        hits = list(zip((-found.data[start:stop]).tolist(), found.indices[start:stop].tolist(), strict=True))
        assert hits == sorted(hits) and len(hits) == len({group for _, group in hits}) <= k
        assert all(score < 0 for score, _ in hits)


@given(searches(), st.integers(1, 5), st.integers(1, 40))
@quick
def test_more_blocks_never_lower_a_score(search, n_blocks, n_more):
    _, groups, queries, index, _ = search
    k = len(groups) + 1
    few = index.search(queries, k, max_blocks=n_blocks).toarray()
    more = index.search(queries, k, max_blocks=n_blocks + n_more).toarray()
    assert (more >= few).all()


@given(searches(), st.integers(1, 4))
@quick
def test_threads_batches_and_storage_change_nothing(search, n_blocks):
    _, _, queries, index, k = search
    found = index.search(queries, k, n_threads=1, max_blocks=n_blocks)
    assert same(found, index.search(queries, k, n_threads=4, max_blocks=n_blocks))
    singles = [index.search(queries[row], k, max_blocks=n_blocks) for row in range(queries.shape[0])]
    assert same(found, FlatRows.stacked(singles))
    again = BlockIndex.from_arrays(index.to_arrays("x"), "x", index.n_groups, index.config)
    assert same(found, again.search(queries, k, max_blocks=n_blocks))


@given(searches())
@quick
def test_the_order_of_rows_and_the_size_of_blocks_do_not_matter_when_all_are_opened(search):
    rows, groups, queries, index, k = search
    order = np.random.default_rng(0).permutation(len(groups))
    shuffled = BlockIndex.build(rows[order], groups[order], BlockIndexConfig(5, 4096), index.n_groups)
    found, again = index.search(queries, k), shuffled.search(queries, k)
    assert np.array_equal(found.indptr, again.indptr)
    np.testing.assert_allclose(found.data, again.data, atol=1e-6)  # sums are made in the order of the lists' lengths


@pytest.mark.parametrize("first", range(0, 1200, 300))
def test_damaged_arrays_are_refused_or_give_what_can_be_and_never_crash(first):
    random = np.random.default_rng(1)
    rows = drawn(random, 300, 40)
    index = BlockIndex.build(rows, random.integers(0, 90, 300), BlockIndexConfig(block_size=7), 90)
    sound = index.to_arrays("x")
    names = list(sound)
    for seed in range(first, first + 300):
        random = np.random.default_rng(seed)
        name = names[seed % len(names)]
        damaged = np.frombuffer(sound[name].tobytes(), np.uint8).copy()
        place, length = int(random.integers(len(damaged))), int(random.choice([1, 4, 8, 64, 10**6]))
        changed = damaged[place : place + length]
        changed[:] = random.choice([0x00, 0x7F, 0x80, 0xFF]) if seed % 2 else random.integers(0, 256, len(changed))
        arrays = sound | {name: damaged.view(sound[name].dtype)}
        try:
            for max_blocks in (3, 4096):
                allowed = np.arange(90) % 3 == 0 if seed % 4 == 0 else None
                again = BlockIndex.from_arrays(arrays, "x", 90, index.config)
                found = again.search(rows, 200, max_blocks=max_blocks, allowed=allowed)
                assert found.nnz == 0 or (0 <= found.indices.min() <= found.indices.max() < 90)
                assert (found.data > 0).all()
        except StoreError:
            pass


masks = st.tuples(st.integers(0, 2**32), st.sampled_from([0.0, 0.05, 0.3, 0.9, 1.0]))


def drawn_mask(n_groups, mask):
    return np.random.default_rng(mask[0]).random(n_groups) < mask[1]


@given(searches(), masks)
@quick
def test_a_filter_with_all_blocks_is_the_whole_ranking_without_what_is_not_allowed(search, mask):
    _, _, queries, index, k = search
    allowed = drawn_mask(index.n_groups, mask)
    everything, found = index.search(queries, index.n_groups), index.search(queries, k, allowed=allowed)
    for row in range(queries.shape[0]):
        part, whole = (slice(ranking.indptr[row], ranking.indptr[row + 1]) for ranking in (found, everything))
        is_kept = allowed[everything.indices[whole]]
        assert found.indices[part].tolist() == everything.indices[whole][is_kept][:k].tolist()
        assert found.data[part].tobytes() == everything.data[whole][is_kept][:k].tobytes()


@given(searches(), masks, st.integers(1, 3))
@quick
def test_a_filter_never_gives_fewer_groups_than_share_a_column_however_few_blocks_are_opened(search, mask, n_blocks):
    rows, groups, queries, index, k = search
    allowed = drawn_mask(index.n_groups, mask)
    found = index.search(queries, k, max_blocks=n_blocks, allowed=allowed, n_threads=1)
    shares_a_column = (queries @ rows.T).toarray() > 0
    for row in range(queries.shape[0]):
        n_there = len({group for group in groups[shares_a_column[row]].tolist() if allowed[group]})
        listed = found.indices[found.indptr[row] : found.indptr[row + 1]]
        assert len(listed) == len(set(listed.tolist())) == min(k, n_there)
        assert allowed[listed].all()
    assert same(found, index.search(queries, k, max_blocks=n_blocks, allowed=allowed, n_threads=3))


@pytest.mark.parametrize("n_values", [0, 89, 91])
def test_a_filter_of_another_size_or_kind_is_refused(n_values):
    rows = drawn(np.random.default_rng(1), 300, 40)
    index = BlockIndex.build(rows, np.arange(300) % 90, n_groups=90)
    with pytest.raises(DataError, match="array of 90 booleans"):
        index.search(rows, 5, allowed=np.ones(n_values, dtype=bool))
    with pytest.raises(DataError, match="int64 of shape"):
        index.search(rows, 5, allowed=np.arange(90))
