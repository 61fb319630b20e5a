from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.vectors import VectorConfig, VectorSource
from deixis.config import config_from_dict, config_to_dict
from deixis.encoders.config import EncoderConfig
from deixis.encoders.registry import register_encoder
from deixis.errors import ConfigError, DataError, StoreError
from deixis.kb.entity import Entity
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.ranking.default_weights import RankerConfig
from deixis.tables import CandidateTable
from deixis.types import Document, Mention, MentionInContext

RECORDS = [
    {"id": "city", "title": "Paris", "descriptions": {"en": "capital of France", "de": "Hauptstadt Frankreichs"}},
    {"id": "prince", "title": "Paris", "description": "prince of Troy who took Helen"},
    {"id": "troy", "title": "Troy", "description": "ancient city besieged by the Greeks"},
    {"id": "bare", "title": "Nameless Creek"},
]
KB = KnowledgeBase.from_records(RECORDS)
WORDS = "paris troy capital helen france hauptstadt gold creek seine smoke".split()


class CountingEncoder:
    """Counts words, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: list[str], /) -> np.ndarray:
        self.asked += texts
        rows = [[word in text.lower() for word in WORDS] for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), len(WORDS))


@pytest.fixture
def encoder():
    counting = CountingEncoder()
    register_encoder("counting", counting)
    return counting


def counting_config(**settings) -> VectorConfig:
    return VectorConfig(encoder=EncoderConfig(name="counting"), **settings)


def annotated(text: str, name: str, entity: str | None, number: int = 0) -> Document:
    start = text.index(name)
    return Document(f"d{number}", text, mentions=(Mention(start, start + len(name), name, entity),))


def asked(text: str, name: str) -> MentionInContext:
    return MentionInContext(name, text, text.index(name), text.index(name) + len(name))


def ids(source, text, name, k=3) -> list[str]:
    return [candidate.id for candidate in source.generate([asked(text, name)], k)[0]]


def test_the_text_around_tells_namesakes_apart(encoder):
    source = VectorSource.build(SourceInputs(KB), counting_config())
    assert ids(source, "Paris, the capital of France", "Paris", 2) == ["city", "prince"]
    assert ids(source, "Paris and Helen sailed to Troy", "Paris", 2) == ["prince", "city"]


def test_each_description_has_a_vector_and_the_best_one_counts(encoder):
    source = VectorSource.build(SourceInputs(KB), counting_config())
    assert source.descriptions.groups.tolist() == [0, 0, 1, 2, 3]
    alone = VectorSource.build(SourceInputs(KB.with_description_language("en")), counting_config())
    for word, is_better in (("France", False), ("Hauptstadt", True)):
        both, english = (one.generate([asked(f"Paris {word}", "Paris")], 1)[0][0] for one in (source, alone))
        assert both.id == "city" and (both.score > english.score) == is_better


def test_descriptions_contexts_or_both_are_chosen_without_encoding_again(encoder):
    documents = [annotated("the Smoke on the Seine", "Smoke", "city")]
    both = VectorSource.build(SourceInputs(KB, documents), counting_config())
    n_encoded = len(encoder.asked)
    descriptions, contexts = (both.with_contents(chosen) for chosen in ("descriptions", "contexts"))
    assert len(encoder.asked) == n_encoded
    query = "over Smoke and Seine", "Smoke"
    assert ids(descriptions, *query) == []
    assert ids(contexts, *query) == ids(both, *query) == ["city"]
    assert ids(contexts, "Helen of Troy", "Troy") == []
    assert ids(both, "Helen of Troy", "Troy") == ids(descriptions, "Helen of Troy", "Troy") != []


def test_both_score_an_entity_by_its_best_vector(encoder):
    documents = [annotated("Paris on the Seine", "Paris", "city"), annotated("Paris of Troy", "Paris", "prince", 1)]
    both = VectorSource.build(SourceInputs(KB, documents), counting_config())
    mentions = [asked(f"Paris {word}", "Paris") for word in WORDS]
    alone = [both.with_contents(chosen).search(mentions, 4).toarray() for chosen in ("descriptions", "contexts")]
    np.testing.assert_array_equal(both.search(mentions, 4).toarray(), np.maximum(*alone))


def test_scores_of_any_rows_are_those_of_the_search(encoder):
    source = VectorSource.build(SourceInputs(KB, [annotated("Paris on the Seine", "Paris", "city")]), counting_config())
    mentions = [asked(text, "Paris") for text in ("Paris, the capital", "Paris on the Seine", "Paris and Helen")]
    table = CandidateTable(np.array([0, 4, 8, 12]), np.tile(np.arange(4), 3), {})
    every = source.score(mentions, table).reshape(3, 4)
    np.testing.assert_array_equal(every, source.search(mentions, 4).toarray())
    assert every[:, 3].tolist() == [0, 0, 0]
    assert source.score([], CandidateTable(np.zeros(1, np.int64), np.zeros(0, np.int64), {})).tolist() == []


def test_entities_are_added_by_mentions_of_them_and_the_others_are_not_encoded_again(encoder):
    source = VectorSource.build(SourceInputs(KB), counting_config())
    encoder.asked.clear()
    documents = [
        annotated("gold from the Creek", "Creek", "klondike"),
        annotated("the Creek of gold", "Creek", "klondike", 1),
    ]
    grown = source.with_documents(documents)
    assert len(encoder.asked) == 4  # two mentions and their contexts
    assert list(grown.kb.ids) == [*KB.ids, "klondike"] and grown.kb.entity("klondike").title == "Creek"
    assert ids(grown, "a Creek with gold", "Creek", 1) == ["klondike"]
    assert "klondike" not in ids(grown.with_contents("descriptions"), "a Creek with gold", "Creek")
    assert ids(source, "a Creek with gold", "Creek", 1) == ["bare"]
    arrays = grown.to_arrays("x")
    again = VectorSource.from_arrays(arrays, "x", SourceInputs(grown.kb), grown.config)
    assert ids(again, "a Creek with gold", "Creek", 1) == ["klondike"]


def test_an_added_entity_may_be_described_by_its_record_and_known_ones_learn_contexts_too(encoder):
    source = VectorSource.build(SourceInputs(KB, [annotated("Paris in France", "Paris", "city")]), counting_config())
    documents = [annotated("gold Creek", "Creek", "k"), annotated("Smoke of Seine", "Smoke", "city", 1)]
    grown = source.with_documents(documents, [Entity("k", "Bonanza Creek", descriptions={"": "creek in Yukon"})])
    assert grown.kb.entity("k").title == "Bonanza Creek" and len(grown.kb) == 5
    assert ids(grown, "Smoke", "Smoke", 1) == ["city"] and grown.contexts.groups.tolist() == [0, 0, 4]
    with pytest.raises(DataError, match="has an entity 'city' already"):
        source.with_documents([], [Entity("city", "Paris")])


def test_of_many_mentions_of_an_entity_some_are_kept_from_first_to_last(encoder):
    documents = [annotated(f"Paris {number}", "Paris", "city", number) for number in range(10)]
    VectorSource.build(SourceInputs(KB, documents), counting_config(max_contexts=3))
    assert [text for text in encoder.asked if text[-1:].isdigit()] == ["Paris 0", "Paris 3", "Paris 6"]


@pytest.mark.parametrize("index", ["exact", "graph"])
def test_every_index_finds_the_same_in_a_small_knowledge_base(encoder, index):
    documents = [annotated("the Smoke on the Seine", "Smoke", "city")]
    source = VectorSource.build(SourceInputs(KB, documents), counting_config(index=index))
    assert ids(source, "Paris and Helen", "Paris", 2) == ["prince", "city"]
    arrays = source.to_arrays("x")
    again = VectorSource.from_arrays(arrays, "x", SourceInputs(KB), source.config)
    assert {n: a.tobytes() for n, a in again.to_arrays("x").items()} == {n: a.tobytes() for n, a in arrays.items()}


def test_arrays_of_another_size_are_refused(encoder):
    source = VectorSource.build(SourceInputs(KB, [annotated("Paris", "Paris", "city")]), counting_config())
    arrays = source.to_arrays("x")
    larger = KnowledgeBase.from_records([*RECORDS, {"id": "more", "title": "More"}])
    for kb, changed in (
        (larger, {}),
        (KB, {"x.sizes": arrays["x.sizes"][:2]}),
        (KB, {"x.sizes": arrays["x.sizes"] + 1}),
    ):
        with pytest.raises(StoreError, match="damaged"):
            VectorSource.from_arrays(arrays | changed, "x", SourceInputs(kb), source.config)


def test_no_context_is_read_where_none_is_asked_for(encoder):
    config = counting_config()
    VectorSource.build(SourceInputs(KB), replace(config, texts=replace(config.texts, n_characters=0))).search(
        [asked("Paris and Helen", "Paris")], 2
    )
    assert encoder.asked[-1] == "Paris" and "Paris and Helen" not in encoder.asked


def test_settings_survive_being_written_down_and_wrong_ones_are_refused():
    config = counting_config(contents="contexts", index="graph", max_contexts=3)
    assert config_from_dict(VectorConfig, config_to_dict(config)) == config
    for wrong in ({"contents": "all"}, {"index": "tree"}, {"max_contexts": 0}):
        with pytest.raises(ConfigError):
            VectorConfig(**wrong)
    for wrong in ({"n_tokens": 3}, {"n_characters": -1}, {"context_weight": -0.5}, {"description_weight": -1.0}):
        with pytest.raises(ConfigError, match="at least"):
            replace(VectorConfig().texts, **wrong)
    with pytest.raises(ConfigError, match="no entities"):
        VectorSource.build(SourceInputs(KnowledgeBase.from_records([])))


def test_scores_fall_with_k_vectors_of_one_entity(encoder):
    documents = [annotated(f"Paris Seine {number}", "Paris", "city", number) for number in range(30)]
    source = VectorSource.build(SourceInputs(KB, documents), counting_config(max_contexts=30))
    found = source.generate([asked("Paris Seine", "Paris")], 3)[0]
    assert [candidate.id for candidate in found] == ["city", "prince", "troy"][: len(found)]
    assert all(first.score >= second.score for first, second in pairwise(found))


def test_other_documents_teach_anew_and_no_description_is_encoded_again(encoder):
    first = VectorSource.build(SourceInputs(KB, [annotated("Smoke on the Seine", "Smoke", "city")]), counting_config())
    encoder.asked.clear()
    second = first.with_documents_only([annotated("gold of the Creek", "Creek", "bare")])
    assert encoder.asked == ["Creek", "gold of the Creek"]
    assert second.contexts.groups.tolist() == [3] and first.with_documents_only([]).contexts is None


def test_a_linker_that_is_built_twice_encodes_descriptions_once(encoder):
    documents = [annotated("Paris, the capital", "Paris", "city", number) for number in range(8)]
    config = LinkerConfig(ranking=RankerConfig(min_mentions=1), held_out_share=0.25)
    config = replace(config, candidates=config.candidates.with_source("vectors", counting_config(k=5)))
    linker = Linker.build(KB, documents, config, n_threads=1)
    assert encoder.asked.count("prince of Troy who took Helen") == 1
    assert linker.model.decisions.given.curve is not None
    assert len(linker.model.sources.get("vectors").contexts.groups) == 8
