from dataclasses import replace

import numpy as np
import pytest

from deixis.candidates.combined import CandidateSources
from deixis.candidates.config import DEFAULT_SOURCES, SourcesConfig
from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.descriptions import DescriptionConfig
from deixis.candidates.sources.label_tree import LabelTreeSourceConfig
from deixis.candidates.sources.names import NameConfig
from deixis.candidates.sources.vectors import VectorConfig, VectorSource
from deixis.errors import StoreError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.types import Document, Mention, MentionInContext

RECORDS = [
    {"id": "uk", "title": "United Kingdom", "aliases": ["UK"], "description": "island country of the British"},
    {"id": "paris", "title": "Paris", "description": "capital of France", "types": ["city"]},
    {"id": "texas", "title": "Paris, Texas", "types": ["town"]},
    {"id": "bond", "title": "James Bond", "description": "British spy"},
    {"id": "kabul", "title": "Kabul", "types": ["city"]},
]
KB = KnowledgeBase.from_records(RECORDS)


def asked(*texts):
    return [MentionInContext(text, text, 0, len(text)) for text in texts]


@pytest.fixture(scope="module")
def sources():
    return CandidateSources.build(KB, n_threads=1)


def build(*names, kb=KB, counts=None, **settings):
    return CandidateSources.build(kb, config=SourcesConfig(names, settings), n_threads=1, counts=counts)


def scores(sources, text, **options):
    table = sources.propose(asked(text), **options)
    ids = KB.ids.strings(table.rows)
    return {name: dict(zip(ids, table.column(name).tolist(), strict=True)) for name in sources.columns}


def test_each_source_has_a_column_with_0_for_what_it_does_not_propose(sources):
    british, uk, misspelled = (scores(sources, text) for text in ("the British", "UK", "Jmaes Bond"))
    assert tuple(british) == DEFAULT_SOURCES
    assert british["descriptions"]["uk"] > 0.5 and british["descriptions"]["bond"] > 0.5
    assert british["alias"].get("uk", 0) == 0
    assert uk["alias"]["uk"] == 1 and uk["alias"].get("bond", 0) == 0
    assert misspelled["spelling"]["bond"] > 0.5 and misspelled["alias"]["bond"] == 0
    assert scores(sources, "Texas")["names"]["texas"] > 0.4


def test_every_source_can_be_the_only_one():
    for name in ("alias", "spelling", "names", "label_tree", "vectors", "name_vectors"):
        alone = build(name)
        assert alone.columns == (name,) and scores(alone, "Paris")[name]["paris"] > 0
    assert set(scores(build("descriptions"), "British")["descriptions"]) == {"uk", "bond"}


def test_a_source_that_is_not_there_has_a_column_of_zeros(sources):
    table = sources.propose(asked("Paris"))
    assert not table.column("vectors").any() and len(table.column("vectors")) == len(table.rows)


def test_a_source_proposes_no_more_than_its_k():
    few = build("label_tree", label_tree=LabelTreeSourceConfig(k=2))
    assert len(scores(few, "Paris")["label_tree"]) == 2


def test_no_mentions_and_mentions_without_words_are_proposed_nothing(sources):
    assert len(sources.propose([]).rows) == 0
    assert len(sources.propose(asked("", " ", "\u0301", "🦕🦕")).rows) == 0
    nothing = build("descriptions", kb=KnowledgeBase.from_records([{"id": "a", "title": "Oz"}]))
    assert nothing.columns == () and nothing.propose(asked("Oz", "x")).starts.tolist() == [0, 0, 0]


def test_a_mask_is_kept_by_every_source(sources):
    for wanted in ([0], [3], [1, 2], [0, 1, 2, 3, 4]):
        mask = np.isin(np.arange(5), wanted)
        for text in ("the British", "Paris", "James Bond UK", "Kabul, British Texas"):
            assert set(sources.propose(asked(text), mask).rows.tolist()) <= set(wanted)
            unfiltered = {row for row in sources.propose(asked(text)).rows.tolist() if mask[row]}
            assert set(sources.propose(asked(text), mask).rows.tolist()) >= unfiltered
    assert len(sources.propose(asked("Paris"), np.zeros(5, dtype=bool)).rows) == 0


def test_what_a_mask_leaves_is_found_though_hundreds_are_more_popular():
    records = [{"id": f"p{n}", "title": f"Person {n}", "description": f"British person {n}"} for n in range(400)]
    records += [{"id": "w", "title": "Hessenstein Trigonometry Society of old", "description": "made in Germany"}]
    settings = {"names": NameConfig(k=5), "descriptions": DescriptionConfig(k=5)}
    kb, counts = KnowledgeBase.from_records(records), np.array([1000.0] * 400 + [0.0])
    few = build("names", "descriptions", kb=kb, counts=counts, **settings)
    mask = np.arange(401) > 0
    assert few.propose(asked("Trigo"), mask).rows.tolist() == [400]
    assert 400 in few.propose(asked("British of Germany"), mask).rows


def test_popularity_breaks_ties_of_names():
    kb = KnowledgeBase.from_records([{"id": f"paris{n}", "title": "Paris"} for n in range(40)])
    counts = np.zeros(40)
    counts[27] = 5
    table = build("names", kb=kb, counts=counts, names=NameConfig(k=3)).propose(asked("Paris"))
    assert 27 in table.rows and len(table.rows) == 3
    np.testing.assert_allclose(table.column("names"), 1, atol=0.01)  # popularity is no similarity


def test_counts_without_bounds_are_no_trouble():
    counts = np.array([2**62, 0, 1, 2**53, 7], dtype=np.float64)
    table = CandidateSources.build(KB, n_threads=1, counts=counts).propose(asked("Paris", "UK"))
    assert all(np.isfinite(column).all() for column in table.signals.values())


def test_annotated_mentions_are_learned_by_names_and_tree():
    text = "Londoners of the Smoke"
    documents = [Document("d", text, mentions=(Mention(17, 22, "Smoke", "uk"),))]
    sources = CandidateSources.build(KB, documents, n_threads=1)
    assert scores(sources, "Smoke")["alias"]["uk"] == 1
    assert scores(sources, "Smoke")["label_tree"]["uk"] > 0


def test_corrected_mentions_count_until_others_are_given(sources):
    corrected = sources.with_mentions(asked("Smoke"), [0])
    assert scores(corrected, "Smoke")["alias"]["uk"] == 1
    assert "uk" not in scores(corrected.with_mentions([], []), "Smoke")["alias"]
    assert "uk" not in scores(sources, "Smoke")["alias"]


@pytest.mark.parametrize(
    "records",
    [[{"id": "a", "title": "Oz"}], [{"id": "a", "title": "Oz"}, {"id": "b", "title": "!"}], RECORDS],
    ids=["one entity", "no description", "some"],
)
def test_what_is_stored_proposes_the_same(records):
    kb = KnowledgeBase.from_records(records)
    sources = CandidateSources.build(kb, n_threads=1)
    arrays = sources.to_arrays("u")
    again = CandidateSources.from_arrays(arrays, "u", kb, sources.config)
    assert {n: a.tobytes() for n, a in again.to_arrays("u").items()} == {n: a.tobytes() for n, a in arrays.items()}
    for text in ("Oz", "the British", ""):
        one, two = sources.propose(asked(text)), again.propose(asked(text))
        assert one.rows.tolist() == two.rows.tolist() and one.signals.keys() == two.signals.keys()
        assert all(one.signals[name].tobytes() == two.signals[name].tobytes() for name in one.signals)


def test_settings_that_ask_for_more_than_was_stored_are_refused():
    arrays = build("alias").to_arrays("u")
    for more in ("spelling", "names", "label_tree", "descriptions", "vectors", "name_vectors"):
        with pytest.raises(StoreError, match="no array"):
            CandidateSources.from_arrays(arrays, "u", KB, SourcesConfig(("alias", more)))


def test_a_batch_is_its_singles_and_threads_change_nothing(sources):
    texts = ["Paris", "", "the British spy", "Kabul Texas", "zzz", "Untied Kingdom"] * 3
    other = CandidateSources.build(KB, n_threads=3)
    assert {n: a.tobytes() for n, a in other.to_arrays("u").items()} == {
        n: a.tobytes() for n, a in sources.to_arrays("u").items()
    }
    together, threaded = sources.propose(asked(*texts)), other.propose(asked(*texts))
    assert together.rows.tolist() == threaded.rows.tolist()
    for number, text in enumerate(texts):
        single = sources.propose(asked(text))
        places = slice(together.starts[number], together.starts[number + 1])
        assert single.rows.tolist() == together.rows[places].tolist()
        for name in DEFAULT_SOURCES:
            assert single.signals[name].tobytes() == together.signals[name][places].tobytes()
            assert single.signals[name].tobytes() == threaded.signals[name][places].tobytes()


def test_vectors_propose_and_score_what_the_others_propose():
    sources = build("alias", "vectors", vectors=VectorConfig(k=1))
    mention = MentionInContext("Paris", "Paris, capital of France", 0, 5)
    table = sources.propose([mention])
    by_vectors = dict(zip(KB.ids.strings(table.rows), table.column("vectors").tolist(), strict=True))
    assert max(by_vectors, key=by_vectors.__getitem__) == "paris"
    both = build("names", "vectors", vectors=VectorConfig(k=1)).propose([mention])
    assert len(both.rows) > 1 and (both.column("vectors") > 0).all()  # all of them score, one of them is proposed
    assert len(sources.propose([]).rows) == 0 and tuple(sources.propose([]).signals) == ("alias", "vectors")
    assert set(sources.propose([mention], np.arange(5) == 2).rows.tolist()) <= {2}


def test_a_model_with_vectors_is_stored_and_one_without_has_no_array_more():
    config = SourcesConfig().with_encoder("chars")
    with_vectors, plain = (CandidateSources.build(KB, config=one, n_threads=1) for one in (config, SourcesConfig()))
    arrays, fewer = with_vectors.to_arrays("u"), plain.to_arrays("u")
    assert {name for name in arrays if ".vectors." not in name} == set(fewer)
    assert all(arrays[name].tobytes() == array.tobytes() for name, array in fewer.items())
    again = CandidateSources.from_arrays(arrays, "u", KB, config)
    one, two = (each.propose(asked("the British", "Kabul")).column("vectors") for each in (with_vectors, again))
    assert one.tobytes() == two.tobytes() and one.any()


def test_another_source_takes_the_place_of_the_one_before_and_the_others_stay(sources):
    annotated = [Document("d", "Kabul, capital of France", mentions=(Mention(0, 5, "Kabul", "bond"),))]
    vectors = VectorSource.build(SourceInputs(KB, annotated), VectorConfig(contents="contexts"))
    grown = sources.with_source(vectors)
    assert sources.get("vectors") is None and grown.get("vectors") is vectors
    assert grown.get("alias") is sources.get("alias")
    assert grown.config["vectors"].contents == "contexts" and grown.columns == (*DEFAULT_SOURCES, "vectors")
    found = scores(grown, "Kabul")
    assert found["vectors"]["bond"] > 0.5 and found["vectors"]["kabul"] == 0
    both = grown.with_source(vectors.with_contents("both"))
    assert both.columns == grown.columns
    assert both.config["vectors"] == replace(grown.config["vectors"], contents="both")


def test_mentions_are_encoded_once_to_be_searched_and_scored(monkeypatch):
    sources = build("alias", "vectors")
    encoded = []
    encode = sources.get("vectors").encoder.encode
    monkeypatch.setattr(sources.get("vectors").encoder, "encode", lambda texts: encoded.append(texts) or encode(texts))
    sources.propose(asked("Paris", "Kabul"))
    assert [texts for texts in encoded if texts == ["Paris", "Kabul"]] == [["Paris", "Kabul"]] * 2  # names, contexts


TUMORS = [
    {"id": "D009369", "title": "Neoplasms", "aliases": ["Tumor", "Tumors"]},
    {"id": "D015275", "title": "Tumor Lysis Syndrome", "aliases": ["Syndrome, Tumour Lysis"]},
    {"id": "ranger", "title": "Ranger"},
    {"id": "D005839", "title": "Gentamicins"},
]


@pytest.mark.parametrize(
    ("text", "written", "name"),
    [
        ("The tumour grew.", "tumour", "Tumor"),
        ("Tumours grew.", "Tumours", "Tumor"),
        ("It was gentamicin.", "gentamicin", "Gentamicins"),
        ("The Rangers won.", "Rangers", "Rangers"),  # a proper name
        ("The tumor grew.", "tumor", "tumor"),  # on the list as it is
        ("A lysis syndrome.", "lysis syndrome", "lysis syndrome"),  # a part of a name
        ("", "", ""),
    ],
)
def test_a_name_in_another_number_or_spelling_is_ranked_as_that_name(text: str, written: str, name: str) -> None:
    sources = CandidateSources.build(KnowledgeBase.from_records(TUMORS))
    start = text.index(written)
    mention = MentionInContext(written, text, start, start + len(written))
    (ranked,) = sources.with_kb_names([mention])
    assert ranked == replace(mention, text=name)
    assert sources.with_kb_names([]) == []


def test_a_british_plural_means_the_name_and_not_a_longer_one() -> None:
    linker = Linker.build(KnowledgeBase.from_records(TUMORS))
    document = Document("d", "She had two tumours in the lung.", mentions=(Mention(12, 19, "tumours"),))
    (mention,) = linker.link(document).mentions
    assert (mention.text, mention.entity) == ("tumours", "D009369")
