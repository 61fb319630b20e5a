"""Stored rankers with damage of every kind: refused with a StoreError, or searched without leaving memory."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from deixis.errors import StoreError
from deixis.native import _core
from deixis.xmr.beam_search import BeamConfig
from deixis.xmr.label_tree import TreeConfig
from deixis.xmr.model import LabelTreeConfig, LabelTreeRanker

CONFIG = LabelTreeConfig(tree=TreeConfig(branching=3, max_leaf_size=4), beam=BeamConfig(width=50), n_trees=2)
EXTREMES = [
    0,
    1,
    2,
    3,
    15,
    16,
    17,
    40,
    128,
    255,
    256,
    65535,
    65537,
    2**20 + 1,
    2**31 - 1,
    2**31,
    2**32,
    2**62,
    2**63 - 1,
]


@cache
def sound_ranker():
    rng = np.random.default_rng(0)
    X = sparse.csr_matrix(rng.random((80, 70)) * (rng.random((80, 70)) < 0.3))
    Y = sparse.csr_matrix(rng.random((80, 40)) < 0.06)
    return LabelTreeRanker(CONFIG, n_threads=1).fit(X, Y).to_arrays("x"), X


NAMES = sorted(name for name, array in sound_ranker()[0].items() if array.ndim)


def search_if_it_loads(arrays):
    """Whether the arrays were taken; then the search must give labels and scores that can be."""
    X = sound_ranker()[1]
    try:
        ranker = LabelTreeRanker.from_arrays(arrays, "x", CONFIG, n_threads=1)
    except StoreError:
        return False
    queries = X.copy()
    queries.resize(X.shape[0], ranker.n_features)
    for k, beam in [(3, None), (10_000, BeamConfig(width=3, path_score="sigmoid", memory=0.0))]:
        found = ranker.rank(queries, k=k, beam=beam)
        assert ((found.indices >= 0) & (found.indices < ranker.n_labels)).all()
        assert ((found.data >= 0) & (found.data <= 1)).all()
    return True


def changed(array, where, value):
    damaged = array.copy()
    if damaged.dtype.kind in "iu":
        limits = np.iinfo(damaged.dtype)
        value = min(max(int(value), limits.min), limits.max)
    damaged[where % len(damaged)] = value
    return damaged


def test_the_sound_ranker_loads():
    assert search_if_it_loads(sound_ranker()[0])


@pytest.mark.parametrize("name", NAMES)
def test_arrays_cut_off_or_too_long_are_refused(name):
    arrays, _ = sound_ranker()
    whole = arrays[name]
    for damaged in (whole[:-1], whole[:0], whole[: len(whole) // 2], np.concatenate([whole, whole[-1:]])):
        assert not search_if_it_loads(arrays | {name: damaged})
    for damaged in (whole.reshape(-1, 1), whole.astype(">i8"), whole.astype(np.complex64)):
        assert not search_if_it_loads(arrays | {name: damaged})
    assert not search_if_it_loads({other: array for other, array in arrays.items() if other != name})


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(NAMES),
            st.integers(0, 10**6),
            st.sampled_from(EXTREMES + [-value for value in EXTREMES]) | st.integers(-(2**63), 2**63 - 1),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_changed_numbers_never_lead_the_search_astray(changes):
    arrays = dict(sound_ranker()[0])
    for name, where, value in changes:
        arrays[name] = changed(arrays[name], where, value)
    search_if_it_loads(arrays)


@pytest.mark.parametrize("name", NAMES)
def test_every_bit_of_an_array_may_flip(name):
    arrays, _ = sound_ranker()
    rng = np.random.default_rng(1)
    n_taken = 0
    for _ in range(60):
        damaged = arrays[name].copy()
        flat = damaged.view(np.uint8)
        flat[rng.integers(len(flat))] ^= np.uint8(1 << rng.integers(8))
        n_taken += search_if_it_loads(arrays | {name: damaged})
    # What points into other arrays is found out; weights and keys may be anything and are left to the hashes.
    if name.endswith(
        (".label_order", ".block_starts", ".byte_starts", ".entry_sizes", ".child_starts.0", ".child_starts.1")
    ):
        assert n_taken == 0


@pytest.mark.parametrize("first", range(0, 300, 100))
def test_two_exchanged_values_never_lead_the_search_astray(first):
    arrays, _ = sound_ranker()
    for seed in range(first, first + 100):
        rng = np.random.default_rng(seed)
        name = NAMES[rng.integers(len(NAMES))]
        damaged = arrays[name].copy()
        one, other = rng.integers(0, len(damaged), 2)
        damaged[[one, other]] = damaged[[other, one]]
        search_if_it_loads(arrays | {name: damaged})


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 3e38, -3e38])
def test_biases_that_are_no_numbers_do_not_break_the_order(value):
    arrays, _ = sound_ranker()
    for name in NAMES:
        if name.endswith(".biases"):
            damaged = arrays[name].copy()
            damaged[::2] = value
            search_if_it_loads(arrays | {name: damaged})
    weight = 0x7FC0 if np.isnan(value) else 0x7F80
    level = {name.removeprefix("x.0.level.1."): arrays[name] for name in NAMES if name.startswith("x.0.level.1.")}
    child_starts = arrays["x.0.tree.child_starts.1"]
    packed = [level[name] for name in ("block_starts", "blocks", "byte_starts", "bytes", "entry_sizes")]
    n_features = int(arrays["x.n_features"])
    starts, hashes, children, weights = _core.unpack_level(*packed, n_features, 0, len(child_starts) - 1)
    weights[:] = weight
    damaged = _core.pack_level(child_starts, starts, hashes, children, weights, n_features)
    assert search_if_it_loads(arrays | {f"x.0.level.1.{name}": array for name, array in damaged.items()})
