"""Records of every accepted spelling, and what is wrong with the others."""

from dataclasses import replace

import pytest

from deixis.kb.record_mapping import RecordMapping
from deixis.kb.records import BadRecord, clean


def parse(record):
    return RecordMapping.choose(record).parse(record)


def test_the_native_record_of_the_documentation_is_read_whole():
    fields = parse(
        {
            "id": "Q90",
            "title": "Paris",
            "aliases": ["City of Light", {"text": "Parigi", "lang": "it", "count": 120}],
            "descriptions": {"en": "capital of France", "de": "Hauptstadt"},
            "description": "a city",
            "types": ["city"],
            "type": "capital",
            "count": 91234,
            "url": "https://example.org/Q90",
            "alt_ids": ["paris", 90],
        }
    )
    assert fields.id == "Q90" and fields.title == "Paris" and fields.n_seen == 91234
    assert fields.aliases == [("City of Light", "", 0), ("Parigi", "it", 120)]
    assert fields.descriptions == [("", "a city"), ("en", "capital of France"), ("de", "Hauptstadt")]
    assert fields.types == ["city", "capital"]
    assert fields.url == "https://example.org/Q90" and fields.alt_ids == ["paris", "90"]


FOREIGN = {
    "glinker": {
        "entity_id": "e1",
        "label": "Paris",
        "description": "capital",
        "entity_type": "city",
        "aliases": ["Lutetia"],
        "popularity": 7,
    },
    "scispacy": {
        "concept_id": "e1",
        "canonical_name": "Paris",
        "aliases": ["Lutetia"],
        "definition": "capital",
        "types": ["city"],
    },
    "entity-linkings": {"id": "e1", "name": "Paris", "description": "capital"},
    "blink": {"idx": "e1", "title": "Paris", "text": "capital", "entity": "Paris"},
    "annif": {"uri": "e1", "label": "Paris"},
}


@pytest.mark.parametrize("dialect", FOREIGN)
def test_the_records_of_other_tools_are_understood(dialect):
    record = FOREIGN[dialect]
    mapping = RecordMapping.choose(record)
    fields = mapping.parse(record)
    assert mapping.dialect == dialect
    assert (fields.id, fields.title) == ("e1", "Paris")
    if dialect != "annif":
        assert fields.descriptions == [("", "capital")]
    if "aliases" in record:
        assert fields.aliases == [("Lutetia", "", 0)] and fields.types == ["city"]
    assert fields.n_seen == record.get("popularity", 0)


def test_the_mapping_says_what_it_ignores():
    mapping = RecordMapping.choose(FOREIGN["blink"])
    assert mapping.describe(FOREIGN["blink"]) == (
        "blink records: idx -> id, title -> title, text -> description; ignored: entity"
    )


def test_a_native_spelling_wins_over_another_tools():
    fields = parse({"id": "1", "title": "a", "text": "long", "description": "short", "popularity": 1, "count": 2})
    assert fields.descriptions == [("", "short")] and fields.n_seen == 2


def test_null_is_the_same_as_absent():
    bare = {"id": "1", "title": "a"}
    nulls = dict.fromkeys(["aliases", "description", "descriptions", "types", "type", "count", "url", "alt_ids"])
    assert parse(bare | nulls) == parse(bare)
    assert parse(bare | {"aliases": [{"text": "b", "lang": None, "count": None}]}).aliases == [("b", "", 0)]
    assert parse(bare | {"descriptions": {"en": None, "de": "x"}}).descriptions == [("de", "x")]


def test_whole_numbers_are_ids_and_other_things_are_not():
    assert parse({"id": 3041565, "title": "Andorra"}).id == "3041565"
    for value, kind in [(1.5, "wrong_type"), (True, "wrong_type"), (["x"], "wrong_type"), ("", "empty_id")]:
        with pytest.raises(BadRecord) as caught:
            parse({"id": value, "title": "a"})
        assert caught.value.kind == kind


@pytest.mark.parametrize("identifier", ["a\ud800", "a\nb", "a\x00", "a\x85"])
def test_an_id_is_never_repaired_but_refused(identifier):
    with pytest.raises(BadRecord, match="control characters or lone surrogates") as caught:
        parse({"id": identifier, "title": "a"})
    assert caught.value.kind == "bad_id"


def test_names_and_texts_are_repaired():
    fields = parse(
        {
            "id": "1",
            "title": " Pa\x00ris\t(city)\n",
            "aliases": ["a\ud800b", {"text": "c\x9fd"}, "", " \t "],
            "description": "two\nlines\ud83d",
        }
    )
    assert fields.title == "Pa ris (city)"
    assert fields.aliases == [("a\ufffdb", "", 0), ("c d", "", 0)]
    assert fields.descriptions == [("", "two lines\ufffd")]


def test_text_that_needs_no_repair_is_left_as_it_is():
    for text in ("Zürich", "東京", "a\u00a0b", "\u200fעברית", "👩‍👩‍👧"):
        assert clean(text) == text


@pytest.mark.parametrize("value", [0, 12, 2**63 - 1, 12.0, "12", " 7 "])
def test_counts_that_are_whole_numbers_are_taken(value):
    assert parse({"id": "1", "title": "a", "count": value}).n_seen == int(value)


@pytest.mark.parametrize(
    "value", [-1, 2**63, 1.5, float("nan"), float("inf"), True, "many", "-3", "9" * 400, [1], {"n": 1}]
)
def test_other_counts_are_refused(value):
    for record in ({"count": value}, {"aliases": [{"text": "b", "count": value}]}):
        with pytest.raises(BadRecord, match="must be a whole number") as caught:
            parse({"id": "1", "title": "a"} | record)
        assert caught.value.kind == "bad_count"


@pytest.mark.parametrize("title", [None, "", "  ", "\x00"])
def test_an_entity_without_a_title_is_refused(title):
    with pytest.raises(BadRecord, match="every entity needs a title") as caught:
        parse({"id": "1", "title": title})
    assert caught.value.kind == "empty_title"


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("title", 1984, "'title' must be text, got 1984"),
        ("aliases", "a|b", "'aliases' must be a list"),
        ("aliases", {"en": ["a"]}, "'aliases' must be a list"),
        ("aliases", [5], "an alias must be text or"),
        ("aliases", [None], "an alias must be text or"),
        ("aliases", [{"lang": "en"}], "an alias must be text or"),
        ("aliases", [{"text": "a", "lang": 3}], "'lang of an alias' must be text"),
        ("description", ["a"], "'description' must be text"),
        ("descriptions", "a", "'descriptions' must be {"),
        ("descriptions", {"en": 5}, "'descriptions' must be text"),
        ("types", 5, "'types' must be a list"),
        ("types", [5], "'types' must be text"),
        ("type", {"a": 1}, "'type' must be a list"),
        ("url", 5, "'url' must be text"),
        ("alt_ids", "x", "'alt_ids' must be a list"),
        ("alt_ids", [None], "no 'alt_ids'"),
    ],
)
def test_fields_of_the_wrong_type_are_named(field, value, message):
    with pytest.raises(BadRecord, match=message):
        parse({"id": "1", "title": "a"} | {field: value})


def test_unknown_fields_only_is_an_error_that_lists_what_is_accepted():
    with pytest.raises(BadRecord, match=r"'colour', 'name'; accepted pairs: 'id' and 'title'; 'entity_id' and 'label'"):
        RecordMapping.choose({"name": "Paris", "colour": "grey"})


def test_references_of_html_are_the_characters_they_stand_for():
    fields = parse(
        {
            "id": "a&amp;b",
            "title": "Sj&#246;gren&apos;s Syndrome",
            "aliases": ["R&D;", "Gougerot&#x2d;Sj&ouml;gren", "AT&T"],
            "description": "dry eyes &amp; mouth",
        }
    )
    assert (fields.id, fields.title) == ("a&amp;b", "Sjögren's Syndrome")
    assert [text for text, _, _ in fields.aliases] == ["R&D;", "Gougerot-Sjögren", "AT&T"]
    assert fields.descriptions == [("", "dry eyes & mouth")]


def test_the_end_of_a_reference_does_not_part_names():
    record = {"id": "1", "title": "Sjogren", "aliases": "Sj&#246;gren; Mikulicz&apos;s"}
    separated = replace(RecordMapping.choose(record), separators={"aliases": ";"})
    assert [text for text, _, _ in separated.parse(record).aliases] == ["Sjögren", "Mikulicz's"]
