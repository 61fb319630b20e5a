import numpy as np
import pytest

from benchmarks.speed.faiss_index import FaissIndex, flat_search
from deixis.errors import ConfigError, DataError, StoreError
from deixis.nearest import VECTOR_INDEXES
from deixis.nearest.graph_index import GraphIndex
from deixis.nearest.vector_index import VectorIndex

KINDS = sorted(VECTOR_INDEXES)
GRAPHS = pytest.mark.parametrize("graph", [FaissIndex, GraphIndex])


def unit(n: int, d: int = 16, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def rows_of(found) -> list[list[int]]:
    return [found.indices[low:high].tolist() for low, high in zip(found.indptr, found.indptr[1:], strict=False)]


def compared(vectors, groups, n_groups, queries, k) -> list[list[int]]:
    """The best groups by comparing everything with everything."""
    scores = queries.astype(np.float64) @ vectors.T
    best = np.full((len(queries), n_groups), -1.0)
    for place, group in enumerate(groups):
        best[:, group] = np.maximum(best[:, group], scores[:, place])
    return [[int(g) for g in np.argsort(-row, kind="stable")[:k] if row[g] > 1e-6] for row in best]


@pytest.fixture(scope="module", params=KINDS)
def kind(request):
    return VECTOR_INDEXES[request.param]


def test_the_best_vector_of_a_group_counts(kind):
    vectors = np.array([[1, 0], [0, 1], [0.6, 0.8], [-1, 0]], dtype=np.float32)
    index = kind.build([vectors[:3], vectors[3:]], np.array([0, 0, 1, 2]), 4)
    found = index.search(np.array([[0, 1], [1, 0], [0, 0]], dtype=np.float32), k=4)
    assert rows_of(found) == [[0, 1], [0, 1], []] and found.shape == (3, 4)
    np.testing.assert_allclose(found.data, [1, 0.8, 1, 0.6], atol=0.005)


def test_scores_are_cosines_to_a_few_thousandths_and_never_above_one(kind):
    vectors = unit(500, 64)
    found = kind.build([vectors], np.arange(500)).search(vectors, k=1)
    assert found.indices.tolist() == list(range(500)) and found.data.max() <= 1 and found.data.min() > 0.997


def test_a_query_has_the_same_answer_alone_and_among_others(kind):
    index = kind.build([unit(3000)], np.arange(3000) // 3)
    queries = unit(40, seed=1)
    together = index.search(queries, 7)
    for row in range(40):
        alone, among = index.search(queries[row : row + 1], 7), together[row]
        assert alone.indices.tolist() == among.indices.tolist() and alone.data.tobytes() == among.data.tobytes()


def test_equal_scores_go_to_the_earlier_group(kind):
    index = kind.build([np.tile(unit(1), (200, 1))], np.arange(200))
    assert rows_of(index.search(unit(1), k=100)) == [list(range(100))]


def test_blocks_of_vectors_do_not_split_what_is_found():
    vectors, groups = unit(20_000, 8), np.sort(np.random.default_rng(2).integers(0, 900, 20_000))
    queries = unit(300, 8, seed=3)
    index = VectorIndex.build([vectors], groups, 900)
    kept = index.vectors(slice(None))
    assert rows_of(index.search(queries, 10)) == compared(kept, groups, 900, queries, 10)


def test_a_group_of_thousands_leaves_room_for_others():
    vectors = np.concatenate([np.tile(unit(1), (9000, 1)), unit(50, seed=5)])
    groups = np.concatenate([np.zeros(9000, int), np.arange(1, 51)])
    for kind in (VectorIndex, GraphIndex, FaissIndex):
        index = kind.build([vectors], groups)
        exact = index if kind is VectorIndex else index.exact
        assert rows_of(index.search(unit(1), k=5)) == compared(exact.vectors(slice(None)), groups, 51, unit(1), 5)


def test_only_open_vectors_are_found_and_as_many_as_there_are(kind):
    index = kind.build([unit(2000)], np.arange(2000) // 2)
    queries = unit(5, seed=9)
    for share in (0.5, 0.01, 0.0):
        is_open = np.random.default_rng(1).random(2000) < share
        opened = np.flatnonzero(is_open)
        sub = VectorIndex.build([unit(2000)[opened]], opened // 2, 1000)
        assert rows_of(index.search(queries, 12, is_open)) == rows_of(sub.search(queries, 12))


@GRAPHS
def test_a_graph_finds_nearly_all_that_exact_search_finds(graph):
    # Vectors in clumps, as names are: neighbours of one are neighbours of the others.
    centres = unit(300, 32)
    vectors = np.repeat(centres, 20, axis=0) + 0.3 * unit(6000, 32, seed=1)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    groups = np.arange(6000)
    queries = vectors[::60] + 0.1 * unit(100, 32, seed=2)
    exact, walked = (kind.build([vectors], groups).search(queries, 10) for kind in (VectorIndex, graph))
    same = [len(set(a) & set(b)) for a, b in zip(rows_of(exact), rows_of(walked), strict=True)]
    assert np.mean(same) >= 9.8


@GRAPHS
def test_a_graph_is_the_same_each_time_it_is_built(graph):
    one, two = (graph.build([unit(1000)], np.arange(1000)).to_arrays("x") for _ in range(2))
    assert {name: array.tobytes() for name, array in one.items()} == {name: a.tobytes() for name, a in two.items()}


def test_comparing_all_finds_what_the_flat_index_of_faiss_finds():
    index = VectorIndex.build([unit(20_000, 32)], np.arange(20_000))
    queries = unit(50, 32, seed=7)
    scores, places = flat_search(index.vectors(slice(None)), queries, 20)
    found = index.search(queries, 20)
    assert rows_of(found) == places.tolist()
    np.testing.assert_allclose(found.data, scores.ravel(), atol=1e-5)


def test_how_many_threads_faiss_uses_is_put_back():
    faiss = pytest.importorskip("faiss")
    before = faiss.omp_get_max_threads()
    FaissIndex.build([unit(1000)], np.arange(1000)).search(unit(3), 2)
    assert faiss.omp_get_max_threads() == before


def test_what_is_stored_finds_the_same(kind):
    index = kind.build([unit(3000)], np.arange(3000) // 3)
    arrays = index.to_arrays("x")
    again = kind.from_arrays(arrays, "x", n_groups=1000)
    found, expected = again.search(unit(9, seed=4), 8), index.search(unit(9, seed=4), 8)
    assert rows_of(found) == rows_of(expected) and found.data.tobytes() == expected.data.tobytes()
    for missing in arrays:
        with pytest.raises(StoreError):
            kind.from_arrays({name: array for name, array in arrays.items() if name != missing}, "x", n_groups=1000)
    with pytest.raises(StoreError, match="must lie in"):
        kind.from_arrays(arrays, "x", n_groups=999)


@GRAPHS
def test_a_graph_of_other_vectors_is_refused(graph):
    arrays = graph.build([unit(12)], np.arange(12)).to_arrays("x")
    fewer, shorter = (graph.build([rows], np.arange(len(rows))).to_arrays("x") for rows in (unit(10), unit(12, 8)))
    for wrong in (fewer["x.graph"], shorter["x.graph"], np.zeros(100, np.uint8), arrays["x.graph"][:-40]):
        with pytest.raises(StoreError, match="damaged"):
            graph.from_arrays(arrays | {"x.graph": wrong}, "x", n_groups=12)


def test_another_kind_of_faiss_index_is_refused():
    faiss = pytest.importorskip("faiss")
    flat = faiss.IndexFlatIP(16)
    flat.add(unit(12))
    arrays = FaissIndex.build([unit(12)], np.arange(12)).to_arrays("x")
    with pytest.raises(StoreError, match="no HNSW,SQ8"):
        FaissIndex.from_arrays(arrays | {"x.graph": faiss.serialize_index(flat)}, "x", n_groups=12)


def test_what_does_not_fit_is_refused(kind):
    index = kind.build([unit(10)], np.arange(10))
    with pytest.raises(ConfigError, match="at least 1"):
        index.search(unit(1), 0)
    with pytest.raises(DataError, match="do not fit"):
        index.search(unit(1, 5), 1)
    with pytest.raises(DataError, match="10 booleans"):
        index.search(unit(1), 1, np.ones(9, dtype=bool))
    with pytest.raises(DataError, match="never fall"):
        kind.build([unit(2)], np.array([1, 0]))
    with pytest.raises(DataError, match="need a group each"):
        kind.build([unit(2)], np.array([0]))


def test_scores_of_chosen_groups_are_those_that_a_search_finds(kind):
    groups = np.sort(np.random.default_rng(3).integers(0, 40, 200))
    index, queries = kind.build([unit(200)], groups, 50), unit(6, seed=8)
    whole = index.search(queries, 50).toarray()
    chosen = np.random.default_rng(4).integers(0, 50, 60)
    found = index.exact.scores(queries, np.arange(0, 61, 10), chosen)
    np.testing.assert_array_equal(found, whole[np.repeat(np.arange(6), 10), chosen])


def test_two_indexes_joined_find_what_one_of_all_vectors_finds(kind):
    rows, groups = unit(300), np.random.default_rng(5).integers(0, 50, 300)
    order = np.argsort(groups, kind="stable")
    parts = [order[order < 200], order[order >= 200]]
    first, second = (VectorIndex.build([rows[part]], groups[part], 50) for part in parts)
    joined, whole = kind.over(first.joined(second)), kind.build([rows[order]], groups[order], 50)
    queries = unit(5, seed=6)
    assert rows_of(joined.search(queries, 9)) == rows_of(whole.search(queries, 9))
    nothing = VectorIndex.build([], np.zeros(0, np.int32), 50)
    assert nothing.joined(first).codes.tobytes() == first.codes.tobytes() == first.joined(nothing).codes.tobytes()
    with pytest.raises(DataError, match="16 and of 4"):
        first.joined(VectorIndex.build([unit(3, 4)], np.arange(3)))
