"""Anybody's list goes in: the files of `tests/data/lists`, and the entities that they are."""

import gzip
from pathlib import Path

import pytest

from deixis.errors import ConfigError, DataError
from deixis.kb.formats import FORMATS
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.kb.read_options import FIELDS, ReadOptions

LISTS = Path(__file__).parents[2] / "data" / "lists"


def read(name, **options):
    return KnowledgeBase.read_with_report(LISTS / name, **options)


def entities(kb):
    """Each entity as (id, title, aliases, description); what is empty at the end is left out."""
    rows = []
    for entity in kb.entities():
        aliases = [alias.text for alias in entity.aliases]
        row = [entity.id, entity.title, aliases, entity.descriptions.get("", "")]
        while not row[-1]:
            row.pop()
        rows.append(tuple(row))
    return rows


PRODUCTS = [
    ("A-1", "Water pump", ["pump", "WP 1"], "moves water, 230 V"),
    ("A-2", "Gate valve"),
    ("A-3", "Ball valve", ["quarter-turn valve"], "opens in a quarter turn"),
]
CITIES = [("1", "Paris"), ("2", "Troy")]
CITIES_WITH_ALIASES = [("1", "Paris", ["Lutetia", "Paname"]), ("2", "Troy", ["Ilion"])]
EXPECTED = {
    "semicolons.csv": PRODUCTS,
    "aliases_in_one_cell.csv": [
        ("D1", "myocardial infarction", ["heart attack", "MI", "cardiac infarction"]),
        ("D2", "influenza", ["flu"]),
        ("D3", "hypertension", ["high blood pressure", "HTN"]),
    ],
    "synonyms_and_notes.csv": [
        ("1", "Paris", ["Lutetia", "City of Light"], "capital of France"),
        ("2", "Troy", ["Ilion"], "city of Priam"),
    ],
    "synonyms.jsonl": [("1", "Paris", ["Lutetia"], "capital of France"), ("2", "Troy")],
    "names_only.csv": [("Pump", "Pump"), ("Valve, gate", "Valve, gate"), ("Filter", "Filter")],
    "no_header.csv": [("Q90", "Paris"), ("Q90x", "Paris, Texas"), ("Q62", "San Francisco")],
    "bars.txt": [("1", "Paris", ["Lutetia", "Paname"]), ("2", "Troy")],
    "tabs.txt": [("01", "Paper"), ("02", "Cats")],
    "names.txt": [("Toys, Games", "Toys, Games"), ("Kätzchen", "Kätzchen"), ("Paper", "Paper")],
    "array.json": [("1", "Pump", ["water pump"]), ("2", "Valve")],
    "products.json": [("A-1", "Pump"), ("A-2", "Valve")],
    "objects_by_id.json": [("A-1", "Pump", ["water pump"]), ("A-2", "Valve")],
    "labels_by_id.json": [("Q90", "Paris"), ("Q22647", "Troy")],
    "query_service.csv": [
        ("Q90", "Paris", ["City of Light", "Paname"], "capital of France"),
        ("Q64", "Berlin", [], "capital of Germany"),
    ],
    "carriage_returns.csv": CITIES,
    "cp1252.csv": [("7", "Kätzchen", ["Muschi", "Büsi"]), ("8", "Café – Größe")],
    "utf16.csv": [("1", "Kätzchen"), ("2", "Троя")],
    "utf16_without_mark.csv": [("1", "Kitten"), ("2", "Troy")],
    # Written to break the reader.
    "excel_sep.csv": [("4711", "Dichtung", ["DG"]), ("4712", "Schraube")],
    "repeated_columns.csv": CITIES_WITH_ALIASES,
    "numbered_columns.csv": CITIES_WITH_ALIASES,
    "commas_in_names.csv": [("1", "Smith, John", ["Smith, J."]), ("2", "Doe, Jane")],
    "commas_between_names.csv": [
        ("1", "myocardial infarction", ["heart attack", "MI", "cardiac infarction"]),
        ("2", "influenza", ["flu"]),
    ],
    "names_in_lines.csv": CITIES_WITH_ALIASES,
    "spread_objects.jsonl": CITIES,
    "equal_names.txt": [("Paris", "Paris"), ("Troy", "Troy")],
    "empty_cells.csv": [("1", "Paris", ["Lutetia"]), ("2", "Troy")],
    "french.csv": [("P-1", "Pompe à eau", ["Pompe à eau", "pompe", "PAE"]), ("P-2", "Vanne", ["Vanne"])],
    "names_as_lists.json": [("Q90", "Paris", ["Lutetia"]), ("Q22647", "Troy")],
    "array_of_names.json": [("Paris", "Paris"), ("Troy", "Troy")],
    "quoted_tabs.tsv": [("1", '"Weird Al" Yankovic'), ("2", "Troy")],
    "repeated_codes.csv": [("Pump", "Pump"), ("Valve", "Valve"), ("Filter", "Filter")],
    "unknown_header.csv": [("17", "Pumpe"), ("18", "Ventil"), ("19", "Filter")],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_list_is_read_as_what_it_means(name):
    kb, report = read(name)
    assert entities(kb) == EXPECTED[name]
    (understood,) = report.lists
    assert understood.examples[0].startswith(EXPECTED[name][0][0])


def test_every_list_has_its_entities_here():
    assert {path.name for path in LISTS.iterdir()} == set(EXPECTED)


def understood(name, **options):
    _, report = read(name, **options)
    return report.lists[0]


def test_a_guess_is_said_with_its_columns_separator_and_three_entities():
    assert understood("semicolons.csv").lines()[1:] == [
        "  SKU -> id, Product Name -> title, Synonyms -> aliases (split at '|'), Notes -> description",
        "  such as A-1: Water pump (pump | WP 1), moves water, 230 V",
        "          A-2: Gate valve",
        "          A-3: Ball valve (quarter-turn valve), opens in a quarter turn",
    ]
    assert understood("semicolons.csv").shape == "semicolons between columns"
    assert understood("aliases_in_one_cell.csv").separators == {"aliases": ";"}
    assert understood("no_header.csv").shape == "commas between columns, no header"


def test_the_encoding_that_was_recognised_is_said():
    assert [
        understood(name).encoding for name in ("cp1252.csv", "utf16.csv", "utf16_without_mark.csv", "bars.txt")
    ] == [
        "cp1252",
        "utf-16",
        "utf-16-le",
        "utf-8",
    ]


def test_what_is_ignored_is_said_with_its_name():
    assert understood("repeated_codes.csv").columns["ignored"] == ["group code"]
    assert "ignored: group code" in understood("repeated_codes.csv").mapping


def test_columns_overrule_the_guess_by_name_or_number():
    kb, report = read("semicolons.csv", columns="id=product name, title=SKU, description=3")
    assert kb.entity("Gate valve").title == "A-2"
    assert kb.entity("Water pump").descriptions == {"": "pump|WP 1"}
    assert report.lists[0].columns["ignored"] == ["Notes"]
    kb, _ = read("no_header.csv", columns={"title": "1"})
    assert list(kb.titles) == ["Q90", "Q90x", "Q62"]


def test_a_column_that_is_not_there_is_an_error_that_lists_those_that_are():
    with pytest.raises(DataError, match=r"semicolons\.csv: no column 'Synonims' among .*did you mean 'Synonyms'"):
        read("semicolons.csv", columns="aliases=Synonims")


def test_the_other_parts_of_the_guess_can_be_overruled_too(tmp_path):
    kb, _ = read("aliases_in_one_cell.csv", alias_separator="; M")
    assert [alias.text for alias in kb.entity("D1").aliases] == ["heart attack", "I; cardiac infarction"]
    assert read("semicolons.csv", delimiter="\\t", has_header=False)[0].title(0) == "SKU;Product Name;Synonyms;Notes"
    assert read("names_only.csv", has_header=False)[0].title(0) == "name"
    assert list(read("names_only.csv", format="names")[0].titles)[:2] == ["name", "Pump"]
    kb, _ = read("cp1252.csv", encoding="cp437")
    assert kb.title(0) != "Kätzchen" and kb.title(0).startswith("K")


def test_an_option_that_makes_no_sense_is_an_error():
    for wrong, problem in [
        ({"columns": "ident=SKU"}, "No field is called 'ident'"),
        ({"columns": "SKU"}, "FIELD=COLUMN"),
        ({"columns": "id=1,id=2"}, "twice"),
        ({"delimiter": "ab"}, "one character"),
        ({"alias_separator": ""}, "empty"),
        ({"encoding": "utf-9"}, "No encoding is called"),
        ({"encoding": "base64"}, "no encoding of text"),
        ({"limits": "lines=5"}, "Limits are given as"),
        ({"delimeter": ";"}, "Did you mean 'delimiter'"),
    ]:
        with pytest.raises(ConfigError, match=problem):
            ReadOptions.of(**wrong)


def test_ids_made_of_names_survive_inserted_and_reordered_lines(tmp_path):
    (tmp_path / "names.txt").write_text("Paper\nBirds\nKätzchen\nToys, Games\n", encoding="utf-8")
    edited = KnowledgeBase.read(tmp_path / "names.txt")
    kb, _ = read("names.txt")
    assert {entity.title: entity.id for entity in kb.entities()}.items() <= {
        entity.title: entity.id for entity in edited.entities()
    }.items()


def test_equal_names_without_ids_are_one_entity_and_reported():
    _, report = read("equal_names.txt")
    assert report.n_skipped == 1
    assert "line 3: the name 'Paris' came before, in line 1" in str(report.skipped[0])


def test_labels_of_matrices_keep_their_numbers():
    kb, _ = read("names.txt", names_format="label-lines")
    assert list(kb.ids) == ["0", "1", "2", "3"] and kb.title(1) == "1"


def test_a_language_column_is_that_of_names_and_descriptions():
    kb, _ = read("french.csv")
    assert {alias.lang for alias in kb.entity("P-1").aliases} == {"fr"} and kb.types(0) == ("outillage",)


def test_a_header_of_a_hundred_thousand_columns_is_refused_at_once(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(["id", "title", *(f"c{n}" for n in range(100_000))]) + "\n1,a\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"wide\.csv, line 1: 100,002 columns; at most 4,096 are read.*columns=100002"):
        KnowledgeBase.read(path)
    with pytest.raises(DataError, match="line 2: 2 fields where the header has 100002"):
        KnowledgeBase.read(path, limits="columns=100002")


def test_a_line_and_what_a_file_unpacks_to_have_limits_that_can_be_raised(tmp_path):
    path = tmp_path / "long.csv.gz"
    path.write_bytes(gzip.compress(b"id,title\n1," + b"a" * 100_000 + b"\n"))
    with pytest.raises(DataError, match=r"line 2: the line is longer than 50,000 bytes.*--limits line="):
        KnowledgeBase.read(path, limits="line=50kB")
    with pytest.raises(DataError, match=r"unpacks to more than 60,000 bytes.*--limits unpacked="):
        KnowledgeBase.read(path, limits="unpacked=60k")
    assert len(KnowledgeBase.read(path, limits="line=1MB,unpacked=1MB").title(0)) == 100_000


def test_a_binary_file_is_named_for_what_it_is(tmp_path):
    (tmp_path / "kb.csv").write_bytes(bytes(range(256)) * 4)
    with pytest.raises(DataError, match="is a binary file, not a list"):
        KnowledgeBase.read(tmp_path / "kb.csv")
    (tmp_path / "kb.zip").write_bytes(b"PK\x03\x04\x14\x00")
    with pytest.raises(DataError, match="zip archive"):
        KnowledgeBase.read(tmp_path / "kb.zip")


def test_lines_in_two_encodings_are_an_error_that_names_the_line(tmp_path):
    (tmp_path / "kb.csv").write_bytes("id,title\n1,Kätzchen\n".encode() + b"2,caf\xe9\n")
    with pytest.raises(DataError, match=r"line 3: not valid UTF-8: byte 0xe9.*line 2 is UTF-8.*--encoding"):
        KnowledgeBase.read(tmp_path / "kb.csv")
    (tmp_path / "kb.csv").write_bytes(b"id,title\n2,caf\xe9\n" + "1,Kätzchen\n".encode())
    with pytest.raises(DataError, match="line 3: is UTF-8, but lines before are cp1252"):
        KnowledgeBase.read(tmp_path / "kb.csv")


def test_json_that_breaks_off_names_the_line(tmp_path):
    for content, line in [
        (b'[{"id": 1, "title": "a"},\n {"id": 2,', 2),
        (b'{"a": {"title": "b"},\n"c": tru', 2),
        (b"[1", 1),
    ]:
        (tmp_path / "kb.json").write_bytes(content)
        with pytest.raises(DataError, match=rf"kb\.json, line {line}: not usable JSON"):
            KnowledgeBase.read(tmp_path / "kb.json", skip_bad=True)


def test_elements_of_json_that_are_no_entities_are_named_or_skipped(tmp_path):
    (tmp_path / "kb.json").write_text('[{"id": 1, "title": "a"},\n 5,\n {"id": 2, "title": "b"}]', encoding="utf-8")
    with pytest.raises(DataError, match="line 2: an entity must be an object or a name, got 5"):
        KnowledgeBase.read(tmp_path / "kb.json")
    assert len(KnowledgeBase.read(tmp_path / "kb.json", skip_bad=True)) == 2


def test_entities_of_several_lists_have_the_list_as_a_type_and_equal_ids_offer_a_prefix():
    kb, _ = KnowledgeBase.read_with_report([LISTS / "semicolons.csv", LISTS / "labels_by_id.json"])
    assert kb.types(kb.row_of("A-1")) == ("source:semicolons",) and kb.types(kb.row_of("Q90")) == (
        "source:labels_by_id",
    )
    both = [LISTS / "carriage_returns.csv", LISTS / "array.json"]
    with pytest.raises(
        DataError, match=r"array\.json, line 2: the id '1' was used before, in .*csv, line 2;.*--prefix"
    ):
        KnowledgeBase.read(both)
    assert list(KnowledgeBase.read(both, has_prefix=True).ids) == [
        "carriage_returns:1", "carriage_returns:2", "array:1", "array:2",
    ]  # fmt: skip
    assert KnowledgeBase.read(both[0]).types(0) == ()


def test_the_page_of_lists_names_every_format_and_field():
    page = (Path(__file__).parents[3] / "docs" / "reference" / "lists.md").read_text(encoding="utf-8")
    assert [name for name in (*FORMATS, *FIELDS) if f"`{name}`" not in page] == []
