"""Zeshel in and out: tokens to code points, texts in side files, mentions of one text together."""

import gzip
import io
import json

import pytest

from deixis.documents.formats.zeshel import read_zeshel, write_zeshel
from deixis.documents.reading import read_documents
from deixis.errors import DataError
from deixis.types import Document, Mention

WARNER = {"document_id": "000523A4D586C293", "title": "Warner", "text": "Warner was aboard Nerva Beacon , é 😀 C . W ."}
WINNIE = {"document_id": "0009247003C7CB16", "title": "Winnie", "text": "Winnie Tyler was Jacob Tyler ' s wife"}


def mention(document=WARNER, first=3, last=4, text="Nerva Beacon", **more):
    place = {"mention_id": "A67C0D65787A42DB", "context_document_id": document["document_id"], "corpus": "doctor_who"}
    span = {"start_index": first, "end_index": last, "text": text, "label_document_id": "CD37", "category": "LOW"}
    return {**place, **span, **more}


@pytest.fixture
def folder(tmp_path):
    """The folders as they are published: `mentions/` and `documents/` side by side."""
    (tmp_path / "mentions").mkdir()
    (tmp_path / "documents").mkdir()
    lines = "".join(json.dumps(document) + "\n" for document in (WARNER, WINNIE))
    (tmp_path / "documents" / "doctor_who.json").write_text(lines, encoding="utf-8")
    return tmp_path


def read(folder, *records):
    path = folder / "mentions" / "val.json"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return list(read_documents(path, "zeshel"))


def complaint(folder, *records) -> DataError:
    with pytest.raises(DataError) as raised:
        read(folder, *records)
    return raised.value


def test_tokens_become_code_points(folder):
    (document,) = read(folder, mention(), mention(first=8, last=11, text="C . W ."))
    assert (document.id, document.text) == (WARNER["document_id"], WARNER["text"])
    assert [(m.start, m.end, m.text) for m in document.mentions] == [(18, 30, "Nerva Beacon"), (37, 44, "C . W .")]
    assert document.mentions[0].entity == "CD37"


def test_mentions_of_one_text_come_together_however_the_file_mixes_them(folder):
    found = read(folder, mention(), mention(WINNIE, 0, 1, "Winnie Tyler"), mention(first=0, last=0, text="Warner"))
    assert [[m.text for m in document.mentions] for document in found] == [
        ["Warner", "Nerva Beacon"],
        ["Winnie Tyler"],
    ]


def test_null_is_nil_and_a_missing_label_undecided(folder):
    bare = mention(first=0, last=0, text="Warner")
    del bare["label_document_id"]
    (document,) = read(folder, mention(label_document_id=None), bare)
    assert [(m.is_nil, m.is_decided) for m in document.mentions] == [(False, False), (True, True)]


def test_a_surface_in_another_case_is_the_same(folder):
    assert read(folder, mention(text="nerva beacon"))[0].mentions[0].text == "Nerva Beacon"


def test_a_surface_that_fits_tokens_between_any_white_space_is_found_there(folder):
    odd = {"document_id": "X", "title": "", "text": "A\u00a0B  C\nD"}
    with (folder / "documents" / "doctor_who.json").open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(odd))
    (document,) = read(folder, mention(odd, 2, 3, "C D"), mention(odd, 1, 1, "B"), mention(odd, 0, 0, None))
    assert [m.text for m in document.mentions] == ["A\u00a0B", "B", "C\nD"]


def test_an_empty_token_is_no_mention(folder):
    odd = {"document_id": "X", "title": "", "text": "A  B"}
    (folder / "documents" / "doctor_who.json").write_text(json.dumps(odd), encoding="utf-8")
    assert "is empty" in str(complaint(folder, mention(odd, 1, 1, None)))


def test_texts_beside_the_mentions_and_compressed_texts_are_found(tmp_path):
    (tmp_path / "documents").mkdir()
    with gzip.open(tmp_path / "documents" / "doctor_who.json.gz", "wt", encoding="utf-8") as stream:
        stream.write("\n" + json.dumps({"title": "id not first", **WARNER}) + "\n" + json.dumps(WINNIE))
    lines = [(1, json.dumps(mention())), (2, json.dumps(mention(WINNIE, 0, 1, "Winnie Tyler")))]
    found = list(read_zeshel(lines, str(tmp_path / "val.json")))
    assert [document.mentions[0].text for document in found] == ["Nerva Beacon", "Winnie Tyler"]


def test_an_empty_file_holds_no_documents_and_needs_no_texts(tmp_path):
    (tmp_path / "val.json").write_text("\n")
    assert list(read_documents(tmp_path / "val.json", "zeshel")) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"text": "Beacon"}, "tokens 3 to 4 of the document '000523A4D586C293' are 'Nerva Beacon'"),
        ({"start_index": 5, "end_index": 4}, "'start_index' <= 'end_index'"),
        ({"start_index": "3"}, "start_index='3'"),
        ({"start_index": -1}, "start_index=-1"),
        ({"end_index": 12, "text": None}, "lie outside the text, which has 12 tokens"),
        ({"context_document_id": "FFFF"}, "no document 'FFFF' among the texts of the corpus 'doctor_who'"),
        ({"context_document_id": None}, "needs a 'context_document_id'"),
        ({"corpus": "lego"}, "keep the folders 'mentions' and 'documents' side by side"),
        ({"corpus": "../secrets"}, "plain file name"),
        ({"label_document_id": 1.5}, "'label_document_id' must be a string"),
    ],
)
def test_broken_mentions_are_told_what_was_expected(folder, changes, words):
    error = complaint(folder, mention(WINNIE, 0, 0, "Winnie"), {**mention(), **changes})
    assert words in str(error)
    assert (error.path, error.line) == (str(folder / "mentions" / "val.json"), 2)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "not JSON"),
        ('{"title": "x", "text": "y"}', "needs a 'document_id'"),
        (json.dumps(WARNER), "two documents with the id '000523A4D586C293'"),
        ('{"document_id": "Y", "text": 5}', "needs a 'text'"),
    ],
)
def test_broken_texts_are_told_with_their_own_file_and_line(folder, line, words):
    path = folder / "documents" / "doctor_who.json"
    with path.open("a", encoding="utf-8") as stream:
        stream.write(line)
    error = complaint(folder, mention(), mention({"document_id": "Y"}, 0, 0, None))
    assert words in str(error)
    assert (error.path, error.line) == (str(path), 3)


def written(folder, *documents):
    path = folder / "links.json"
    stream = io.StringIO()
    assert write_zeshel(documents, stream, str(path)) == len(documents)
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_mentions_and_texts_are_written_in_zeshels_shape(tmp_path):
    beacon = Mention(7, 19, "Nerva Beacon", "CD37")
    (record,) = written(tmp_path, Document("d1", "Aboard Nerva Beacon .", mentions=(beacon,)))
    assert record == {
        "mention_id": "0000000000000000",
        "context_document_id": "d1",
        "corpus": "links",
        "start_index": 1,
        "end_index": 2,
        "text": "Nerva Beacon",
        "label_document_id": "CD37",
    }
    texts = (tmp_path / "documents" / "links.json").read_text(encoding="utf-8")
    assert json.loads(texts) == {"document_id": "d1", "title": "d1", "text": "Aboard Nerva Beacon ."}


@pytest.mark.parametrize("text", ["Nerva Beacon.", "(Nerva Beacon )"])
def test_a_mention_inside_a_token_is_refused_and_leaves_no_file(tmp_path, text):
    start = text.index("Nerva")
    beacon = Mention(start, start + 12, "Nerva Beacon", "CD37")
    with pytest.raises(DataError, match="does not stand between spaces"):
        written(tmp_path, Document("d1", text, mentions=(beacon,)))
    assert not (tmp_path / "documents").exists()


def test_texts_that_are_there_already_are_never_overwritten(tmp_path):
    written(tmp_path, Document("d1", "Aboard"))
    with pytest.raises(DataError, match="exists; remove it"):
        written(tmp_path, Document("d2", "Ashore"))
    assert "Aboard" in (tmp_path / "documents" / "links.json").read_text(encoding="utf-8")


def test_two_documents_with_one_id_are_refused(tmp_path):
    with pytest.raises(DataError, match="two documents with the id 'd1'"):
        written(tmp_path, Document("d1", "Aboard"), Document("d1", "Ashore"))
