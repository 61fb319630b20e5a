"""What every ranking feature promises."""

import numpy as np
import pytest

from deixis.candidates import SOURCES
from deixis.candidates.combined import CandidateSources
from deixis.candidates.entity_facts import popularity_from
from deixis.features.name_set import NameSet
from deixis.ranking.entity_facts import EntityFacts
from deixis.ranking.feature import FeatureContext
from deixis.ranking.features import FEATURES, RENAMED, RETIRED
from deixis.tables import CandidateTable

KNOWN_SOURCES = set(SOURCES)


@pytest.fixture(scope="module")
def generator(kb):
    return CandidateSources.build(kb, n_threads=1)


@pytest.fixture(scope="module")
def context_of(kb, generator, mentions):
    facts = EntityFacts.of(kb, generator.words, popularity_from(kb.counts), NameSet.of([mentions[0].text]), n_threads=1)
    return lambda mentions, table: FeatureContext(mentions, table, facts, n_threads=1)


@pytest.fixture(params=FEATURES)
def feature(request):
    return FEATURES[request.param]


def test_it_gives_one_finite_number_for_each_candidate(feature, context_of, generator, mentions):
    table = generator.propose(mentions)
    values = feature(context_of(mentions, table))
    assert values.dtype == np.float32 and values.shape == table.rows.shape and np.isfinite(values).all()


def test_it_gives_nothing_for_no_mentions(feature, context_of, generator):
    assert feature(context_of([], generator.propose([]))).tolist() == []


def test_it_leaves_the_table_as_it_is(feature, context_of, generator, mentions):
    table = generator.propose(mentions)
    before = {name: scores.copy() for name, scores in table.signals.items()}
    feature(context_of(mentions, table))
    assert all(np.array_equal(before[name], scores) for name, scores in table.signals.items())


def test_it_says_the_same_of_a_document_whatever_documents_are_linked_with_it(feature, context_of, generator, mentions):
    together = feature(context_of(mentions, generator.propose(mentions)))
    numbers = context_of(mentions, generator.propose(mentions)).document_numbers
    alone = []
    for number in range(numbers.max() + 1):
        own = [mention for mention, each in zip(mentions, numbers, strict=True) if each == number]
        alone.append(feature(context_of(own, generator.propose(own))))
    np.testing.assert_allclose(np.concatenate(alone), together, rtol=1e-6, atol=1e-7)


def test_it_is_zero_or_finite_where_a_source_is_missing(feature, context_of, generator, mentions):
    table = generator.propose(mentions)
    values = feature(context_of(mentions, CandidateTable(table.starts, table.rows, {})))
    assert values.shape == table.rows.shape and np.isfinite(values).all()


def test_it_is_declared_by_name_sentence_sign_and_sources(feature):
    assert FEATURES[feature.name] is feature and feature.sign in ("+", "+-")
    assert feature.sentence and feature.sentence == feature.sentence.strip(" .")
    assert set(feature.needs) <= KNOWN_SOURCES
    assert feature.name not in RENAMED and feature.name not in RETIRED


def test_features_exist_only_where_their_sources_do():
    bare = {name for name, each in FEATURES.items() if each.is_supported([])}
    assert {"title", "popularity", "text"} <= bare and not bare & {"names", "spelling", "vectors", "prior"}
    assert all(each.is_supported(KNOWN_SOURCES) for each in FEATURES.values())


def test_features_of_a_model_are_those_of_its_candidate_table(generator, mentions):
    columns = generator.propose(mentions).signals
    assert {name for name, each in FEATURES.items() if not each.is_supported(columns)} == {"vectors", "name_vectors"}


def test_older_names_lead_to_features():
    assert set(RENAMED.values()) <= set(FEATURES)
