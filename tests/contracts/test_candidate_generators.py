"""What every candidate generator promises."""

import math

import numpy as np
import pytest

from deixis.candidates import GENERATORS
from deixis.errors import ConfigError, DataError, StoreError


@pytest.fixture(scope="module", params=sorted(GENERATORS))
def generator(request, kb):
    return GENERATORS[request.param].build(kb, n_threads=1)


def test_each_mention_has_a_list_of_at_most_k(generator, mentions):
    for k in (1, 3, 1000):
        found = generator.generate(mentions, k=k)
        assert len(found) == len(mentions)
        assert all(isinstance(listed, list) and len(listed) <= k for listed in found)


def test_more_candidates_begin_with_the_fewer(generator, mentions):
    for few, many in zip(generator.generate(mentions, k=2), generator.generate(mentions, k=4), strict=True):
        assert few == many[: len(few)]


def test_scores_fall_and_lie_between_0_and_1(generator, mentions):
    for listed in generator.generate(mentions, k=20):
        scores = [candidate.score for candidate in listed]
        assert scores == sorted(scores, reverse=True)
        assert all(isinstance(score, float) and math.isfinite(score) and 0 <= score <= 1 for score in scores)


def test_candidates_are_different_entities_of_the_knowledge_base_with_their_titles(generator, mentions, kb):
    for listed in generator.generate(mentions, k=20):
        assert len({candidate.id for candidate in listed}) == len(listed)
        for candidate in listed:
            assert kb.entity(candidate.id).title == candidate.title


def test_an_exact_name_is_among_the_first(generator, mentions):
    found = [[candidate.id for candidate in listed] for listed in generator.generate(mentions, k=5)]
    assert {"city", "prince"} <= set(found[0]) and {"city", "prince"} <= set(found[2])
    assert found[3][0] == "beijing" and found[4][0] == "cairo" and found[5][0] == "n6"


def test_nothing_found_is_an_empty_list(generator, mentions):
    assert generator.generate([], k=5) == []
    found = generator.generate(mentions, k=5)
    assert found[-1] == found[-2] == []


def test_a_batch_is_its_singles(generator, mentions):
    singles = [generator.generate([mention], k=7)[0] for mention in mentions]
    assert generator.generate(mentions, k=7) == singles
    assert generator.generate(mentions[::-1], k=7) == singles[::-1]


def test_k_below_1_is_refused(generator, mentions):
    with pytest.raises(ConfigError, match="at least 1"):
        generator.generate(mentions, k=0)


def test_what_is_stored_gives_the_same_candidates(generator, mentions, kb):
    arrays = generator.to_arrays("x")
    assert all(name.startswith("x.") and isinstance(array, np.ndarray) for name, array in arrays.items())
    again = type(generator).from_arrays(arrays, "x", kb, generator.config)
    assert again.generate(mentions, k=9) == generator.generate(mentions, k=9)
    for name, array in again.to_arrays("x").items():
        assert array.tobytes() == arrays[name].tobytes()


def test_every_stored_array_is_needed(generator, kb):
    arrays = generator.to_arrays("x")
    for missing in arrays:
        with pytest.raises(StoreError):
            kept = {name: array for name, array in arrays.items() if name != missing}
            type(generator).from_arrays(kept, "x", kb, generator.config)


def test_another_knowledge_base_is_refused(generator, kb):
    with pytest.raises(StoreError):
        type(generator).from_arrays(generator.to_arrays("x"), "x", kb.take([0, 1]), generator.config)


def test_the_same_seed_gives_the_same_arrays_on_one_thread_and_many(generator, kb):
    one, two = (type(generator).build(kb, seed=7, n_threads=n).to_arrays("x") for n in (1, 3))
    assert {name: array.tobytes() for name, array in one.items()} == {n: a.tobytes() for n, a in two.items()}


def test_what_is_not_allowed_is_left_out_before_the_best_are_taken(generator, mentions, kb):
    everything = generator.generate(mentions, k=len(kb))
    for allowed in (np.arange(len(kb)) % 3 == 0, np.arange(len(kb)) < 2, np.zeros(len(kb), dtype=bool)):
        allowed_ids = set(kb.ids.strings(np.flatnonzero(allowed)))
        for k in (1, 5, len(kb)):
            found = generator.generate(mentions, k=k, allowed=allowed)
            for listed, unfiltered in zip(found, everything, strict=True):
                assert {candidate.id for candidate in listed} <= allowed_ids
                n_there = len([candidate for candidate in unfiltered if candidate.id in allowed_ids])
                assert len(listed) >= min(k, n_there)


def test_with_everything_allowed_the_best_are_those_without_a_filter(generator, mentions, kb):
    assert generator.generate(mentions, k=3, allowed=np.ones(len(kb), dtype=bool)) == generator.generate(mentions, k=3)


def test_a_filter_of_another_knowledge_base_is_refused(generator, mentions, kb):
    with pytest.raises(DataError, match=f"array of {len(kb)} booleans"):
        generator.generate(mentions, k=3, allowed=np.ones(len(kb) - 1, dtype=bool))
