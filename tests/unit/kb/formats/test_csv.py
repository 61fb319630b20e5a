"""CSV, TSV and Annif's tables."""

import pytest

from deixis.errors import DataError
from deixis.kb.knowledge_base import KnowledgeBase


def read(tmp_path, name, content, **options):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return KnowledgeBase.read_with_report(path, **options)


CSV = """id,title,aliases,description,types,count
Q90,Paris,Lutetia|City of Light,"capital of France, on the Seine",city|capital,12
Q2,"The ""Big"" One",,,,
Q3,"Two
lines",,,,
"""


def test_a_csv_file_with_quotes_lists_and_empty_fields_is_read(tmp_path):
    kb, report = read(tmp_path, "kb.csv", CSV)
    paris = kb.entity("Q90")
    assert [alias.text for alias in paris.aliases] == ["Lutetia", "City of Light"]
    assert paris.descriptions == {"": "capital of France, on the Seine"}
    assert paris.types == ("city", "capital") and paris.count == 12
    assert kb.entity("Q2").title == 'The "Big" One' and kb.entity("Q2").aliases == ()
    assert kb.entity("Q3").title == "Two lines"
    assert report.lists[0].mapping == (
        "id -> id, title -> title, aliases -> aliases (split at '|'), description -> description, "
        "types -> types (split at '|'), count -> count"
    )


def test_a_semicolon_a_byte_order_mark_and_capitals_in_the_header_are_no_trouble(tmp_path):
    kb, _ = read(tmp_path, "kb.csv", "\ufeffID; Title\r\n1;Paris, Texas\r\n\r\n2;Troy\r\n")
    assert list(kb.titles) == ["Paris, Texas", "Troy"]


def test_a_field_of_ten_megabytes_is_read(tmp_path):
    kb, _ = read(tmp_path, "kb.csv", f"id,title,description\n1,a,{'x ' * 5_000_000}\n")
    assert len(kb.description_texts()[0]) == 9_999_999


def test_a_quote_in_a_tsv_file_is_just_a_character(tmp_path):
    kb, _ = read(tmp_path, "kb.tsv", 'id\ttitle\taliases\n1\t"Weird Al" Yankovic\tAl|"Weird\n2\tB\t\n\n')
    assert kb.entity("1").title == '"Weird Al" Yankovic'
    assert [alias.text for alias in kb.entity("1").aliases] == ["Al", '"Weird']
    assert len(kb) == 2


def test_annif_vocabularies_are_read_with_or_without_a_notation(tmp_path):
    kb, report = read(tmp_path, "subjects.tsv", "<http://a.org/1>\tcats\n<http://a.org/2>\tdogs\t42.42\n")
    assert list(kb.ids) == ["http://a.org/1", "http://a.org/2"] and list(kb.titles) == ["cats", "dogs"]
    assert "annif-tsv, annif records: uri -> id, label -> title" in str(report.lists[0])
    with pytest.raises(DataError, match=r"line 2: not '<uri>', a tab and a label"):
        read(tmp_path, "bad.tsv", "<http://a.org/1>\tcats\nhttp://a.org/2\tdogs\n")


@pytest.mark.parametrize(
    ("name", "row", "problem"),
    [
        ("kb.csv", b"2,Troy,extra", "3 fields where the header has 2"),
        ("kb.csv", b"2", "1 fields where the header has 2"),
        ("kb.csv", b'2,"Troy" and', "not a CSV row"),
        ("kb.csv", b"2,caf\x81", "neither UTF-8 nor cp1252: byte 0x81"),
        ("kb.csv", b"2,", "no 'title'"),
        ("kb.csv", b",Troy", "no 'id'"),
        ("kb.tsv", b"2\tTroy\textra", "3 fields where the header has 2"),
        ("kb.tsv", b"2\tcaf\x81", "neither UTF-8 nor cp1252: byte 0x81"),
    ],
)
def test_a_bad_row_is_an_error_with_its_line_or_skipped(tmp_path, name, row, problem):
    tab = b"," if name == "kb.csv" else b"\t"
    content = b"\n".join([tab.join([b"id", b"title"]), tab.join([b"1", b"Paris"]), row, tab.join([b"3", b"Rome"])])
    with pytest.raises(DataError, match=rf"{name}, line 3: .*{problem}"):
        read(tmp_path, name, content)
    kb, report = read(tmp_path, name, content, skip_bad=True)
    assert list(kb.titles) == ["Paris", "Rome"]
    assert report.n_skipped == 1 and report.skipped[0].line == 3


def test_a_line_number_is_where_the_row_begins_even_after_quoted_newlines(tmp_path):
    with pytest.raises(DataError, match="line 5: "):
        read(tmp_path, "kb.csv", 'id,title\n1,"a\nb\nc"\n2,x,y\n')


def test_a_quote_left_open_is_an_error_and_not_a_very_long_title(tmp_path):
    with pytest.raises(DataError, match="line 3: not a CSV row"):
        read(tmp_path, "kb.csv", 'id,title\n1,Paris\n2,"Troy\n3,Rome\n4,Bonn\n')


def test_a_table_without_names_for_its_columns_is_read_by_its_values(tmp_path):
    kb, report = read(tmp_path, "kb.csv", "1,Paris\n2,Troy\n")
    assert list(kb.ids) == ["1", "2"] and list(kb.titles) == ["Paris", "Troy"]
    assert report.lists[0].columns == {"id": ["column 1"], "title": ["column 2"]}


def test_a_header_that_cannot_be_read_stops_even_a_lenient_reader(tmp_path):
    with pytest.raises(DataError, match="line 1: the header names a column twice: title"):
        read(tmp_path, "kb.csv", "id,title,title\n1,Paris,x\n", skip_bad=True)
    with pytest.raises(DataError, match="line 1: neither UTF-8 nor cp1252"):
        read(tmp_path, "kb.csv", b"id,title,caf\x81\n1,Paris,x\n", skip_bad=True)


def test_a_first_row_with_empty_fields_does_not_hide_the_columns(tmp_path):
    kb, report = read(tmp_path, "kb.csv", "id,title,description\n1,,\n2,Troy,a city\n", skip_bad=True)
    assert report.skipped[0].reason == "no 'title'; every entity needs a title"
    assert kb.entity("2").descriptions == {"": "a city"}


def test_annifs_csv_has_a_label_per_language(tmp_path):
    content = "\ufeffuri,label_en,label_fi,notation\r\nu:1,cats,kissat,636.8\r\nu:2,,koirat,\r\n"
    kb, report = read(tmp_path, "subjects.csv", content)
    assert list(kb.titles) == ["cats", "koirat"]
    assert [(alias.text, alias.lang) for alias in kb.entity("u:1").aliases] == [("cats", "en"), ("kissat", "fi")]
    assert kb.row_of("636.8") == 0
    assert "annif records: uri -> id, label -> title" in report.lists[0].mapping


def test_a_subject_without_a_label_in_any_language_is_an_error(tmp_path):
    with pytest.raises(DataError, match="line 2: no 'label'"):
        read(tmp_path, "subjects.tsv", "uri\tlabel_en\tlabel_fi\nu:1\t\t\n")


def test_annifs_tsv_may_have_a_notation_after_the_label(tmp_path):
    kb, _ = read(tmp_path, "subjects.tsv", "<u:1>\tcats\t636.8\r\n<u:2>\tdogs\n")
    assert list(kb.ids) == ["u:1", "u:2"] and list(kb.titles) == ["cats", "dogs"]
