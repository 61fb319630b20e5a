"""Linked documents as rows, as a data frame and as HTML: the same keys for every mention, and nothing unescaped."""

import csv
import io
import json
import sys
from html.parser import HTMLParser

import pytest

from deixis.documents.linked import LinkedDocuments
from deixis.documents.mention_rows import COLUMNS, mention_rows
from deixis.documents.writing import write_documents
from deixis.errors import DataError, MissingExtraError
from deixis.types import Candidate, Document, Mention

PARIS = Mention(
    3, 8, "Paris", "Q167646", 0.9312345678, False,
    (Candidate("Q167646", 0.93, "Paris, prince"), Candidate("Q90", 0.05)), 0.99, 0.94,
)  # fmt: skip
NIL = Mention(14, 18, "Troy", None, 0.2, True, (Candidate("Q22647", 0.2, "Troy"),), nil_reason="ambiguous")
UNDECIDED = Mention(0, 2, "So")
DOCUMENT = Document("d,1", 'So Paris fled Troy.\n<script>alert("x")</script> & "co"', mentions=(UNDECIDED, PARIS, NIL))


def written(format, documents):
    stream = io.StringIO()
    write_documents(documents, stream, format)
    return stream.getvalue()


def test_every_row_has_every_column_in_order():
    rows = mention_rows(DOCUMENT)
    assert [list(row) for row in rows] == [list(COLUMNS)] * 3
    undecided, paris, nil = rows
    assert (paris["entity"], paris["title"], paris["score"]) == ("Q167646", "Paris, prince", 0.931235)
    assert (paris["nil"], nil["nil"], undecided["nil"]) == (False, True, None)
    assert (paris["second"], paris["second_title"], paris["second_score"]) == ("Q90", None, 0.05)
    assert (nil["entity"], nil["nil_reason"], nil["second"], nil["second_title"]) == (
        None,
        "ambiguous",
        "Q22647",
        "Troy",
    )


@pytest.mark.parametrize(("format", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_a_table_is_read_back_with_every_cell_in_its_column(format, delimiter):
    odd = Document("d2", 'a\t"b",\nc', mentions=(Mention(0, 8, 'a\t"b",\nc', "Q1", 1.0),))
    rows = list(csv.DictReader(io.StringIO(written(format, [DOCUMENT, odd])), delimiter=delimiter))
    assert [row["document"] for row in rows] == ["d,1", "d,1", "d,1", "d2"]
    assert rows[1]["title"] == "Paris, prince" and rows[1]["nil"] == "false" and rows[2]["nil"] == "true"
    assert rows[2]["entity"] == "" and rows[0]["nil"] == "" and rows[3]["text"] == 'a\t"b",\nc'


def test_a_linked_mention_and_a_nil_one_have_the_same_keys_in_json():
    (line,) = written("native", [DOCUMENT]).splitlines()
    undecided, paris, nil = json.loads(line)["mentions"]
    assert list(paris) == list(nil) and nil["entity"] is None and nil["mention_score"] is None
    assert list(undecided) == ["start", "end", "text"]


def test_a_parquet_file_has_the_rows_and_types_of_the_table(tmp_path):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    for number, documents in enumerate([[DOCUMENT] * 3, []]):
        path = tmp_path / f"links{number}.parquet"
        with path.open("w", encoding="utf-8") as stream:
            assert write_documents(documents, stream, "parquet") == len(documents)
        table = parquet.read_table(path)
        assert table.to_pylist() == [row for document in documents for row in mention_rows(document)]
        assert (
            table.schema.field("score").type == pyarrow.float64() and table.schema.field("nil").type == pyarrow.bool_()
        )


def test_parquet_is_not_written_where_only_text_can_be():
    pytest.importorskip("pyarrow")
    with pytest.raises(DataError, match="-o links.parquet"):
        written("parquet", [DOCUMENT])


@pytest.mark.parametrize(("module", "line"), [("pandas", r"deixis\[pandas\]"), ("pyarrow", r"deixis\[arrow\]")])
def test_what_is_not_installed_is_named_with_the_line_that_installs_it(monkeypatch, module, line):
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, "deixis.documents.formats.parquet_out", raising=False)
    with pytest.raises(MissingExtraError, match=f"pip install '{line}'"):
        LinkedDocuments([DOCUMENT]).to_pandas() if module == "pandas" else written("parquet", [DOCUMENT])


class Read(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.words = [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.words.append(data)


def test_a_page_stands_alone_and_nothing_of_a_text_is_taken_for_markup():
    title = Candidate('"><img src=x>', 0.9, "<b>&")
    nasty = Document("<i>", "x<y", 'e"n', (Mention(0, 1, "x", '"><img src=x>', 0.9, candidates=(title,)),))
    page = Read(written("html", [DOCUMENT, nasty]))
    names = [tag for tag, _ in page.tags]
    assert not {"script", "img", "i", "b", "link"} & set(names) and names.count("mark") == 4
    assert not [value for _, values in page.tags for name, value in values.items() if name in ("src", "href")]
    assert DOCUMENT.text.partition("Troy")[2] in "".join(page.words) and "<b>&" in page.words


def test_overlapping_mentions_are_marked_once_and_listed_both():
    document = Document(
        "d", "New York City", mentions=(Mention(0, 8, "New York", "a"), Mention(4, 13, "York City", "b"))
    )
    page = Read(document._repr_html_())
    assert [tag for tag, _ in page.tags].count("mark") == 1 and [tag for tag, _ in page.tags].count("tr") == 3


def test_a_notebook_shows_documents_in_the_same_way_as_a_page_does():
    assert DOCUMENT.to_html() in DOCUMENT._repr_html_()
    assert DOCUMENT.to_html() in written("html", [DOCUMENT])
    many = LinkedDocuments([DOCUMENT] * 23)
    assert DOCUMENT.to_html() in many._repr_html_() and "and 3 more" in many._repr_html_()
    assert "undecided" in DOCUMENT.to_html() and "too ambiguous" in DOCUMENT.to_html()
