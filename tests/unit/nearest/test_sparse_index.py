import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from scipy import sparse

from deixis.errors import ConfigError, DataError, StoreError
from deixis.nearest.sparse_index import BlockIndex, BlockIndexConfig
from tests.processes import PATIENCE, processor_seconds, start


def matrix(rows) -> sparse.csr_matrix:
    return sparse.csr_matrix(np.array(rows, dtype=np.float32))


def listed(found) -> list[list[tuple[int, float]]]:
    pairs = [(group, round(score, 2)) for group, score in zip(found.indices.tolist(), found.data.tolist(), strict=True)]
    return [pairs[start:stop] for start, stop in zip(found.indptr, found.indptr[1:], strict=False)]


def test_the_best_groups_come_first_with_the_score_of_their_best_row():
    rows = matrix([[1, 0], [0.6, 0.8], [0, 1]])
    index = BlockIndex.build(rows, np.array([4, 2, 4]))
    assert listed(index.search(matrix([[1, 0], [0, 1]]), k=5)) == [[(4, 1.0), (2, 0.6)], [(4, 1.0), (2, 0.8)]]
    assert index.search(matrix([[1, 0]]), k=1).shape == (1, 5)


def test_ties_go_to_the_smaller_group_wherever_its_row_stands():
    index = BlockIndex.build(matrix([[1]] * 200), np.arange(200)[::-1].copy(), BlockIndexConfig(block_size=8))
    assert index.search(matrix([[1]]), k=3).indices.tolist() == [0, 1, 2]


def test_a_group_with_many_good_rows_does_not_crowd_out_the_others():
    rows = matrix([[1.0]] * 500 + [[0.5]] * 3)
    index = BlockIndex.build(rows, np.array([0] * 500 + [1, 2, 3]))
    assert listed(index.search(matrix([[1]]), k=3)) == [[(0, 1.0), (1, 0.5), (2, 0.5)]]


def test_groups_whose_many_good_rows_stand_apart_do_not_crowd_out_the_others():
    rows = matrix([[1.0], [0.9]] * 250 + [[0.5], [0.1]])
    index = BlockIndex.build(rows, np.array([1, 0] * 250 + [3, 2]))
    assert listed(index.search(matrix([[1]]), k=3)) == [[(1, 1.0), (0, 0.9), (3, 0.5)]]
    assert listed(index.search(matrix([[1]]), k=9)) == [[(1, 1.0), (0, 0.9), (3, 0.5), (2, 0.1)]]


def test_what_only_a_light_column_finds_is_found_when_all_blocks_are_opened():
    rows = matrix([[1, 0.1]] + [[0, 0.1]] * 9)
    index = BlockIndex.build(rows, np.arange(10), BlockIndexConfig(block_size=1))
    assert index.search(matrix([[1, 0.1]]), k=10).indices.tolist() == list(range(10))


def test_nothing_known_and_nothing_indexed_give_empty_rows():
    index = BlockIndex.build(matrix([[1, 0], [0.5, 0]]), np.array([0, 1]))
    assert listed(index.search(matrix([[0, 0], [0, 3]]), k=2)) == [[], []]
    assert index.search(sparse.csr_matrix((0, 2), dtype=np.float32), k=2).shape == (0, 2)
    empty = BlockIndex.build(sparse.csr_matrix((0, 2), dtype=np.float32), np.zeros(0, np.int64))
    assert empty.search(matrix([[1, 1]]), k=2).shape == (1, 0)
    blank = BlockIndex.build(sparse.csr_matrix((3, 2), dtype=np.float32), np.arange(3))
    assert listed(blank.search(matrix([[1, 1]]), k=2)) == [[]]


def test_one_row_and_more_asked_for_than_there_is():
    index = BlockIndex.build(matrix([[0.3]]), np.array([0]))
    for k in (1, 2, 10**6, 2**62, 2**63 - 1, 2**70):
        assert listed(index.search(matrix([[1]]), k)) == [[(0, 0.3)]]


def test_weights_of_0_or_less_in_a_query_count_for_nothing():
    index = BlockIndex.build(matrix([[1, 1], [0, 1]]), np.arange(2))
    assert listed(index.search(matrix([[-5, 1]]), k=2)) == [[(0, 1.0), (1, 1.0)]]
    assert listed(index.search(matrix([[-5, 0]]), k=2)) == [[]]


def test_zeros_that_are_stored_are_not_weights():
    rows = sparse.csr_matrix((np.array([0, 1], np.float32), [0, 0], [0, 1, 2]), shape=(2, 1))
    assert listed(BlockIndex.build(rows, np.arange(2)).search(matrix([[1]]), k=2)) == [[(1, 1.0)]]


def test_columns_in_any_order_and_places_given_twice_are_summed():
    tangled = sparse.csr_matrix((np.array([1, 2, 3], np.float32), [1, 0, 1], [0, 3]), shape=(1, 2))
    index = BlockIndex.build(tangled, np.array([0]))
    assert listed(index.search(matrix([[1, 1]]), k=1)) == [[(0, 6.0)]]
    assert listed(index.search(tangled, k=1)) == [[(0, 20.0)]]
    assert tangled.indices.tolist() == [1, 0, 1]


def test_other_number_types_are_taken():
    index = BlockIndex.build(sparse.csr_matrix(np.array([[2, 0], [0, 4]])), np.array([0, 1], dtype=np.uint8))
    query = sparse.csr_matrix(np.array([[1.0, 1.0]]))
    query.indices, query.indptr = query.indices.astype(np.int64), query.indptr.astype(np.int64)
    assert listed(index.search(query, k=2)) == [[(1, 4.0), (0, 2.0)]]


@pytest.mark.parametrize("weight", [1e-38, 1e-45, 1e30])
def test_very_small_and_very_large_weights_crash_nothing(weight):
    rows = matrix([[weight]] * 300)
    index = BlockIndex.build(rows, np.arange(300), BlockIndexConfig(block_size=1))
    for query in (1e-45, 1.0, 3e38):
        found = index.search(matrix([[query]]), k=5, max_blocks=7)
        assert found.nnz <= 5 and not np.isnan(found.data).any()


@pytest.mark.parametrize("weight", [-1, np.nan, np.inf, 1e39])
def test_weights_that_are_no_finite_numbers_from_0_up_are_refused(weight):
    with pytest.raises(DataError, match=r"at least 0|not finite"):
        BlockIndex.build(sparse.csr_matrix(np.array([[1, weight]], dtype=np.float64)), np.array([0]))


@pytest.mark.parametrize("weight", [np.nan, np.inf, -np.inf])
def test_queries_that_are_not_finite_are_refused(weight):
    with pytest.raises(DataError, match="not finite"):
        BlockIndex.build(matrix([[1]]), np.array([0])).search(matrix([[weight]]), k=1)


@pytest.mark.parametrize(("columns", "dtype"), [([2], np.int32), ([-1], np.int32), ([2**32], np.int64)])
def test_queries_whose_columns_lie_outside_are_refused(columns, dtype):
    query = matrix([[1, 0]])
    query.indices = np.array(columns, dtype=dtype)
    with pytest.raises(DataError, match="damaged CSR"):
        BlockIndex.build(matrix([[1, 0]]), np.array([0])).search(query, k=1)


@pytest.mark.parametrize(("groups", "n_groups"), [([0], None), ([0, -1], None), ([0, 2], 2), ([0, 2**31], None)])
def test_groups_that_do_not_fit_are_refused(groups, n_groups):
    with pytest.raises(DataError, match=r"group each|Groups must lie"):
        BlockIndex.build(matrix([[1], [1]]), np.array(groups), n_groups=n_groups)


def test_queries_of_another_width_are_refused():
    with pytest.raises(DataError, match="3 columns; the index has 1"):
        BlockIndex.build(matrix([[1]]), np.array([0])).search(matrix([[1, 0, 0]]), k=1)


@pytest.mark.parametrize("settings", [{"block_size": 0}, {"block_size": 257}, {"max_blocks": 0}, {"max_blocks": 4097}])
def test_settings_outside_their_range_are_refused(settings):
    with pytest.raises(ConfigError, match="must lie in 1"):
        BlockIndexConfig(**settings)


@pytest.mark.parametrize("max_blocks", [0, -1, 65536])
def test_a_search_opens_no_number_of_blocks_that_the_settings_would_not_take(max_blocks):
    with pytest.raises(ConfigError, match="max_blocks must lie in"):
        BlockIndex.build(matrix([[1]]), np.array([0])).search(matrix([[1]]), k=1, max_blocks=max_blocks)


def test_fewer_than_one_group_cannot_be_asked_for():
    with pytest.raises(ConfigError, match="k must be at least 1"):
        BlockIndex.build(matrix([[1]]), np.array([0])).search(matrix([[1]]), k=0)


def test_arrays_that_are_missing_or_do_not_fit_each_other_are_refused():
    index = BlockIndex.build(matrix([[1, 0], [0.6, 0.8]]), np.arange(2))
    arrays = index.to_arrays("x")
    for name, array in arrays.items():
        for damaged in (arrays | {name: array[:-1]}, {n: a for n, a in arrays.items() if n != name}):
            with pytest.raises(StoreError):
                BlockIndex.from_arrays(damaged, "x", 2, index.config).search(matrix([[1, 1]]), k=2)


def in_full(index) -> dict[str, np.ndarray]:
    """The arrays as models of format 2 have them: blocks and starts of entries in full, codes of all weights."""
    arrays = index.to_arrays("x")
    runs, n_columns = arrays["x.column_starts"], index.n_columns
    n_shards = (len(runs) - 1) // n_columns
    shards = np.repeat(np.tile(np.arange(n_shards), n_columns), np.diff(runs))
    n_runs = len(arrays["x.blocks"])
    starts = arrays["x.entry_marks"][np.arange(n_runs + 1) // 256] + arrays["x.entry_starts"]
    full = {
        name: np.concatenate([np.full(n - len(arrays[name]), 255, np.uint8), arrays[name]])
        for name, n in (("x.maxima", n_runs), ("x.codes", len(arrays["x.places"])))
    }
    full |= {
        "x.column_starts": runs[::n_shards].astype(np.int64),
        "x.blocks": (shards * 65536 + arrays["x.blocks"]).astype(np.int32),
        "x.entry_starts": starts.astype(np.uint32),
    }
    return {name: array for name, array in (arrays | full).items() if name != "x.entry_marks"}


@pytest.fixture(scope="module")
def many_blocks():
    """140,000 rows in blocks of one: more than a number of two bytes can count, twice; and their index."""
    random = np.random.default_rng(3)
    is_there = sparse.random(140_000, 30, 0.02, "csr", np.float32, random)
    is_there.data[:] = random.choice(np.array([0.25, 0.5, 1], np.float32), is_there.nnz)
    return is_there, BlockIndex.build(is_there, np.arange(140_000), BlockIndexConfig(block_size=1))


def test_more_blocks_than_two_bytes_can_count_are_all_searched(many_blocks):
    rows, index = many_blocks
    for column, row in ((3, 5), (7, 69_000), (29, 139_900)):
        query = sparse.csr_matrix((np.ones(2, np.float32), ([0, 0], [column, 0])), shape=(1, 30))
        scores = (rows @ query.T).toarray().ravel()
        best = [each for each in np.lexsort((np.arange(len(scores)), -scores)).tolist() if scores[each] > 0]
        assert index.search(query, k=9, max_blocks=4096).indices.tolist() == best[:9]
        best = [each for each in best if each >= row]
        allowed = np.arange(140_000) >= row
        assert index.search(query, k=9, max_blocks=4096, allowed=allowed).indices.tolist() == best[:9]
        having = np.flatnonzero(rows[:, [column]].toarray().ravel())
        assert np.sort(index.groups_with(column)).tolist() == having.tolist()
        assert index.n_entries(column) == len(having)


@pytest.mark.parametrize("block_size", [1, 7, 64])
def test_an_index_of_format_2_finds_the_same(many_blocks, block_size):
    rows, index = many_blocks
    if block_size > 1:
        index = BlockIndex.build(rows, np.arange(rows.shape[0]), BlockIndexConfig(block_size=block_size))
    again = BlockIndex.from_arrays(in_full(index), "x", index.n_groups, index.config)
    found, same = index.search(rows[:50], k=20), again.search(rows[:50], k=20)
    for part in ("indptr", "indices", "data"):
        assert np.array_equal(getattr(found, part), getattr(same, part))
    assert np.array_equal(index.groups_with(4), again.groups_with(4))


def test_an_index_of_format_3_is_that_of_today():
    arrays = BlockIndex.build(matrix([[1, 0.5], [0, 2]]), np.arange(2)).to_arrays("x")
    assert arrays["x.column_starts"].dtype == np.uint32
    wide = arrays | {"x.column_starts": arrays["x.column_starts"].astype(np.int64)}
    again = BlockIndex.from_arrays(wide, "x", 2, BlockIndexConfig()).to_arrays("x")
    assert {name: each.tobytes() for name, each in again.items()} == {n: each.tobytes() for n, each in arrays.items()}
    for wrong in (-1, 1 << 32):
        wide["x.column_starts"][0] = wrong
        with pytest.raises(StoreError, match="column_starts"):
            BlockIndex.from_arrays(wide, "x", 2, BlockIndexConfig())


def test_damaged_arrays_of_format_2_are_refused(many_blocks):
    _, index = many_blocks
    arrays = in_full(index)
    falling = arrays["x.column_starts"].copy()
    falling[3] = -1
    for damaged in ({"x.column_starts": falling}, {"x.entry_starts": arrays["x.entry_starts"][:-1]}):
        with pytest.raises(StoreError):
            BlockIndex.from_arrays(arrays | damaged, "x", index.n_groups, index.config)


def test_the_first_columns_of_equal_weights_need_no_codes():
    rows = matrix([[1, 0.5, 0.3, 1], [1, 0, 0.6, 1], [0, 0.5, 0, 1]])
    index = BlockIndex.build(rows, np.arange(3), BlockIndexConfig(block_size=1))
    arrays = index.to_arrays("x")
    assert (len(arrays["x.places"]), len(arrays["x.codes"])) == (9, 5)  # of the third column, and of all behind it
    assert listed(index.search(matrix([[1, 0, 0, 0], [0, 1, 1, 0]]), k=3)) == [
        [(0, 1.0), (1, 1.0)],
        [(0, 0.8), (1, 0.6), (2, 0.5)],
    ]


INTERRUPTED = """
import sys, numpy as np
from scipy import sparse
from deixis.nearest.sparse_index import BlockIndex
rng = np.random.default_rng(0)
rows = sparse.csr_matrix((rng.random(2_000_000, np.float32), rng.integers(0, 200, 2_000_000),
                          np.arange(0, 2_000_001, 20)), shape=(100_000, 200))
index = BlockIndex.build(rows, np.arange(100_000))
queries = sparse.vstack([rows] * 20, format="csr")
try:
    print("started", flush=True)
    index.search(queries, 10, n_threads=int(sys.argv[1]), max_blocks=1024)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("n_threads", [1, 2])
def test_ctrl_c_ends_a_long_search_within_about_a_second(n_threads):
    command = [sys.executable, "-c", INTERRUPTED, str(n_threads)]
    with start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "started\n"
            time.sleep(0.5)
            assert process.poll() is None
            used = processor_seconds(process.pid)
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == "interrupted\n", process.stderr.read()
            assert processor_seconds(process.pid) - used < 3.0  # usually a tenth of a second
            assert process.wait(timeout=PATIENCE) == 0
        finally:
            process.kill()
