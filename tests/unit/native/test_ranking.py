"""The native calls of ranking are what NumPy says of the same numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.native import _core
from deixis.nearest.best_rows import best_rows
from deixis.ranking.ranker import softmax_scores
from deixis.store.string_hashes import hash_strings
from deixis.store.strings import StringTable
from deixis.tables import CandidateTable


@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 9), n_threads=st.sampled_from([1, 3]))
def test_the_best_candidates_are_the_best_of_a_softmax_with_their_lead(seed, k, n_threads):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 12, int(rng.integers(0, 5)))
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    rows = np.concatenate([np.zeros(0, int), *(np.sort(rng.permutation(20)[:n]) for n in counts)]).astype(np.int64)
    totals = rng.choice([-200.0, -1.0, 0.0, 2.5, 30.0], len(rows)) + rng.integers(0, 2, len(rows)) * 1e-12
    table = CandidateTable(starts, rows, {})
    expected = best_rows(table, softmax_scores(totals, table), k, 20)
    firsts, found, scores, places, leads = _core.ranked_candidates(starts, rows, totals, k, n_threads)
    assert firsts.tolist() == expected.indptr.tolist() and found.tolist() == expected.indices.tolist()
    np.testing.assert_allclose(scores, expected.data, rtol=2e-7)
    assert rows[places].tolist() == found.tolist()
    for mention, lead in enumerate(leads.tolist()):
        own = totals[starts[mention] : starts[mention + 1]]
        if len(own):
            best = places[firsts[mention]] - starts[mention]
            assert lead == own[best] - np.delete(own, best).max(initial=-np.inf)
        else:
            assert lead == 0


@given(strings=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=9)))
def test_hashes_of_strings_are_those_of_the_store(strings):
    table = StringTable.from_strings(strings)
    assert _core.string_hashes(table.data, table.offsets).tolist() == hash_strings(table).tolist()


def test_columns_and_weights_that_do_not_fit_are_refused():
    column = np.ones(3, dtype=np.float32)
    assert _core.weighted_sums([column, column], np.array([1.0, 0.5]), 3).tolist() == [1.5, 1.5, 1.5]
    assert _core.weighted_sums([], np.zeros(0), 2).tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="weights has 2 items"):
        _core.weighted_sums([column], np.ones(2), 3)
    with pytest.raises(ValueError, match="columns has 3 items"):
        _core.weighted_sums([column], np.ones(1), 4)


def test_the_hash_of_a_string_is_that_of_the_store():
    table = StringTable.from_strings(["", "a", "Paris", "Zürich", "東京", "x" * 1000, "\U0001f600", "a\0b"])
    assert _core.string_hashes(table.data, table.offsets).tolist() == hash_strings(table).tolist()
