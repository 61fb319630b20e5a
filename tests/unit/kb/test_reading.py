"""Files of entities: good lines in, bad lines named."""

import gzip
import json
import logging

import pytest

from deixis.errors import DataError, UnknownNameError
from deixis.kb.formats import guess_format
from deixis.kb.knowledge_base import KnowledgeBase

PARIS = {"id": "Q90", "title": "Paris"}
TROY = {"id": "Q22647", "title": "Troy"}


def write(path, *lines):
    raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    path.write_bytes(b"\n".join(raw) + b"\n")
    return path


def test_a_compressed_file_reads_like_a_plain_one(tmp_path):
    plain = write(tmp_path / "kb.jsonl", PARIS, TROY)
    (tmp_path / "kb.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes()))
    assert list(KnowledgeBase.read(tmp_path / "kb.jsonl.gz").titles) == ["Paris", "Troy"]


def test_several_files_make_one_knowledge_base_each_in_its_own_spelling(tmp_path):
    first = write(tmp_path / "a.jsonl", PARIS)
    second = write(tmp_path / "b.jsonl", {"entity_id": 7, "label": "Rome"})
    kb, report = KnowledgeBase.read_with_report([first, second])
    assert list(kb.ids) == ["Q90", "7"]
    assert [each.mapping.split(", ")[0] for each in report.lists] == ["id -> id", "glinker records: entity_id -> id"]


BAD_LINES = {
    b"{": "not JSON: an object spread over several lines",
    b'{"id": "x", "title": "a"': "not JSON: Expecting ',' delimiter, column 25",
    b'{"id": "x"} {"id": "y"}': "not JSON: Extra data",
    b'{"id": "x", "title": "a\x00b"}': "not JSON: Invalid control character",
    b'["x", "a"]': "not a JSON object but a JSON array",
    b'"x"': "not a JSON object but str",
    b"null": "not a JSON object but NoneType",
    b"[" * 50_000: "not usable JSON",
    b'{"id": "x", "title": "a", "count": ' + b"9" * 5000 + b"}": "not usable JSON",
    b'{"id": "x", "title": "caf\xe9"}': "not valid UTF-8: byte 0xe9 at position 26",
    b'{"id": "x", "title": "\xed\xa0\x80"}': "not valid UTF-8",
    b'{"id": "x"}': "no 'title'",
    b'{"id": "x", "title": ""}': "'title' is empty",
    b'{"title": "a"}': "no 'id'",
    b'{"id": "\\ud800", "title": "a"}': "lone surrogates",
    b'{"id": "x", "title": "a", "count": NaN}': "must be a whole number",
    b'{"id": "x", "title": "a", "count": -3}': "must be a whole number",
    b'{"id": "Q90", "title": "again"}': "the id 'Q90' was used before, in line 1; an id must be unique",
}


@pytest.mark.parametrize(("raw", "problem"), BAD_LINES.items(), ids=range(len(BAD_LINES)))
def test_a_bad_line_is_an_error_that_names_it_or_skipped_and_counted(tmp_path, raw, problem, caplog):
    path = write(tmp_path / "kb.jsonl", PARIS, b"", raw, TROY)
    with pytest.raises(DataError) as caught:
        KnowledgeBase.read(path)
    assert str(caught.value).startswith(f"{path}, line 3: ") and problem in str(caught.value)
    kb, report = KnowledgeBase.read_with_report(path, skip_bad=True)
    assert caplog.text == ""  # the report says it
    assert list(kb.titles) == ["Paris", "Troy"] and kb.row_of("Q22647") == 1
    assert report.n_skipped == 1 and report.n_entities == 2
    assert report.skipped[0].line == 3 and problem in report.skipped[0].reason
    with caplog.at_level(logging.WARNING):
        KnowledgeBase.read(path, skip_bad=True)
    assert f"bad lines skipped: 1; the first: {path}, line 3: " in caplog.text


def test_many_bad_lines_are_all_counted_and_the_first_kept(tmp_path):
    kb, report = KnowledgeBase.read_with_report(write(tmp_path / "a.jsonl", PARIS, *[b"x"] * 500), skip_bad=True)
    assert report.n_skipped == 500 and len(report.skipped) == 20 and len(kb) == 1


def test_an_id_repeated_in_another_file_names_both_files(tmp_path):
    first, second = write(tmp_path / "a.jsonl", TROY, PARIS), write(tmp_path / "b.jsonl", PARIS)
    with pytest.raises(DataError, match=r"b\.jsonl, line 1: the id 'Q90' was used before, in .*a\.jsonl, line 2"):
        KnowledgeBase.read([first, second])


def test_of_repeated_ids_the_first_is_kept_with_all_that_belongs_to_it(tmp_path):
    records = [
        {"id": "a", "title": "first", "aliases": ["x"], "description": "one", "types": ["t"], "alt_ids": ["q"]},
        {"id": "b", "title": "other", "aliases": ["y", "z"], "description": "two", "types": ["u", "t"]},
        {"id": "a", "title": "second", "aliases": ["w"], "description": "three", "types": ["v"]},
        {"id": "c", "title": "last", "aliases": [{"text": "v", "lang": "de"}], "description": "four"},
        {"id": "a", "title": "third"},
    ]
    kb, report = KnowledgeBase.read_with_report(write(tmp_path / "kb.jsonl", *records), skip_bad=True)
    expected = KnowledgeBase.from_records([records[0], records[1], records[3]])
    assert [kb.entity(row) for row in range(len(kb))] == list(expected.entities())
    assert [skipped.line for skipped in report.skipped] == [3, 5]


@pytest.mark.parametrize("content", [b"", b"\n\n  \n", b"\xef\xbb\xbf"])
def test_an_empty_file_says_that_there_are_no_entities(tmp_path, content):
    for name in ("kb.jsonl", "kb"):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DataError, match=rf"{name}: .*no entities|cannot tell the format"):
            KnowledgeBase.read(tmp_path / name)


def test_nothing_but_bad_lines_says_so_and_shows_the_first(tmp_path):
    path = write(tmp_path / "kb.jsonl", b"x", b"y")
    with pytest.raises(DataError, match=r"no entities; 2 lines were skipped \(line 1: not JSON"):
        KnowledgeBase.read(path, skip_bad=True)


def test_windows_files_read_like_others(tmp_path):
    path = tmp_path / "kb.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(PARIS).encode() + b"\r\n\r\n" + json.dumps(TROY).encode())
    assert list(KnowledgeBase.read(path).titles) == ["Paris", "Troy"]


def test_a_line_of_ten_megabytes_is_one_entity(tmp_path):
    path = write(tmp_path / "kb.jsonl", PARIS | {"description": "ab " * 3_400_000}, TROY)
    kb = KnowledgeBase.read(path)
    assert len(kb) == 2 and len(kb.description_texts()[0]) == 3 * 3_400_000 - 1


def test_escaped_surrogate_pairs_are_one_character_and_lone_ones_are_replaced(tmp_path):
    path = write(tmp_path / "kb.jsonl", rb'{"id": "1", "title": "\ud83d\ude00 \ud83d!", "aliases": ["\u0000nul"]}')
    entity = KnowledgeBase.read(path).entity(0)
    assert entity.title == "😀 \ufffd!" and entity.aliases[0].text == "nul"


@pytest.mark.parametrize(
    ("path", "first_line", "expected"),
    [
        ("kb.jsonl", b"", "jsonl"),
        ("kb.ndjson.zst", b"", "jsonl"),
        ("kb.json", b"[", "json"),
        ("kb.json", b'{"Q90": "Paris"}', "json"),
        ("kb.json", b'{"id": "Q90", "title": "Paris"}', "jsonl"),
        ("KB.CSV.GZ", b"", "csv"),
        ("kb.tsv", b"id\ttitle", "tsv"),
        ("kb.tsv", b"<u>\tcat", "annif-tsv"),
        ("-", b' {"id"', "jsonl"),
        ("-", b"<u>\tcat", "annif-tsv"),
        ("kb.txt", b"id\ttitle", "tsv"),
        ("kb", b"id,title", "csv"),
        ("kb", b"id;title", "csv"),
        ("kb.txt", b"ID ; Title", "csv"),
        ("kb.txt", b'{"id": 1}', "jsonl"),
        ("kb.txt", b"<u>\tcat", "annif-tsv"),
        ("Y.txt.gz", b"Toys, Games", "names"),
        ("kb.ttl", b"", "skos"),
        ("kb.rdf.gz", b"", "skos"),
        ("-", b"@prefix skos: <http://www.w3.org/2004/02/skos/core#> .", "skos"),
    ],
)
def test_the_format_is_told_by_the_suffix_or_else_by_the_first_line(path, first_line, expected):
    assert guess_format(path, first_line) == expected


@pytest.mark.parametrize("path", ["kb.nq.gz", "kb.xlsx", "kb.unknown"])
def test_an_unknown_format_names_the_accepted_ones(path):
    with pytest.raises(DataError, match=r"accepted: jsonl, json, csv, tsv, annif-tsv"):
        guess_format(path, b"a line of words")


def test_a_format_can_be_named_and_a_misspelt_one_is_an_error(tmp_path):
    path = write(tmp_path / "kb.data", b"id\ttitle", b"1\tParis")
    assert list(KnowledgeBase.read(path, format="tsv").titles) == ["Paris"]
    with pytest.raises(UnknownNameError, match=r"format named 'jsonlines'\. Known: annif-tsv, arrow, cirrus"):
        KnowledgeBase.read(path, format="jsonlines")


def test_a_cut_off_download_is_an_error_even_when_bad_lines_are_skipped(tmp_path):
    whole = gzip.compress(b"".join(json.dumps({"id": n, "title": f"t{n}"}).encode() + b"\n" for n in range(5000)))
    (tmp_path / "kb.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="ends too early"):
        KnowledgeBase.read(tmp_path / "kb.jsonl.gz", skip_bad=True)


def test_labels_in_lines_are_numbered_from_zero(tmp_path):
    path = write(tmp_path / "Y.txt", "\ufeffToys, Games".encode(), b"", "Kätzchen\r".encode())
    kb = KnowledgeBase.read(path, format="label-lines")
    assert list(kb.ids) == ["0", "1", "2"]
    assert list(kb.titles) == ["Toys, Games", "1", "Kätzchen"]


def test_a_label_that_is_not_utf8_is_told_with_its_line(tmp_path):
    with pytest.raises(DataError, match="line 2: not valid UTF-8"):
        KnowledgeBase.read(write(tmp_path / "Y.txt", b"Toys", b"caf\xe9"), format="label-lines")
