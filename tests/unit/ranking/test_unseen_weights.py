"""Learned weights and the names they hold for."""

import numpy as np

from deixis.candidates.combined import CandidateSources
from deixis.candidates.config import DEFAULT_SOURCES
from deixis.candidates.entity_facts import popularity_from
from deixis.features.name_set import NameSet
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.ranking.ranker import FeatureRanker
from deixis.ranking.weights import FeatureWeights
from deixis.types import MentionInContext

KB = KnowledgeBase.from_records(
    [
        {"id": "city", "title": "Paris", "aliases": ["Troy"], "description": "capital of France"},
        {"id": "texas", "title": "Paris", "aliases": ["Troy"], "count": 26000},
    ]
)
SOURCES = CandidateSources.build(KB, n_threads=1)
POPULAR, DESCRIBED = FeatureWeights.of({"popularity": 5.0}), FeatureWeights.of({"description_length": 5.0})


def ranker(seen=()):
    popularity = popularity_from(KB.counts)
    return FeatureRanker.build(
        KB, SOURCES.words, popularity, NameSet.of(seen), n_threads=1, sources=DEFAULT_SOURCES
    ).with_weights(POPULAR)


def best(ranker, name):
    mention = MentionInContext(name, name, 0, len(name))
    ranked, found = ranker.rank_with_best([mention], SOURCES.propose([mention]), 2)
    assert found.rows.tolist() == [ranked.indices[0]]
    return KB.ids[int(found.rows[0])]


def test_learned_weights_hold_for_names_that_were_seen_and_those_before_for_all_others():
    taught = ranker(seen=["Paris"]).with_fitted_weights(DESCRIBED, NameSet())
    assert (best(ranker(), "Paris"), best(taught, "PARIS"), best(taught, "Troy")) == ("texas", "city", "texas")
    mentions = [MentionInContext(name, name, 0, len(name)) for name in ("Paris", "Troy")]
    assert [taught.weights_of(each) for each in mentions] == [DESCRIBED, POPULAR]


def test_names_that_weights_were_fitted_on_count_as_seen():
    fitted = ranker().with_fitted_weights(DESCRIBED, NameSet.of(["Troy"]))
    assert (best(fitted, "Paris"), best(fitted, "Troy")) == ("texas", "city")
    again = fitted.with_fitted_weights(DESCRIBED, NameSet.of(["Paris"]))
    assert again.unseen_weights is POPULAR and best(again, "Paris") == best(again, "Troy") == "city"
    assert best(ranker().with_weights_of(again), "Paris") == "city"


def test_both_kinds_of_weights_are_stored_and_a_model_without_has_one_for_all():
    for made in (ranker(), ranker(seen=["Paris"]).with_fitted_weights(DESCRIBED, NameSet.of(["Troy"]))):
        arrays = made.to_arrays("ranker")
        again = FeatureRanker.from_arrays(arrays, "ranker", words=SOURCES.words, n_entities=len(KB), n_threads=1)
        assert (again.unseen_weights is None) == (made.unseen_weights is None)
        assert [best(again, name) for name in ("Paris", "Troy")] == [best(made, name) for name in ("Paris", "Troy")]


def test_further_features_weigh_the_same_for_every_name():
    further = ranker().with_fitted_weights(DESCRIBED, NameSet()).with_further_features({"n_names": 2.0})
    assert further.weights["n_names"] == further.unseen_weights["n_names"] == 2.0


def test_the_lead_of_a_candidate_that_is_alone_has_no_end():
    mention = MentionInContext("Paris", "Paris", 0, 5)
    both = SOURCES.propose([mention])
    one = SOURCES.propose([mention], np.array([True, False]))
    leads = [ranker().rank_with_best([mention], table, 1)[1].leads[0] for table in (both, one)]
    assert 0 < leads[0] < leads[1] == np.inf
