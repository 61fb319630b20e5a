"""Tab-separated tables: named rows in, values that fit out."""

import pytest

from deixis.documents.tab_columns import column_value, named_rows, on_one_line, writing_error
from deixis.errors import DataError


def rows(*lines):
    return list(named_rows(enumerate(lines, start=1), "t.tsv", needed=("id",)))


def test_a_quoted_field_may_hold_tabs_quotes_and_line_ends():
    ((place, row),) = rows("id\ttitle", '1\t"a\tb ""c""', 'd"')
    assert (place.line, row) == (2, {"id": "1", "title": 'a\tb "c"\nd'})


def test_blank_lines_are_passed_over_and_lines_still_counted():
    assert [(place.line, row["id"]) for place, row in rows("id\tlang", "", "7\ten")] == [(3, "7")]


@pytest.mark.parametrize("value", ["", "a\tb", "a\nb", "a\rb", "NIL"])
def test_a_value_that_would_break_the_table_is_refused(value):
    with pytest.raises(DataError, match="an id must be text on one line without tabs, not 'NIL', got"):
        column_value(value, "an id", DataError, reserved=("NIL",))


def test_text_on_one_line_is_as_long_as_before():
    assert on_one_line("a\r\nb\tc\u2028d") == "a  b c\u2028d"


def test_an_error_of_writing_names_the_document_the_format_and_the_file_if_there_is_one():
    assert str(writing_error("d1", "aida", "x.tsv")("no")) == "x.tsv: the document 'd1' cannot be written as 'aida': no"
    assert str(writing_error("d1", "aida", "-")("no")) == "the document 'd1' cannot be written as 'aida': no"


def test_a_row_over_several_lines_stands_where_it_begins():
    lines = ["docid\tmention", "a\tParis", 'b\t"To', 'Troy"', "c\tTroy"]
    rows = named_rows(enumerate(lines, start=1), "docs.tsv", needed=("docid",))
    assert [(place.line, row["docid"]) for place, row in rows] == [(2, "a"), (3, "b"), (5, "c")]


def test_a_quote_that_is_never_closed_is_told_with_the_line_that_opens_it():
    lines = ["docid\tmention", 'a\t"Paris', *["b\tTroy"] * 1000]
    with pytest.raises(DataError, match=r"docs\.tsv, line 2: .* must be quoted as in CSV"):
        list(named_rows(enumerate(lines, start=1), "docs.tsv", needed=("docid",)))
