import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from deixis.errors import ConfigError, DataError, StoreError
from deixis.native._core import indel_similarity
from deixis.nearest.spelling_index import IndelIndex
from tests.processes import PATIENCE, processor_seconds, start


def index_of(*names):
    return IndelIndex.build(names, np.arange(len(names)))


def listed(found) -> list[list[tuple[int, float]]]:
    pairs = [(group, round(score, 3)) for group, score in zip(found.indices.tolist(), found.data.tolist(), strict=True)]
    return [pairs[start:stop] for start, stop in zip(found.indptr, found.indptr[1:], strict=False)]


def test_the_most_similar_name_comes_first_as_the_thesis_measures_it():
    # floor and flower: one deletion and two insertions, 1 - 3 / (5 + 6)
    assert listed(index_of("tower", "floor", "flow").search(["flower"], k=3)) == [[(2, 0.8), (0, 0.727), (1, 0.727)]]


def test_an_entity_counts_by_its_best_name_and_comes_once():
    index = IndelIndex.build(["abcd", "abce", "abxx", "ab"], np.array([3, 3, 3, 1]))
    assert listed(index.search(["abce"], k=5)) == [[(3, 1.0), (1, 0.667)]]
    assert index.search(["abce"], k=5).shape == (1, 4)


def test_ties_go_to_the_smaller_group_wherever_its_name_stands():
    names = [f"ab{chr(0x4E00 + n)}" for n in range(500)]
    index = IndelIndex.build(names, np.arange(500)[::-1].copy())
    assert index.search(["ab!"], k=4).indices.tolist() == [0, 1, 2, 3]
    same = IndelIndex.build(["paris"] * 300 + ["pari"], np.arange(301)[::-1].copy())
    assert same.search(["paris"], k=3).indices.tolist() == [1, 2, 3]


def test_a_group_with_many_good_names_does_not_crowd_out_the_others():
    names = [f"berlin{n}" for n in range(500)] + ["bern", "ber", "merlin"]
    index = IndelIndex.build(names, np.array([0] * 500 + [1, 2, 3]))
    assert [group for group, _ in listed(index.search(["berlin"], k=4))[0]] == [0, 3, 1, 2]


def test_a_query_that_is_a_name_may_stop_there():
    index = index_of("paris", "pariss", "Paris", "parish")
    assert listed(index.search(["paris", "parise"], k=9, stops_at_exact=True)) == [
        [(0, 1.0)],
        [(0, 0.909), (1, 0.833), (3, 0.833), (2, 0.727)],
    ]
    is_allowed = np.array([False, True, True, True])
    assert listed(index.search(["paris"], k=1, stops_at_exact=True, allowed=is_allowed)) == [[(1, 0.909)]]


def test_what_is_not_allowed_is_left_out_before_the_best_are_taken():
    index = IndelIndex.build([f"name {n:04}" for n in range(2000)], np.arange(2000))
    allowed = np.zeros(2000, dtype=bool)
    allowed[[3, 1999, 512]] = True
    assert sorted(index.search(["name 0004"], k=3, allowed=allowed).indices.tolist()) == [3, 512, 1999]
    assert index.search(["name 0004"], k=3, allowed=np.zeros(2000, dtype=bool)).nnz == 0


def test_similarities_below_the_least_are_left_out_and_those_equal_to_it_are_not():
    index = index_of("abcde", "abcdx", "abxyz")
    assert listed(index.search(["abcde"], k=3, min_similarity=0.8)) == [[(0, 1.0), (1, 0.8)]]
    assert listed(index.search(["abcde"], k=3, min_similarity=0.81)) == [[(0, 1.0)]]
    assert listed(index.search(["abcde"], k=3, min_similarity=1.0)) == [[(0, 1.0)]]


def test_names_without_a_common_character_are_never_found():
    assert listed(index_of("abc", "", "xyz").search(["abq", "qqq", "Ω"], k=3)) == [[(0, 0.667)], [], []]


def test_the_empty_name_is_like_itself_alone():
    assert listed(index_of("", "a").search(["", "a"], k=3)) == [[(0, 1.0)], [(1, 1.0)]]


def test_nothing_indexed_and_nothing_asked_give_empty_rows():
    empty = IndelIndex.build([], np.zeros(0, np.int64))
    assert empty.search(["a", "b"], k=3).shape == (2, 0)
    assert IndelIndex.build([], np.zeros(0, np.int64), n_groups=4).search(["a"], k=3).shape == (1, 4)
    assert index_of("a").search([], k=3).shape == (0, 1)


def test_lengths_are_of_code_points_in_any_script():
    index = index_of("北京市", "東京都", "🦕🦖", "القاهرة", "e\u0301")
    found = index.search(["北京", "京都", "🦕", "القاهره", "é"], k=1)
    assert listed(found) == [[(0, 0.8)], [(1, 0.8)], [(2, 0.667)], [(3, 0.857)], []]


def test_more_characters_than_two_bytes_can_number():
    names = [chr(code) for code in range(0x20, 0x11000) if not 0xD800 <= code < 0xE000]
    index = index_of(*names)
    for place in (0, 200, 20_000, len(names) - 1):
        assert listed(index.search([names[place]], k=2)) == [[(place, 1.0)]]


@pytest.mark.parametrize("n", [63, 64, 65, 128, 129, 300, 1000])
def test_names_longer_than_a_word_of_the_machine(n):
    name = "".join(chr(97 + i * i % 26) for i in range(n))
    index = index_of(name, name[::-1], "x" * n)
    changed = name[: n // 2] + "Q" + name[n // 2 + 1 :]
    assert listed(index.search([changed], k=1)) == [[(0, round((n - 1) / n, 3))]]


@pytest.mark.parametrize("k", [1, 2, 10**6, 2**62, 2**70])
def test_one_name_and_more_asked_for_than_there_is(k):
    assert listed(index_of("a").search(["ab"], k)) == [[(0, 0.667)]]


@pytest.mark.parametrize(("groups", "n_groups"), [([0], None), ([0, -1], None), ([0, 2], 2), ([0, 2**31], None)])
def test_groups_that_do_not_fit_are_refused(groups, n_groups):
    with pytest.raises(DataError, match=r"group each|Groups must lie"):
        IndelIndex.build(["a", "b"], np.array(groups), n_groups=n_groups)


def test_questions_that_make_no_sense_are_refused():
    index = index_of("a", "b")
    with pytest.raises(ConfigError, match="k must be at least 1"):
        index.search(["a"], k=0)
    for least in (-0.1, 1.1, float("nan")):
        with pytest.raises(ConfigError, match="must lie in 0..1"):
            index.search(["a"], k=1, min_similarity=least)
    for allowed in (np.ones(3, dtype=bool), np.ones(2)):
        with pytest.raises(DataError, match="one for each label"):
            index.search(["a"], k=1, allowed=allowed)


def test_arrays_that_are_missing_or_do_not_fit_each_other_are_refused():
    arrays = index_of("ab", "ac", "abc").to_arrays("x")
    for name, array in arrays.items():
        # A character that the alphabet lost is as unknown as any other.
        shorter = [arrays | {name: array[:-1]}] if name != "x.alphabet" else []
        for damaged in [*shorter, {n: a for n, a in arrays.items() if n != name}]:
            with pytest.raises(StoreError):
                IndelIndex.from_arrays(damaged, "x", 3).search(["abc", "ac"], k=3)


def as_format_2(arrays):
    """The arrays of an index as models of format 2 have them: two halves of each name's bits, one after the other."""
    n_blocks, starts = len(arrays["x.block_lengths"]), arrays["x.block_starts"]
    planes = arrays["x.planes"].reshape(n_blocks, 2, 64)
    bits = [
        (planes[block] >> np.uint64(name - starts[block])) & np.uint64(1)
        for block in range(n_blocks)
        for name in range(starts[block], starts[block + 1])
    ]
    sketches = (np.array(bits) << np.arange(64, dtype=np.uint64)).sum(axis=2, dtype=np.uint64)
    kept = {n: a for n, a in arrays.items() if n not in ("x.planes", "x.section_planes", "x.bit_counts")}
    return kept | {"x.sketches": sketches[:, 0].copy(), "x.others": sketches[:, 1].copy()}


def test_an_index_of_a_model_of_format_2_finds_the_same():
    random = np.random.default_rng(0)
    names = sorted({"".join(map(chr, random.integers(97, 107, 1 + n % 9))) for n in range(3000)})
    index = index_of(*names)
    older = as_format_2(index.to_arrays("x"))
    opened = IndelIndex.from_arrays(older, "x", len(names))
    queries = [name[1:] + "a" for name in names[::20]]
    for stops in (True, False):
        expected = index.search(queries, k=5, min_similarity=0.6, stops_at_exact=stops)
        assert listed(opened.search(queries, k=5, min_similarity=0.6, stops_at_exact=stops)) == listed(expected)
    for name in ("x.sketches", "x.others", "x.block_starts"):
        with pytest.raises(StoreError):
            IndelIndex.from_arrays(older | {name: older[name][:-1]}, "x", len(names))


def test_each_query_may_have_a_least_similarity_of_its_own():
    index = index_of("abcde", "abcdx", "abxyz")
    assert listed(index.search(["abcde", "abcde"], k=3, min_similarity=np.array([1.0, 0.8]))) == [
        [(0, 1.0)],
        [(0, 1.0), (1, 0.8)],
    ]
    with pytest.raises(ConfigError, match="must lie in 0..1"):
        index.search(["abcde", "abcde"], k=3, min_similarity=np.array([1.0, np.nan]))


INTERRUPTED = """
import sys, numpy as np
from deixis.native import _core
from deixis.nearest.spelling_index import IndelIndex
rng = np.random.default_rng(0)
text = lambda n: rng.integers(97, 123, n, np.uint8).tobytes().decode()
index = IndelIndex.build([text(20) for _ in range(50_000)], np.arange(50_000))
queries = [text(20) for _ in range(2000)] + [text(20_000) for _ in range(50)]
try:
    print("started", flush=True)
    index.search(queries[int(sys.argv[2]) :], 50_000, n_threads=int(sys.argv[1]))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("n_threads", "first"), [(1, 0), (2, 0), (1, 2000)])
def test_ctrl_c_ends_a_long_search_within_about_a_second(n_threads, first):
    command = [sys.executable, "-c", INTERRUPTED, str(n_threads), str(first)]
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


def test_a_long_query_finds_its_nearest_name_among_tens_of_thousands_and_under_a_filter_all_similar_ones():
    random = np.random.default_rng(0)
    names = ["".join(row) for row in random.choice(np.array(list("aaeinst")), (25_000, 34))]
    index = index_of(*names)
    query = names[20_000][:15] + "x" + names[20_000][17:]
    exact = index.search([query], k=20, min_similarity=0.5, allowed=np.ones(len(names), dtype=bool))
    similar = sorted((indel_similarity(name, query) for name in names), reverse=True)[:20]
    assert exact.data.tolist() == pytest.approx(similar, abs=1e-6)
    found = index.search([query], k=20, min_similarity=0.5)  # not all names are compared
    assert found.indices[0] == exact.indices[0] == 20_000
    assert len(found.indices) == 20 and (found.data <= exact.data).all()
