"""What every candidate ranker promises."""

import math

import numpy as np
import pytest

from deixis.errors import DataError, StoreError
from deixis.ranking import RANKERS
from deixis.types import Candidate


@pytest.fixture(scope="module", params=sorted(RANKERS))
def ranker(request, kb):
    return RANKERS[request.param].build(kb, n_threads=1)


@pytest.fixture(scope="module")
def proposed(kb, mentions):
    """Lists of different length, some empty, scores from 0 to 1."""
    rng = np.random.default_rng(5)
    lists = []
    for number in range(len(mentions)):
        rows = rng.permutation(len(kb))[: number % 7 * 3]
        scores = sorted(rng.random(len(rows)).tolist() + [0.0, 1.0][: len(rows)], reverse=True)[: len(rows)]
        lists.append([Candidate(kb.ids[row], score, kb.titles[row]) for row, score in zip(rows, scores, strict=True)])
    return lists


def test_no_candidate_is_added_lost_or_renamed(ranker, mentions, proposed):
    ranked = ranker.rank(mentions, proposed)
    assert len(ranked) == len(mentions)
    for before, after in zip(proposed, ranked, strict=True):
        assert {(c.id, c.title) for c in before} == {(c.id, c.title) for c in after} and len(before) == len(after)


def test_scores_fall_and_lie_between_0_and_1(ranker, mentions, proposed):
    for listed in ranker.rank(mentions, proposed):
        scores = [candidate.score for candidate in listed]
        assert scores == sorted(scores, reverse=True)
        assert all(isinstance(score, float) and math.isfinite(score) and 0 <= score <= 1 for score in scores)


def test_nothing_to_rank_is_an_empty_list(ranker, mentions):
    assert ranker.rank([], []) == []
    assert ranker.rank(mentions, [[] for _ in mentions]) == [[] for _ in mentions]


def test_a_batch_is_its_singles(ranker, mentions, proposed):
    singles = [ranker.rank([mention], [listed])[0] for mention, listed in zip(mentions, proposed, strict=True)]
    assert ranker.rank(mentions, proposed) == singles
    assert ranker.rank(mentions[::-1], proposed[::-1]) == singles[::-1]


def test_candidates_are_left_as_they_came(ranker, mentions, proposed):
    before = [list(listed) for listed in proposed]
    ranker.rank(mentions, proposed)
    assert proposed == before


def test_a_list_of_candidates_for_each_mention_is_demanded(ranker, mentions):
    with pytest.raises(DataError, match="11 and 1"):
        ranker.rank(mentions, [[]])


def test_a_candidate_from_elsewhere_is_named(ranker, mentions):
    with pytest.raises(DataError, match="'nobody' is not in"):
        ranker.rank(mentions[:1], [[Candidate("city", 0.9), Candidate("nobody", 0.5)]])


def test_what_is_stored_ranks_the_same(ranker, mentions, proposed, kb):
    arrays = ranker.to_arrays("x")
    again = type(ranker).from_arrays(arrays, "x", kb, ranker.config)
    assert again.rank(mentions, proposed) == ranker.rank(mentions, proposed)
    for name, array in again.to_arrays("x").items():
        assert array.tobytes() == arrays[name].tobytes()


def test_every_stored_array_is_needed(ranker, kb):
    arrays = ranker.to_arrays("x")
    for missing in arrays:
        with pytest.raises(StoreError):
            kept = {name: array for name, array in arrays.items() if name != missing}
            type(ranker).from_arrays(kept, "x", kb, ranker.config)
