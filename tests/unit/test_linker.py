from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError

import pytest

from deixis.errors import ConfigError, DataError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.build_settings import ThresholdConfig
from deixis.linking.config import LinkerConfig
from deixis.types import Document, Mention

RECORDS = [
    {"id": "city", "title": "Paris", "aliases": ["City of Light"], "description": "capital of France on the Seine"},
    {"id": "prince", "title": "Paris", "description": "prince of Troy who took Helen"},
    {"id": "troy", "title": "Troy", "description": "ancient city besieged by the Greeks"},
]
PRESETS = ["default", "xmred"]


@pytest.fixture(scope="module")
def linker():
    return Linker.build(KnowledgeBase.from_records(RECORDS))


def build(records, preset="default", **settings):
    return Linker.build(KnowledgeBase.from_records(records), config=LinkerConfig.preset(preset), **settings)


def links(document: Document) -> list[tuple[str, str | None]]:
    return [(mention.text, mention.entity) for mention in document.mentions]


def given(text: str, *spans: tuple[int, int]) -> Document:
    return Document("given", text, mentions=tuple(Mention(s, e, text[s:e]) for s, e in spans))


def test_mentions_are_detected_and_namesakes_told_apart(linker):
    document = linker.link("To save Troy, Paris had to be sacrificed.")
    assert links(document) == [("Troy", "troy"), ("Paris", "prince")]
    assert links(linker.link("The Seine flows through Paris.")) == [("Paris", "city")]


def test_one_text_gives_a_document_and_several_give_as_many(linker):
    assert isinstance(linker.link("Paris"), Document)
    assert list(linker.link_many([])) == [] and len(list(linker.link_many(["Paris"]))) == 1
    documents = linker.link_many(text for text in ["Paris", Document("mine", "Troy", "en")])
    assert [(document.id, document.lang) for document in documents] == [("doc1", None), ("mine", "en")]


def test_a_stream_is_linked_as_it_comes(linker):
    n_asked = 0

    def texts():
        nonlocal n_asked
        while True:
            n_asked += 1
            yield "Troy"

    stream = linker.link_many(texts(), batch_size=2)
    assert [next(stream).id for _ in range(3)] == ["doc1", "doc2", "doc3"]
    assert n_asked == 4
    with pytest.raises(ConfigError, match="batch_size"):
        next(linker.link_many(["Troy"], batch_size=0))


@pytest.mark.parametrize("wrong", [b"Paris", bytearray(b"Paris"), None, 3, 2.5, {"text": "Paris"}])
def test_what_is_no_text_is_refused(linker, wrong):
    for link in (linker.link, linker.link_many):
        with pytest.raises(DataError, match="Expected a text or a Document"):
            link(wrong)


@pytest.mark.parametrize("wrong", [b"Paris", 3, 2.5, {"text": "Paris"}, ["Paris"]])
def test_what_is_no_text_among_several_is_told_with_its_row(linker, wrong):
    with pytest.raises(DataError, match=r"Row 1 \(from 0\): Expected a text or a Document"):
        linker.link(["a", wrong])


def test_one_text_is_not_taken_for_several(linker):
    for one in ("Paris", Document("d", "Paris")):
        with pytest.raises(DataError, match="link_many takes several texts in a list, got one .* Use link for one"):
            linker.link_many(one)


def test_several_texts_are_linked_as_each_of_them_is(linker):
    texts = ["To save Troy, Paris left.", "Nothing", Document("mine", "Troy", "en")]
    for several in (texts, tuple(texts), iter(texts)):
        linked = linker.link(several)
        assert isinstance(linked, list) and linked == list(linker.link_many(texts))
    assert [each.mentions for each in linked] == [linker.link(text).mentions for text in texts]


@pytest.mark.parametrize("missing", [None, float("nan"), ""])
def test_a_missing_text_is_an_empty_document_in_its_row(linker, missing):
    linked = linker.link(["Troy", missing, "Paris and Troy"])
    assert [(each.id, each.text) for each in linked] == [("doc1", "Troy"), ("doc2", ""), ("doc3", "Paris and Troy")]
    assert [row["row"] for row in linked.to_records()] == [0, 2, 2]


def test_columns_of_pandas_polars_and_arrow_are_texts(linker):
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    texts = ["To save Troy, Paris left.", None]
    expected = linker.link(texts)
    for column in (
        pandas.Series(texts), pandas.Series(texts, dtype="string"), pandas.Series(["x", *texts], index=[7, 8, 9])[1:],
        polars.Series(texts), pyarrow.array(texts), pyarrow.chunked_array([texts]),
    ):  # fmt: skip
        assert linker.link(column) == expected
    with pytest.raises(DataError, match="whole table"):
        linker.link(pandas.DataFrame({"text": texts}))


def test_links_are_a_data_frame_with_a_row_for_each_mention(linker):
    pandas = pytest.importorskip("pandas")
    texts = pandas.Series(["To save Troy, Paris left.", None, "Troy"])
    frame = linker.link(texts).to_pandas()
    assert frame["row"].tolist() == [0, 0, 2] and frame["text"].tolist() == ["Troy", "Paris", "Troy"]
    assert frame["entity"].tolist() == ["troy", "prince", "troy"] and frame["nil"].tolist() == [False] * 3
    assert list(linker.link([]).to_pandas().columns) == list(frame.columns)


def test_rows_have_the_index_of_their_column_so_that_they_can_be_joined(linker):
    pandas = pytest.importorskip("pandas")
    texts = pandas.Series(["To save Troy, Paris left.", None, "Troy"], index=["a", "b", "c"])
    assert linker.link(texts).to_pandas()["row"].tolist() == ["a", "a", "c"]


def test_an_unknown_option_is_told_before_anything_is_read(linker):
    for ask, text in ((linker.link, "Paris"), (linker.link_many, iter(())), (linker.link_names, ["Paris"])):
        with pytest.raises(ConfigError, match="Unknown option 'treshold'. Did you mean 'threshold'"):
            ask(text, treshold=0.5)


def test_a_linker_cannot_be_changed(linker):
    with pytest.raises(FrozenInstanceError):
        linker.model = None
    with pytest.raises(FrozenInstanceError):
        linker.model.ranker = None


def test_two_threads_link_what_one_does(linker):
    texts = [f"{name} and {other}, {n}" for n in range(30) for name, other in (("Paris", "Troy"), ("Troy", "Paris"))]
    alone = list(linker.link_many(texts))
    with ThreadPoolExecutor(2) as pool:
        halves = pool.map(lambda part: list(linker.link_many(part)), (texts[::2], texts[1::2]))
        every = pool.map(linker.link, texts)
        assert [document.mentions for document in every] == [document.mentions for document in alone]
    first, second = ([document.mentions for document in half] for half in halves)
    assert first == [document.mentions for document in alone[::2]]
    assert second == [document.mentions for document in alone[1::2]]


def test_candidates_have_the_rankers_scores_and_as_many_as_asked_for(linker):
    document = given("Paris and Troy", (0, 5), (10, 14))
    calibrated = linker.calibrate([document.with_mentions([Mention(0, 5, "Paris", "city")])] * 3)
    ranked = linker.candidates([document])
    assert calibrated.candidates([document]) == ranked  # nothing is decided, so no calibration counts
    for own, mention in zip(ranked, linker.link(document).mentions, strict=True):
        assert [each.id for each in own] == [each.id for each in mention.candidates]
        assert sum(each.score for each in own) == pytest.approx(1)
        on_list = mention.candidates[0].score / own[0].score  # a link's score is that of its candidate times this
        assert 0 < on_list < 1
        assert [each.score * on_list for each in own] == pytest.approx([each.score for each in mention.candidates])
    assert [len(own) for own in linker.candidates([document, document], 1)] == [1] * 4
    assert linker.candidates([]) == []


def test_given_mentions_are_all_answered_nested_repeated_and_out_of_order(linker):
    spans = [(8, 19), (8, 12), (14, 19), (14, 19), (0, 41), (0, 0), (3, 3)]
    document = linker.link(given("To save Troy, Paris had to be sacrificed.", *spans))
    assert [(m.start, m.end) for m in document.mentions] == spans
    assert all(mention.is_decided for mention in document.mentions)
    assert document.mentions[2] == document.mentions[3]
    assert links(document)[1:3] == [("Troy", "troy"), ("Paris", "prince")]


def test_where_mentions_are_given_none_are_detected(linker):
    assert links(linker.link(given("Troy and Paris", (0, 4)))) == [("Troy", "troy")]


@pytest.mark.parametrize("text", ["", "  ", "\n\t", "ಬೆಂಗಳೂರು", "🦕", "\u0301", "\ud800", "?!", "Zxqwv"])
def test_a_mention_without_a_known_word_is_nil(linker, text):
    mention = linker.link(given(f"x{text}y", (1, 1 + len(text)))).mentions[0]
    assert (mention.text, mention.entity, mention.is_nil, mention.candidates) == (text, None, True, ())


@pytest.mark.parametrize("text", ["", " ", "\x00", "nothing to see", "word " * 20_000, "x" * 100_000, "字" * 100_000])
def test_a_text_without_names_has_no_mentions(linker, text):
    assert linker.link(text).mentions == ()


def test_a_mention_may_be_as_long_as_its_document(linker):
    text = "Paris took Helen to Troy " * 4000
    (mention,) = linker.link(given(text, (0, len(text)))).mentions
    assert mention.text == text and mention.is_decided


@pytest.mark.parametrize(
    "mention",
    [
        Mention(0, 4, "Paris"),
        Mention(10, 15, "Paris"),
        Mention(-5, -1, "Pari"),
        Mention(3, 2, ""),
        Mention(0, 5, "Troy!"),
    ],
)
def test_a_mention_that_is_not_where_it_says_is_refused(linker, mention):
    with pytest.raises(DataError, match="'odd' has a mention"):
        linker.link(Document("odd", "Paris", mentions=(mention,)))


def test_a_document_without_text_is_refused(linker):
    with pytest.raises(DataError, match="must be a string, got NoneType"):
        linker.link(Document("odd", None))


def test_only_a_knowledge_base_can_be_linked_to():
    for wrong in (RECORDS, "entities.jsonl", None):
        with pytest.raises(DataError, match=r"Expected a KnowledgeBase.*KnowledgeBase.read"):
            Linker.build(wrong)
    with pytest.raises(ConfigError, match="no entities"):
        build([])


def test_annotated_documents_teach_names(linker):
    text = "Wilusa burned."
    taught = Linker.build(linker.kb, [Document("a", text, mentions=(Mention(0, 6, "Wilusa", "troy"),))])
    assert links(linker.link(given(text, (0, 6)))) == [("Wilusa", None)]
    assert links(taught.link(given(text, (0, 6)))) == [("Wilusa", "troy")]


def test_the_threshold_and_the_number_of_candidates_are_heeded(linker):
    strict = Linker.build(linker.kb, config=LinkerConfig(nil=ThresholdConfig(1.0), n_candidates=1))
    mention = strict.link("Paris").mentions[0]
    assert mention.is_nil and len(mention.candidates) == 1


@pytest.mark.parametrize("preset", PRESETS)
def test_one_entity_is_enough(preset):
    linker = build([{"id": "a", "title": "Paris"}], preset)
    assert links(linker.link("Paris fell")) == [("Paris", "a")]
    assert links(linker.link("Troy fell")) == []


@pytest.mark.parametrize("preset", PRESETS)
def test_names_alone_are_enough(preset):
    linker = build([{"id": name.lower(), "title": name} for name in ("Paris", "Troy", "London")], preset)
    assert links(linker.link("Paris, Troy, London")) == [("Paris", "paris"), ("Troy", "troy"), ("London", "london")]


@pytest.mark.parametrize(("preset", "expected"), [("default", "marks"), ("xmred", None)])
def test_names_of_marks_only_are_found_by_the_table_of_names(preset, expected):
    linker = build([{"id": "marks", "title": "!!!"}, {"id": "troy", "title": "Troy"}], preset)
    assert links(linker.link(given("!!! in Troy", (0, 3), (7, 11)))) == [("!!!", expected), ("Troy", "troy")]
    assert links(build([{"id": "marks", "title": "!!!"}], preset).link(given("!!!", (0, 3)))) == [("!!!", expected)]


def test_of_two_entities_alike_in_everything_the_first_is_linked_and_both_are_candidates():
    mention = build([{"id": "a", "title": "Paris"}, {"id": "b", "title": "Paris"}]).link("Paris").mentions[0]
    assert [candidate.id for candidate in mention.candidates] == ["a", "b"]
    assert mention.candidates[0].score == mention.candidates[1].score


def test_titles_that_fold_to_the_same_name_are_candidates_alike():
    titles = ["Paris", "PARIS", "Ｐａｒｉｓ", "paris!"]
    linker = build([{"id": str(n), "title": title} for n, title in enumerate(titles)])
    for text in ("Paris", "PARIS"):
        assert {candidate.id for candidate in linker.link(text).mentions[0].candidates} == {"0", "1", "2", "3"}


@pytest.mark.parametrize("preset", PRESETS)
def test_a_linker_without_its_ranking_weights_keeps_the_trees_order(preset):
    linker = build(RECORDS, preset)
    scores = [candidate.score for candidate in linker.link(given("Paris", (0, 5))).mentions[0].candidates]
    assert scores == sorted(scores, reverse=True)
