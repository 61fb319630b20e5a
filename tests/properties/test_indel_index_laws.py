"""Laws of string similarity: what the index finds is what RapidFuzz finds by comparing every name."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

from deixis.errors import StoreError
from deixis.native import _core
from deixis.nearest.spelling_index import IndelIndex
from deixis.tables import FlatRows

quick = settings(max_examples=60, deadline=None)

few_letters = st.text(st.sampled_from("abc "), max_size=12)  # ties are common
odd_letters = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
long_names = st.text(st.sampled_from("abcdefghijklmnopqrstuvwxyzäßü"), min_size=60, max_size=400)
all_names = st.one_of(few_letters, few_letters, odd_letters, long_names)


@st.composite
def searches(draw):
    """Names, their groups, queries of which some are names with a change, and an index of the names."""
    names = draw(st.lists(all_names, max_size=150))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_groups = draw(st.integers(1, 100))
    groups = random.integers(0, n_groups, len(names))
    queries = draw(st.lists(all_names, min_size=1, max_size=6))
    for name in names[:4]:
        place = int(random.integers(len(name) + 1))
        queries.append(name[:place] + "b" + name[place + int(random.integers(3)) :])
    least = draw(st.sampled_from([0.0, 0.3, 0.6, 0.8, 1.0]))
    return (
        names,
        groups,
        queries,
        IndelIndex.build(names, groups, n_groups),
        draw(st.sampled_from([1, 3, 20, 500])),
        least,
    )


def best(query, names, groups, k, least, allowed=None):
    """The best k groups by comparing everything, in fractions: ties are ties."""
    of_groups = {}
    for name, group in zip(names, groups.tolist(), strict=True):
        together = len(query) + len(name)
        alike = 1 - Fraction(Indel.distance(query, name), together) if together else Fraction(1)
        if alike > 0 and float(alike) >= least and (allowed is None or allowed[group]):
            of_groups[group] = max(alike, of_groups.get(group, Fraction(0)))
    return sorted(((float(s), g) for g, s in of_groups.items()), key=lambda hit: (-hit[0], hit[1]))[:k]


def hits(found, row):
    places = slice(found.indptr[row], found.indptr[row + 1])
    return list(zip(found.data[places].tolist(), found.indices[places].tolist(), strict=True))


def same(a, b):
    return all(np.array_equal(getattr(a, part), getattr(b, part)) for part in ("indptr", "indices", "data"))


@given(searches())
@quick
def test_it_finds_what_comparing_every_name_with_rapidfuzz_finds(search):
    names, groups, queries, index, k, least = search
    found = index.search(queries, k, least)
    for row, query in enumerate(queries):
        expected = best(query, names, groups, k, least)
        assert [group for _, group in hits(found, row)] == [group for _, group in expected]
        assert [s for s, _ in hits(found, row)] == [np.float32(s) for s, _ in expected]


@given(searches(), st.integers(0, 2**32 - 1))
@quick
def test_a_filter_is_the_same_as_comparing_only_what_it_allows(search, seed):
    names, groups, queries, index, k, least = search
    allowed = np.random.default_rng(seed).random(index.n_groups) < 0.3
    found = index.search(queries, k, least, allowed=allowed)
    for row, query in enumerate(queries):
        expected = best(query, names, groups, k, least, allowed)
        assert [group for _, group in hits(found, row)] == [group for _, group in expected]


@given(searches())
@quick
def test_stopping_at_exact_names_changes_only_queries_that_are_names(search):
    names, _, queries, index, k, least = search
    every, stopped = index.search(queries, k, least), index.search(queries, k, least, stops_at_exact=True)
    for row, query in enumerate(queries):
        expected = hits(every, row)
        assert hits(stopped, row) == ([hit for hit in expected if hit[0] == 1] if query in names else expected)


@given(searches())
@quick
def test_threads_batches_order_and_storage_change_nothing(search):
    names, groups, queries, index, k, least = search
    found = index.search(queries, k, least, n_threads=1)
    assert same(found, index.search(queries, k, least, n_threads=4))
    assert same(found, FlatRows.stacked([index.search([query], k, least) for query in queries]))
    again = IndelIndex.from_arrays(index.to_arrays("x"), "x", index.n_groups)
    assert same(found, again.search(queries, k, least))
    shuffled = np.random.default_rng(0).permutation(len(names))
    other = IndelIndex.build([names[i] for i in shuffled], groups[shuffled], index.n_groups)
    assert same(found, other.search(queries, k, least))


@pytest.mark.parametrize("first", range(0, 1200, 300))
def test_damaged_arrays_are_refused_or_give_what_can_be_and_never_crash(first):
    random = np.random.default_rng(1)
    names = ["".join(map(chr, random.integers(97, 97 + 20 * (1 + n % 20), 1 + n % 13))) for n in range(400)]
    index = IndelIndex.build(names, random.integers(0, 90, 400), 90)
    sound = index.to_arrays("x")
    for seed in range(first, first + 300):
        random = np.random.default_rng(seed)
        name = list(sound)[seed % len(sound)]
        damaged = np.frombuffer(sound[name].tobytes(), np.uint8).copy()
        place, length = int(random.integers(len(damaged))), int(random.choice([1, 4, 8, 64, 10**6]))
        changed = damaged[place : place + length]
        changed[:] = random.choice([0x00, 0x7F, 0x80, 0xFF]) if seed % 2 else random.integers(0, 256, len(changed))
        arrays = sound | {name: damaged.view(sound[name].dtype)}
        try:
            found = IndelIndex.from_arrays(arrays, "x", 90).search([*names[:20], "b" * 70], 200)
            assert found.nnz == 0 or (0 <= found.indices.min() <= found.indices.max() < 90)
            assert ((found.data > 0) & (found.data <= 1)).all()
        except StoreError:
            pass


@given(all_names, all_names)
@example("", "")
@example("a", "")
@example("", "🦕")
@example("".join(map(chr, range(0x4E00, 0x4E00 + 20_000))), "".join(map(chr, range(0x4E80, 0x4E80 + 200))))
@quick
def test_two_names_are_as_alike_as_rapidfuzz_says(name, query):
    assert _core.indel_similarity(name, query) == pytest.approx(fuzz.ratio(name, query) / 100, abs=1e-12)
    assert _core.indel_similarity(name, query) == _core.indel_similarity(query, name)


def test_lone_surrogates_can_be_compared():
    assert _core.indel_similarity("\ud800b", "\ud800b") == 1
