from dataclasses import replace

import numpy as np
import pytest

from deixis.candidates.combined import DENSE, LISTS, UnionCandidates, UnionConfig, entity_words, standings
from deixis.candidates.sources.vectors import DenseCandidates, DenseConfig
from deixis.errors import ConfigError, StoreError
from deixis.features.entity_words import Pairs
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Document, Mention, MentionInContext

RECORDS = [
    {"id": "uk", "title": "United Kingdom", "aliases": ["UK"], "description": "island country of the British"},
    {"id": "paris", "title": "Paris", "description": "capital of France", "types": ["city"]},
    {"id": "texas", "title": "Paris, Texas", "types": ["town"]},
    {"id": "bond", "title": "James Bond", "description": "British spy"},
    {"id": "kabul", "title": "Kabul", "types": ["city"]},
]
KB = KnowledgeBase.from_records(RECORDS)
ONLY = dict.fromkeys(("n_alias", "n_string", "n_names", "n_tree", "n_described"), 0)


def asked(*texts):
    return [MentionInContext(text, text, 0, len(text)) for text in texts]


@pytest.fixture(scope="module")
def union():
    return UnionCandidates.build(KB, n_threads=1)


def signals(generator, text, **options):
    proposals = generator.propose(asked(text), **options)
    ids = KB.ids.strings(proposals.rows)
    return {name: dict(zip(ids, signal.tolist(), strict=True)) for name, signal in proposals.signals.items()}


def test_each_list_says_what_it_finds_and_0_of_the_rest(union):
    british, uk, misspelled = (signals(union, text) for text in ("the British", "UK", "Jmaes Bond"))
    assert set(british) == set(LISTS)
    assert british["described"]["uk"] > 0.5 and british["described"]["bond"] > 0.5
    assert british["alias"].get("uk", 0) == 0
    assert uk["alias"]["uk"] == 1 and uk["alias"].get("bond", 0) == 0
    assert misspelled["string"]["bond"] > 0.5 and misspelled["alias"]["bond"] == 0
    assert signals(union, "Texas")["names"]["texas"] > 0.4


def test_every_list_can_be_asked_for_alone_and_left_out():
    found_by = {"n_alias": "alias", "n_string": "string", "n_names": "names", "n_tree": "tree"}
    for count, name in found_by.items():
        generator = UnionCandidates.build(KB, config=UnionConfig(**ONLY | {count: 3}), n_threads=1)
        found = signals(generator, "Paris")
        assert found[name]["paris"] > 0
        assert not any(any(found[other].values()) for other in LISTS if other != name)
    described = UnionCandidates.build(KB, config=UnionConfig(**ONLY | {"n_described": 3}), n_threads=1)
    assert set(signals(described, "British")["described"]) == {"uk", "bond"}


def test_a_list_puts_forward_no_more_than_it_may():
    generator = UnionCandidates.build(KB, config=UnionConfig(**ONLY | {"n_tree": 2}), n_threads=1)
    assert len(signals(generator, "Paris")["tree"]) == 2


def test_counts_of_which_none_is_more_than_nothing_are_refused():
    with pytest.raises(ConfigError, match="0 candidates or more"):
        UnionConfig(**ONLY)
    with pytest.raises(ConfigError, match="0 candidates or more"):
        UnionConfig(n_tree=-1)


def test_no_mentions_and_mentions_without_words_are_proposed_nothing(union):
    assert len(union.propose([]).rows) == 0
    assert len(union.propose(asked("", " ", "\u0301", "🦕🦕")).rows) == 0


def test_a_filter_is_kept_by_every_list(union):
    for wanted in ([0], [3], [1, 2], [0, 1, 2, 3, 4]):
        allowed = np.isin(np.arange(5), wanted)
        for text in ("the British", "Paris", "James Bond UK", "Kabul, British Texas"):
            assert set(union.propose(asked(text), allowed).rows.tolist()) <= set(wanted)
            unfiltered = {row for row in union.propose(asked(text)).rows.tolist() if allowed[row]}
            assert set(union.propose(asked(text), allowed).rows.tolist()) >= unfiltered
    assert len(union.propose(asked("Paris"), np.zeros(5, dtype=bool)).rows) == 0


def test_what_a_filter_leaves_is_found_though_hundreds_are_more_popular():
    records = [{"id": f"p{n}", "title": f"Person {n}", "description": f"British person {n}"} for n in range(400)]
    records += [{"id": "w", "title": "Hessenstein Trigonometry Society of old", "description": "made in Germany"}]
    kb = KnowledgeBase.from_records(records)
    config = UnionConfig(**ONLY | {"n_names": 5, "n_described": 5})
    union = UnionCandidates.build(kb, config=config, n_threads=1, popularity=np.array([1000.0] * 400 + [0.0]))
    allowed = np.arange(401) > 0
    assert union.propose(asked("Trigo"), allowed).rows.tolist() == [400]
    assert 400 in union.propose(asked("British of Germany"), allowed).rows


def test_popularity_breaks_ties_of_names():
    kb = KnowledgeBase.from_records([{"id": f"paris{n}", "title": "Paris"} for n in range(40)])
    counts = np.zeros(40)
    counts[27] = 5
    config = UnionConfig(**ONLY | {"n_names": 3})
    union = UnionCandidates.build(kb, config=config, n_threads=1, popularity=counts)
    proposals = union.propose(asked("Paris"))
    assert 27 in proposals.rows and len(proposals.rows) == 3
    np.testing.assert_allclose(proposals.signals["names"], 1, atol=0.01)  # popularity is no likeness


def test_counts_without_bounds_are_no_trouble():
    counts = np.array([2**62, 0, 1, 2**53, 7], dtype=np.float64)
    union = UnionCandidates.build(KB, n_threads=1, popularity=counts)
    assert np.isfinite(union.rank(asked("Paris", "UK"), 5).data).all()
    assert standings(counts)[0] == 1 and standings(np.zeros(3)).tolist() == [0, 0, 0]
    assert len(standings(np.zeros(0))) == 0


def test_names_of_types_are_words_of_the_description():
    words = entity_words(KB, 1)
    shares = words.share_described(words.queries(["city"]), Pairs(np.array([0, 5]), np.arange(5)))
    assert shares.tolist() == pytest.approx([0, 1, 0, 0, 1])


def test_annotated_mentions_are_learned_by_table_and_tree():
    text = "Londoners of the Smoke"
    documents = [Document("d", text, mentions=(Mention(17, 22, "Smoke", "uk"),))]
    union = UnionCandidates.build(KB, documents, n_threads=1)
    assert signals(union, "Smoke")["alias"]["uk"] == 1
    assert signals(union, "Smoke")["tree"]["uk"] > 0
    assert union.tree.learned.holds(["smoke"]).all()


@pytest.mark.parametrize(
    "records",
    [[{"id": "a", "title": "Oz"}], [{"id": "a", "title": "Oz"}, {"id": "b", "title": "!"}], RECORDS],
    ids=["one entity", "no description", "some"],
)
def test_what_is_stored_proposes_the_same(records):
    kb = KnowledgeBase.from_records(records)
    union = UnionCandidates.build(kb, n_threads=1)
    arrays = union.to_arrays("u")
    again = UnionCandidates.from_arrays(arrays, "u", kb, union.config)
    assert {n: a.tobytes() for n, a in again.to_arrays("u").items()} == {n: a.tobytes() for n, a in arrays.items()}
    for text in ("Oz", "the British", ""):
        one, two = union.propose(asked(text)), again.propose(asked(text))
        assert one.rows.tolist() == two.rows.tolist()
        assert all(one.signals[name].tobytes() == two.signals[name].tobytes() for name in LISTS)


def test_settings_that_ask_for_more_than_was_stored_are_refused():
    config = UnionConfig(**ONLY | {"n_alias": 3})
    arrays = UnionCandidates.build(KB, config=config, n_threads=1).to_arrays("u")
    for more in ({"n_string": 3}, {"n_described": 3}, {"n_dense": 3}):
        with pytest.raises(StoreError, match="no array"):
            UnionCandidates.from_arrays(arrays, "u", KB, replace(config, **more))


def test_a_batch_is_its_singles_and_threads_change_nothing(union):
    texts = ["Paris", "", "the British spy", "Kabul Texas", "zzz", "Untied Kingdom"] * 3
    other = UnionCandidates.build(KB, n_threads=3)
    assert {n: a.tobytes() for n, a in other.to_arrays("u").items()} == {
        n: a.tobytes() for n, a in union.to_arrays("u").items()
    }
    together, threaded = union.propose(asked(*texts)), other.propose(asked(*texts))
    assert together.rows.tolist() == threaded.rows.tolist()
    for number, text in enumerate(texts):
        single = union.propose(asked(text))
        places = slice(together.starts[number], together.starts[number + 1])
        assert single.rows.tolist() == together.rows[places].tolist()
        for name in LISTS:
            assert single.signals[name].tobytes() == together.signals[name][places].tobytes()
            assert single.signals[name].tobytes() == threaded.signals[name][places].tobytes()


def test_vectors_propose_and_have_a_say_on_what_the_others_propose():
    config = UnionConfig(**ONLY | {"n_alias": 5, "n_dense": 1})
    generator = UnionCandidates.build(KB, config=config, n_threads=1)
    mention = MentionInContext("Paris", "Paris, capital of France", 0, 5)
    proposals = generator.propose([mention])
    assert set(proposals.signals) == {*LISTS, DENSE}
    scores = dict(zip(KB.ids.strings(proposals.rows), proposals.signals[DENSE].tolist(), strict=True))
    assert max(scores, key=scores.__getitem__) == "paris"
    both = UnionCandidates.build(KB, config=replace(config, n_alias=0, n_names=5), n_threads=1).propose([mention])
    assert len(both.rows) > 1 and (both.signals[DENSE] > 0).all()  # all of them score, one of them is proposed by it
    assert len(generator.propose([]).rows) == 0 and set(generator.propose([]).signals) == {*LISTS, DENSE}
    allowed = np.arange(5) == 2
    assert set(generator.propose([mention], allowed).rows.tolist()) <= {2}


def test_a_model_with_vectors_is_stored_and_one_without_has_no_array_more():
    config = UnionConfig().with_encoder("chars")
    dense, plain = (UnionCandidates.build(KB, config=one, n_threads=1) for one in (config, UnionConfig()))
    arrays, fewer = dense.to_arrays("u"), plain.to_arrays("u")
    assert {name for name in arrays if ".dense." not in name} == set(fewer)
    assert all(arrays[name].tobytes() == array.tobytes() for name, array in fewer.items())
    again = UnionCandidates.from_arrays(arrays, "u", KB, config)
    one, two = (each.propose(asked("the British", "Kabul")).signals[DENSE] for each in (dense, again))
    assert one.tobytes() == two.tobytes() and one.any()


def test_another_dense_list_takes_the_place_of_the_one_before_and_the_other_lists_stay(union):
    annotated = [Document("d", "Kabul, capital of France", mentions=(Mention(0, 5, "Kabul", "bond"),))]
    dense = DenseCandidates.build(KB, annotated, DenseConfig(contents="contexts"))
    grown = union.with_dense(dense)
    assert union.dense is None and grown.dense is dense and grown.alias is union.alias
    assert grown.config.dense.contents == "contexts" and grown.config.n_dense > 0
    found = signals(grown, "Kabul")
    assert found[DENSE]["bond"] > 0.5 and found[DENSE]["kabul"] == 0 and set(found) == {*LISTS, DENSE}
    fewer = replace(grown.config, n_dense=3)
    grown.config = fewer
    assert grown.with_dense(dense.with_contents("both")).config == replace(
        fewer, dense=dense.with_contents("both").config
    )
