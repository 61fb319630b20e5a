"""BioC: what the two dialects share, and what each of them refuses."""

import io
import json

import pytest

from deixis.documents.formats.bioc.json import read_bioc_json, write_bioc_json
from deixis.documents.formats.bioc.record_in import MAX_GAP, document_of
from deixis.documents.formats.bioc.xml import read_bioc_xml, write_bioc_xml
from deixis.documents.places import Place
from deixis.errors import DataError
from deixis.types import Document, Mention

PLACE = Place("corpus.json", 7)


def annotation(offset, length, text=None, **infons):
    return {"infons": infons, "text": text, "locations": [{"offset": offset, "length": length}]}


def passage(offset, text, *annotations):
    return {"offset": offset, "text": text, "annotations": list(annotations)}


def read(*passages, **more):
    return document_of({"id": "1", "passages": list(passages), **more}, PLACE)


def from_json(text):
    return list(read_bioc_json(enumerate(text.split("\n"), start=1), "corpus.json"))


def from_xml(text):
    return list(read_bioc_xml(enumerate(text.split("\n"), start=1), "corpus.xml"))


def test_offsets_into_the_document_hold_across_passages():
    document = read(passage(0, "Title here"), passage(12, "Ague strikes.", annotation(12, 4, "Ague", MESH="D1")))
    assert document.text == "Title here\n Ague strikes."
    assert document.mentions == (Mention(12, 16, "Ague", entity="D1"),)


def test_a_document_that_begins_in_the_middle_keeps_its_offsets():
    assert read(passage(3, "Ague", annotation(3, 4, "Ague"))).mentions[0].start == 3


def test_passages_whose_offsets_overlap_are_parted_by_a_line_end():
    document = read(passage(0, "One"), passage(0, "Two", annotation(0, 3, "Two")))
    assert (document.text, document.mentions[0].start) == ("One\nTwo", 4)


def test_a_gap_that_no_text_could_fill_is_refused():
    with pytest.raises(DataError, match=r"corpus\.json, line 7: in the document '1': a passage's offset is 1000004"):
        read(passage(0, "One"), passage(MAX_GAP + 4, "Two"))


@pytest.mark.parametrize(("offset", "length"), [(7, 5), (8, 5)], ids=["code points", "UTF-8 bytes"])
def test_characters_and_bytes_are_told_apart_by_the_annotation_itself(offset, length):
    document = read(passage(0, "Zürich Paris", annotation(offset, length, "Paris")))
    assert document.mentions == (Mention(7, 12, "Paris"),)


def test_offsets_of_passages_in_bytes_are_converted_too():
    second = passage(8, "älter Paris", annotation(15, 5, "Paris"))
    document = read(passage(0, "Zürich"), second)
    assert document.text == "Zürich\nälter Paris"
    assert [document.text[m.start : m.end] for m in document.mentions] == ["Paris"]


def test_utf16_units_after_an_emoji_are_converted():
    assert read(passage(0, "\U0001f600 Paris", annotation(3, 5, "Paris"))).mentions[0].start == 2


def test_a_respelling_of_what_is_not_ascii_is_no_mistake():
    document = read(passage(0, "high TNF-α here", annotation(5, 5, "TNF-a")))
    assert document.mentions[0].text == "TNF-α"


def test_an_annotation_that_says_something_else_than_the_text_is_refused():
    with pytest.raises(DataError, match="says 'Paris', but the text has 'Troy '"):
        read(passage(0, "Troy fell", annotation(0, 5, "Paris")))


def test_several_locations_become_the_span_from_first_to_last():
    parts = {"text": "lung cancers", "locations": [{"offset": 0, "length": 4}, {"offset": 16, "length": 7}]}
    (mention,) = read(passage(0, "lung and breast cancers", parts)).mentions
    assert (mention.start, mention.end) == (0, 23)


def test_an_annotation_between_two_characters_is_left_out():
    assert read(passage(0, "Paris", annotation(2, 0, ""))).mentions == ()


def test_an_annotation_without_a_location_is_left_out():
    assert read(passage(0, "Paris", {"infons": {"MESH": "D1"}, "locations": []})).mentions == ()


@pytest.mark.parametrize(
    ("infons", "entity", "is_nil"),
    [
        ({"identifier": "MESH:D1", "type": "Disease"}, "MESH:D1", False),
        ({"type": "Disease", "MESH": "D1|D2"}, "D1|D2", False),
        ({"NCBI Gene identifier": "672"}, "672", False),
        ({"identifier": "OMIM:1", "MESH": "D1"}, "OMIM:1", False),
        ({"identifier": 672}, "672", False),
        ({"identifier": "-"}, None, True),
        ({"MESH": "-1"}, None, True),
        ({"identifier": None}, None, True),
        ({"type": "Disease"}, None, False),
    ],
)
def test_the_entity_is_found_among_the_infons(infons, entity, is_nil):
    mention = read(passage(0, "ague", annotation(0, 4, **infons))).mentions[0]
    assert (mention.entity, mention.is_nil) == (entity, is_nil)


def test_sentences_stand_in_for_a_passage_without_text():
    sentences = [passage(0, "One."), passage(5, "Ague.", annotation(5, 4, "Ague"))]
    document = read({"offset": 0, "sentences": sentences})
    assert (document.text, document.mentions) == ("One. Ague.", (Mention(5, 9, "Ague"),))


def test_annotations_of_the_whole_document_find_their_passage():
    document = read(passage(0, "Zürich"), passage(7, "Ague"), annotations=[annotation(7, 4, "Ague")])
    assert document.mentions == (Mention(7, 11, "Ague"),)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ([], "list 'passages'"),
        ({"passages": {}}, "list 'passages'"),
        ({"passages": ["x"]}, "'passages' must hold objects"),
        ({"passages": [{"offset": 0, "text": 5}]}, "'text' must be a string"),
        ({"passages": [{"offset": "x", "text": "a"}]}, "whole number from 0, got 'x'"),
        ({"passages": [{"offset": True, "text": "a"}]}, "whole number from 0, got True"),
        ({"passages": [{"text": "a"}]}, "offset must be a whole number"),
        ({"passages": [passage(0, "abc", annotation(2, 5))]}, "outside the text"),
        ({"passages": [passage(5, "abc", annotation(2, 2))]}, "outside the text"),
        ({"passages": [passage(0, "abc", {"infons": []})]}, None),
        ({"passages": [passage(0, "abc", {**annotation(0, 1), "infons": []})]}, "'infons' must be an object"),
        ({"passages": [passage(0, "abc", {**annotation(0, 1), "text": 3})]}, "'text' must be a string"),
        ({"passages": [passage(5, "abc")], "annotations": [annotation(2, 2)]}, "before the first passage"),
    ],
)
def test_records_that_do_not_fit_are_refused_by_name(record, words):
    if words is None:
        assert document_of(record, PLACE).mentions == ()
        return
    with pytest.raises(DataError, match=words) as caught:
        document_of(record, PLACE)
    assert (caught.value.path, caught.value.line) == ("corpus.json", 7)


def test_an_annotation_counted_from_its_passage_is_told_where_offsets_count_from():
    with pytest.raises(
        DataError, match="in the document '1': the annotation 'Paris' lies outside .* not the passage's"
    ):
        read(passage(0, "To save Troy"), passage(13, "go, Paris", annotation(4, 5, "Paris")))


DOCUMENT = {"id": "9", "passages": [passage(0, "Ague", annotation(0, 4, "Ague", MESH="D1"))]}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"source": "x", "documents": [DOCUMENT, DOCUMENT]}),
        json.dumps({"documents": [DOCUMENT, DOCUMENT], "infons": {"a": ["]", '"}']}}, indent=2),
        json.dumps({"PubTator3": [DOCUMENT, DOCUMENT]}, indent=1),
        json.dumps([{"documents": [DOCUMENT]}, {"documents": [DOCUMENT]}], indent=1),
        json.dumps([DOCUMENT, DOCUMENT]),
        json.dumps(DOCUMENT) + "\n\n" + json.dumps(DOCUMENT) + "\n",
        json.dumps(DOCUMENT, indent=1) + json.dumps(DOCUMENT, indent=1),
    ],
    ids=["collection", "indented", "PubTator", "collections", "list", "lines", "indented documents"],
)
def test_json_is_read_in_all_the_shapes_people_have_it_in(text):
    documents = from_json(text)
    assert [document.id for document in documents] == ["9", "9"]
    assert documents[0].mentions == (Mention(0, 4, "Ague", entity="D1"),)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("nonsense", 1, "Expecting value, found 'nonsense'"),
        ('{"documents": [\n{"id": "1"', 2, "not JSON .*the end of the file"),
        ('{"documents": [\n{"id": "1}\n]}', 2, "not JSON"),
        ('{"documents": [\n\n{"id": 1, 2}]}', 3, "not JSON"),
        ('{"documents": [] "x": 1}', 1, "not JSON .Expecting ',' delimiter, found"),
        ('{"documents": 5}', 1, "'documents' must be a list of documents, got 5"),
        ('{"id": 5, "texts": "x"}', 1, "Keys here: 'id', 'texts'"),
        ('{"documents": [5]}', 1, "list 'passages'"),
        ('{"documents": [' + "1" * 5000 + "]}", 1, "not JSON"),
        ('{"documents": [{"passages": ' + "[" * 100_000 + "]" * 100_000 + "}]}", 1, "nested too deeply"),
        ('{"documents":', 1, "the end of the file"),
        ("{,", 1, "not JSON"),
    ],
)
def test_broken_json_is_refused_with_its_line(text, line, words):
    with pytest.raises(DataError, match=words) as caught:
        from_json(text)
    assert (caught.value.path, caught.value.line) == ("corpus.json", line)


XML = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE collection SYSTEM "BioC.dtd">
<collection><source>x</source><date/><key>k</key><infon key="a">b</infon>
<document><id>9</id><infon key="lang">en</infon>
<passage><infon key="type">title</infon><offset>0</offset><text>R&amp;D &#x1F600; ague</text>
<annotation id="2"><infon key="MESH">D1</infon><location offset="6" length="4"/><text>ague</text></annotation>
<relation id="r"><infon key="identifier">not this</infon><node refid="2" role="x"/></relation>
</passage></document></collection>"""


def test_xml_gives_what_json_would():
    (document,) = from_xml(XML)
    assert document == Document("9", "R&D \U0001f600 ague", "en", (Mention(6, 10, "ague", entity="D1"),))


def test_empty_lines_before_the_xml_declaration_are_forgiven():
    assert len(from_xml("\n\n" + XML)) == 1


def test_a_file_on_one_line_comes_out_document_by_document():
    one = "<document><id>1</id><passage><offset>0</offset><text>" + "x" * 70_000 + "</text></passage></document>"
    documents = read_bioc_xml([(1, "<collection>" + one * 3 + "</collection>")], "x.xml")
    assert [len(document.text) for document in documents] == [70_000] * 3


BOMB = "\n".join(
    ["<!DOCTYPE collection [", '<!ENTITY a "ha">']
    + [f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True)]
    + ["]>", "<collection><document><id>&j;</id></document></collection>"]
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BOMB, "declares the XML entity 'a'"),
        ('<!DOCTYPE collection [<!ENTITY x SYSTEM "file:///etc/passwd">]><collection>&x;</collection>', "entity 'x'"),
        ('<!DOCTYPE collection [<!ENTITY % p SYSTEM "http://x.org/e.dtd"> %p;]><collection/>', "entity 'p'"),
        ('<!DOCTYPE collection SYSTEM "BioC.dtd"><collection><source>&nbsp;</source></collection>', "&nbsp; is not"),
        ("<collection><source>&nbsp;</source></collection>", "undefined entity"),
    ],
    ids=["billion laughs", "external file", "external parameter", "undeclared", "undeclared without a DTD"],
)
def test_entities_are_refused(text, words):
    with pytest.raises(DataError, match=words) as caught:
        from_xml(text)
    assert caught.value.path == "corpus.xml"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("nonsense", 1, "not well-formed XML"),
        ("<html>\n</html>", 1, "begins with <collection>, got <html>"),
        ("<collection>\n<document>", 2, "no element found.*cut off"),
        ("<collection>\n<passage/></collection>", 2, "outside of a <document>"),
        ("<collection>\n\n<document><id>1<b/></id></document></collection>", 3, "<b> stands inside of a text"),
        ("<collection>\n<document><passage><text>x</text></passage>\n</document></collection>", 2, "offset must be"),
        ("<collection></document></collection>", 1, "mismatched tag"),
    ],
)
def test_broken_xml_is_refused_with_its_line(text, line, words):
    with pytest.raises(DataError, match=words) as caught:
        from_xml(text)
    assert (caught.value.path, caught.value.line) == ("corpus.xml", line)


def test_xml_writes_what_it_cannot_hold_as_a_replacement_character():
    stream = io.StringIO()
    assert write_bioc_xml([Document("1", "a\x00b\rc\td<&>]]>", mentions=(Mention(2, 3, "b"),))], stream) == 1
    (document,) = from_xml(stream.getvalue())
    assert document.text == "a\ufffdb\rc\td<&>]]>"
    assert document.mentions[0].text == "b"


@pytest.mark.parametrize("write", [write_bioc_json, write_bioc_xml])
def test_no_documents_are_still_a_whole_collection(write):
    stream = io.StringIO()
    assert write([], stream) == 0
    read_back = from_json if write is write_bioc_json else from_xml
    assert read_back(stream.getvalue()) == []
    assert stream.getvalue().count("\n") >= 1
