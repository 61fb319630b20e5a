import json
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest

from deixis.candidates.combined import CandidateSources
from deixis.candidates.config import DEFAULT_SOURCES, SourcesConfig
from deixis.candidates.entity_facts import popularity_from
from deixis.errors import ConfigError, DataError, StoreError
from deixis.features.name_set import NameSet
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.learners.listwise import TrainingExamples
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.ranking.default_weights import RankerConfig, default_weights, kind_of
from deixis.ranking.feature import FeatureContext
from deixis.ranking.features import FEATURES
from deixis.ranking.features.vectors import vectors
from deixis.ranking.ranker import FeatureRanker, softmax_scores
from deixis.ranking.weights import FeatureWeights, fit_feature_weights
from deixis.tables import CandidateTable
from deixis.types import MentionInContext

RECORDS = [
    {"id": "city", "title": "Paris", "aliases": ["Lutetia"], "description": "capital of France on the Seine"},
    {"id": "prince", "title": "Paris", "aliases": ["Alexander"], "description": "prince of Troy who took Helen"},
    {"id": "texas", "title": "Paris, Texas", "aliases": ["Paris"], "count": 26000},
    {"id": "bare", "title": "Nowhere"},
]
KB = KnowledgeBase.from_records(RECORDS)
GENERATOR = CandidateSources.build(KB, n_threads=1)


def asked(mention, text=None):
    text = mention if text is None else text
    start = text.index(mention)
    return MentionInContext(mention, text, start, start + len(mention))


def ranker(learned=(), kb=KB, generator=GENERATOR, sources=DEFAULT_SOURCES, config=None, **weights):
    names, popularity = NameSet.of(learned), popularity_from(kb.counts)
    built = FeatureRanker.build(kb, generator.words, popularity, names, config, n_threads=1, sources=sources)
    return built.with_weights(FeatureWeights.of(weights)) if weights else built


def ranked(mention, **weights):
    found = ranker(**weights).rank([mention], GENERATOR.propose([mention]), 4)
    return KB.ids.strings(found.indices)


def features(*mentions, learned=()):
    """One dictionary of features for each mention and proposed entity."""
    proposals = GENERATOR.propose(mentions)
    found = ranker(learned).features(mentions, proposals)
    ids = KB.ids.strings(proposals.rows)
    numbers = proposals.mention_numbers.tolist()
    return {
        (number, one): dict(zip(found.names, row.tolist(), strict=True))
        for number, one, row in zip(numbers, ids, found.values, strict=True)
    }


def test_every_default_weight_is_one_of_a_feature_and_never_against_its_sign():
    by_kind = json.loads(files("deixis.ranking").joinpath("default_weights.json").read_text("utf-8"))
    assert set(by_kind) == {"described", "bare"}
    for weights in by_kind.values():
        assert set(weights) <= set(FEATURES) and np.isfinite(list(weights.values())).all()
        assert all(weight >= 0 for name, weight in weights.items() if FEATURES[name].sign == "+")


@pytest.mark.parametrize(("n_described", "kind"), [(0, "bare"), (1, "bare"), (2, "described"), (20, "described")])
def test_a_list_of_names_takes_other_weights_than_described_entities(n_described, kind):
    records = [{"id": str(n), "title": "x"} | ({"description": "y"} if n < n_described else {}) for n in range(20)]
    kb = KnowledgeBase.from_records(records)
    assert kind_of(kb) == kind
    every_source = {source for each in FEATURES.values() for source in each.needs}
    start = RankerConfig().start_weights(kb, every_source).by_name()
    assert start == default_weights(kind)
    only_tree = RankerConfig(weights="tree").start_weights(kb, DEFAULT_SOURCES).by_name()
    assert {name: weight for name, weight in only_tree.items() if weight} == {"label_tree_log": 1.0}


def test_without_the_source_of_names_similar_names_and_vectors_decide():
    kb = KnowledgeBase.from_records(
        [{"id": name, "title": name} for name in ("Trail pack 40", "Summit tent", "Ember stove")]
    )
    sources = SourcesConfig(sources=("alias", "name_vectors"))
    linker = Linker.build(kb, config=LinkerConfig(candidates=sources), n_threads=1)
    (mention,) = linker.link("We cooked on Ember stoves.").mentions
    assert mention.entity == "Ember stove"


@pytest.mark.parametrize(
    ("text", "meant"), [("Paris took Helen away from Sparta", "prince"), ("bridges over the Seine in Paris", "city")]
)
def test_context_tells_namesakes_apart_though_another_is_spoken_of_a_hundred_times(text, meant):
    kb = KnowledgeBase.from_records([record | ({"count": 100} if "count" in record else {}) for record in RECORDS])
    generator, mention = CandidateSources.build(kb, n_threads=1), asked("Paris", text)
    found = ranker(kb=kb, generator=generator).rank([mention], generator.propose([mention]), 4)
    assert kb.ids[int(found.indices[0])] == meant


def test_scores_are_the_softmax_of_the_weighted_sum_and_add_up_to_one():
    mention = asked("Paris", "Paris took Helen")
    proposals, weights = GENERATOR.propose([mention]), FeatureWeights.of({"names": 2.0, "around": 5.0})
    ordering = ranker().with_weights(weights)
    features = ordering.features([mention], proposals)
    totals = features.columns(["names", "around"]).astype(np.float64) @ [2.0, 5.0]
    expected = np.exp(totals) / np.exp(totals).sum()
    np.testing.assert_allclose(
        softmax_scores(ordering.totals([mention], features, proposals), proposals), expected, rtol=1e-5
    )
    assert ordering.rank([mention], proposals, 99).data.sum() == pytest.approx(1)


def test_without_weights_all_proposals_are_alike_and_stand_in_the_order_of_rows():
    found = ranker(names=0.0).rank([asked("Paris")], GENERATOR.propose([asked("Paris")]), 9)
    assert found.indices.tolist() == sorted(found.indices.tolist())
    assert len(set(found.data.tolist())) == 1


def test_weights_without_bounds_do_not_overflow():
    found = ranker(names=1e6, label_tree_log=-1e6).rank([asked("Paris")], GENERATOR.propose([asked("Paris")]), 9)
    assert np.isfinite(found.data).all() and found.data.sum() == pytest.approx(1)


def test_a_title_and_an_id_are_told_from_other_names():
    found = features(asked("PARIS"), asked("lutetia"), asked("texas"))
    assert found[0, "city"]["title"] == found[0, "prince"]["title"] == 1
    assert found[0, "texas"]["title"] == found[1, "city"]["title"] == 0
    assert found[0, "texas"]["alias"] == found[1, "city"]["alias"] == 1
    assert found[2, "texas"]["id"] == 1 and found[0, "city"]["id"] == 0


def test_what_is_spoken_of_more_often_is_more_popular():
    found = features(asked("Paris"))
    assert found[0, "texas"]["popularity"] == 1 and found[0, "city"]["popularity"] == 0
    assert ranked(asked("Paris"), popularity=1.0)[0] == "texas"
    assert found[0, "texas"]["popularity_unnamed"] == 0  # Paris is one of its names


def test_learned_features_are_zero_for_mentions_never_seen_annotated():
    seen, unseen = features(asked("Paris"), learned=["PARIS"]), features(asked("Paris"), learned=["Troy"])
    names = [name for name in FEATURES if name.startswith("learned")]
    assert all(row[name] == 0 for row in unseen.values() for name in names)
    assert seen[0, "city"]["learned"] == 1
    assert seen[0, "city"]["learned_names"] == seen[0, "city"]["names"] > 0.9


def test_the_label_tree_alone_orders_as_the_tree_does():
    by_tree = ranker(config=RankerConfig(weights="tree"))
    mention = asked("Paris")
    tree = GENERATOR.get("label_tree").search([mention], 4)
    found = by_tree.rank([mention], GENERATOR.propose([mention]), 4)
    scores = dict(zip(tree.indices.tolist(), tree.data.tolist(), strict=True))
    assert [scores[row] for row in found.indices.tolist()] == sorted(scores.values(), reverse=True)


@pytest.mark.parametrize(
    "records",
    [
        [{"id": "only", "title": "Paris"}],
        [{"id": "a", "title": "Paris"}, {"id": "b", "title": "Troy", "aliases": ["Paris"]}],
        [{"id": "a", "title": "Paris", "description": ""}, {"id": "b", "title": "Troy", "description": "Paris Paris"}],
        [{"id": "a", "title": "!!!"}, {"id": "b", "title": "Paris"}],
    ],
    ids=["one entity", "no descriptions", "one description", "a title without words"],
)
def test_small_and_bare_knowledge_bases_can_be_ranked(records):
    kb = KnowledgeBase.from_records(records)
    generator = CandidateSources.build(kb, n_threads=1)
    mentions = [
        asked("Paris", "Paris is fair"),
        asked("", "x"),
        asked("\u0301"),
        asked("🦕"),
        asked("x\x00y"),
        asked("  "),
    ]
    proposals = generator.propose(mentions)
    default = ranker(kb=kb, generator=generator)
    assert np.isfinite(default.features(mentions, proposals).values).all()
    found = default.rank(mentions, proposals, 5)
    assert np.isfinite(found.data).all()
    assert kb.titles[int(found.indices[0])] == "Paris"


def test_odd_code_points_are_ranked_and_lone_surrogates_too():
    for text in ("Pa\ud800ris", "Paris\u202e", "ﬀ Paris", "P\u0301aris", "İstanbul Paris"):
        mention = MentionInContext(text, text, 0, len(text))
        assert np.isfinite(ranker().features([mention], GENERATOR.propose([mention])).values).all()


def test_unknown_weights_are_named():
    with pytest.raises(DataError, match="No ranking feature is named 'nmaes'"):
        FeatureWeights.of({"nmaes": 1.0})


@pytest.mark.parametrize("wrong", [{"min_mentions": 0}, {"weights": "best"}])
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(ConfigError):
        RankerConfig(**wrong)


@pytest.mark.parametrize("name", ["facts.popularity", "facts.log_sizes", "weights.values"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30])
def test_numbers_that_are_none_are_found_when_a_model_is_opened(name, value):
    arrays = ranker().to_arrays("r")
    arrays[f"r.{name}"] = arrays[f"r.{name}"].copy()
    arrays[f"r.{name}"][1] = value
    with pytest.raises(StoreError, match=rf"r\.{name}"):
        FeatureRanker.from_arrays(arrays, "r", words=GENERATOR.words, n_entities=len(KB))


def test_all_lists_have_a_say():
    assert set(GENERATOR.propose([asked("Paris")]).signals) == set(DEFAULT_SOURCES)


def with_vectors(proposals: CandidateTable, similarity: list[float]) -> CandidateTable:
    return replace(proposals, signals={**proposals.signals, "vectors": np.array(similarity, dtype=np.float32)})


def deviations(table: CandidateTable):
    return vectors(FeatureContext([asked("Paris")] * (len(table.starts) - 1), table, ranker().facts))


def test_what_vectors_say_counts_in_deviations_whatever_the_encoder():
    proposals = CandidateTable(np.array([0, 3, 3, 6, 7]), np.arange(7), {})
    similarity = np.array([0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.4])
    found = deviations(with_vectors(proposals, similarity))
    assert found.tolist() == pytest.approx([-1.2247, 0, 1.2247] * 2 + [0], abs=1e-3)
    np.testing.assert_allclose(deviations(with_vectors(proposals, similarity / 2 + 0.3)), found, atol=1e-5)
    near = deviations(with_vectors(proposals, 0.5 + similarity / 1000))
    assert 0 < np.abs(near).max() < 0.02  # next to nothing between them says next to nothing
    assert deviations(proposals).tolist() == [0] * 7  # no source, nothing to say


def test_vectors_decide_between_namesakes_that_nothing_else_tells_apart():
    mention = asked("Paris")
    proposals = GENERATOR.propose([mention])
    built, plain = ranker(sources=[*DEFAULT_SOURCES, "vectors"]), ranker()
    assert set(built.weights.names) == {*plain.weights.names, "vectors"} and built.weights["vectors"] > 0
    for row in proposals.rows[:2].tolist():
        table = with_vectors(proposals, (proposals.rows == row).astype(np.float32))
        scores, without = (one.rank([mention], table, 20).toarray()[0] for one in (built, plain))
        assert scores[row] > without[row] > 0
    none = built.rank([mention], proposals, 20)
    np.testing.assert_allclose(none.toarray(), plain.rank([mention], proposals, 20).toarray(), rtol=1e-6)


def test_weights_of_vectors_are_learned_and_stored_with_the_others():
    built = ranker(sources=[*DEFAULT_SOURCES, "vectors"])
    again = FeatureRanker.from_arrays(built.to_arrays("r"), "r", words=GENERATOR.words, n_entities=len(KB))
    assert again.weights.names == built.weights.names
    assert again.weights.values.tobytes() == built.weights.values.tobytes()
    features = np.zeros((4, len(built.weights)), dtype=np.float32)
    features[::2, built.weights.names.index("vectors")] = 1
    is_right = np.array([True, False, True, False])
    examples = TrainingExamples(np.array([0, 2, 4]), features, is_right, built.weights.names)
    fitted = fit_feature_weights([examples], 1e-3, built.weights)
    assert fitted["vectors"] > built.weights["vectors"]
    others = [name for name in built.weights.names if name != "vectors"]
    assert [fitted[name] for name in others] == [built.weights[name] for name in others]
