"""Opening text files, whatever they are wrapped in."""

import bz2
import gzip
import io
import lzma
import sys

import pytest
import zstandard

from deixis.errors import DataError, MissingExtraError
from deixis.store.files import content_suffix, open_byte_lines, open_bytes, open_lines

TEXT = "Zürich\nParis\n\n東京\n"
COMPRESSORS = {
    "plain.txt": lambda data: data,
    "a.gz": gzip.compress,
    "a.bz2": bz2.compress,
    "a.xz": lzma.compress,
    "a.zst": zstandard.ZstdCompressor().compress,
}


@pytest.fixture(params=COMPRESSORS)
def file(request, tmp_path):
    path = tmp_path / request.param
    path.write_bytes(COMPRESSORS[request.param](TEXT.encode()))
    return path


def test_lines_are_the_same_however_the_file_is_compressed(file):
    assert list(open_lines(file)) == [(1, "Zürich"), (2, "Paris"), (3, ""), (4, "東京")]


@pytest.mark.parametrize("name", ["a.gz", "a.bz2", "a.xz", "a.zst"])
def test_several_compressed_parts_in_one_file_are_all_read(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(COMPRESSORS[name](b"one\n") + COMPRESSORS[name](b"two\n"))
    assert [text for _, text in open_lines(path)] == ["one", "two"]


@pytest.mark.parametrize("name", ["a.gz", "a.bz2", "a.xz", "a.zst"])
@pytest.mark.parametrize("keep", [0.3, 0.9])
def test_a_cut_off_compressed_file_is_an_error_and_not_a_short_file(name, keep, tmp_path):
    whole = COMPRESSORS[name]("".join(f"{n * n}\n" for n in range(20_000)).encode())
    path = tmp_path / name
    path.write_bytes(whole[: int(len(whole) * keep)])
    with pytest.raises(DataError, match="ends too early") as caught:
        list(open_lines(path))
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("name", ["a.gz", "a.xz", "a.zst", "a.bz2"])
def test_damaged_compressed_data_is_an_error(name, tmp_path):
    whole = bytearray(COMPRESSORS[name]("".join(f"{n * n}\n" for n in range(20_000)).encode()))
    whole[len(whole) // 2 : len(whole) // 2 + 8] = b"\xff" * 8
    path = tmp_path / name
    path.write_bytes(whole)
    with pytest.raises(DataError):
        list(open_lines(path))


def test_byte_order_mark_and_windows_line_ends_are_dropped(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert list(open_lines(path)) == [(1, "one"), (2, "two")]


def test_only_a_newline_ends_a_line(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("one\u2028still\x0bone\x85".encode() + b"\ntwo")
    assert [text for _, text in open_lines(path)] == ["one\u2028still\x0bone\x85", "two"]


def test_invalid_utf8_names_file_line_and_byte(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"fine\ncaf\xe9\nfine\n")
    with pytest.raises(DataError, match=r"a\.txt, line 2: not valid UTF-8: byte 0xe9 at position 4"):
        list(open_lines(path))
    assert [raw for _, raw in open_byte_lines(path)] == [b"fine", b"caf\xe9", b"fine"]


def test_a_line_of_ten_megabytes_is_one_line(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * 10_000_000 + b"\nend\n")
    assert [(number, len(raw)) for number, raw in open_byte_lines(path)] == [(1, 10_000_000), (2, 3)]


@pytest.mark.parametrize("wrap", COMPRESSORS.values())
def test_a_dash_reads_stdin_compressed_or_not_and_leaves_it_open(wrap, monkeypatch):
    stdin = io.TextIOWrapper(io.BytesIO(wrap(TEXT.encode())))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert [text for _, text in open_lines("-")] == TEXT.splitlines()
    assert not stdin.closed and not stdin.buffer.closed


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"PK\x03\x04rest", "zip archive"),
        ("Paris".encode("utf-16"), "UTF-16"),
        (b"\xfe\xff\x00P", "UTF-16"),
    ],
)
def test_what_cannot_be_read_says_what_it_is(content, problem, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError, match=problem):
        list(open_lines(path))


@pytest.mark.parametrize(("content", "found"), [(b"plain text", "is none"), (b"", "is empty")])
def test_a_file_that_is_not_what_its_name_says_is_an_error(content, found, tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(content)
    with pytest.raises(DataError, match=f"named like a gzip file but {found}"):
        list(open_lines(path))


def test_text_that_begins_like_a_bzip2_file_is_text(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"BZh is how bzip2 files begin\n")
    assert list(open_lines(path)) == [(1, "BZh is how bzip2 files begin")]


def test_missing_files_and_folders_are_named(tmp_path):
    with pytest.raises(DataError, match="nothere.txt: no such file"), open_bytes(tmp_path / "nothere.txt"):
        pass
    with pytest.raises(DataError, match="is a folder"), open_bytes(tmp_path):
        pass


def test_an_empty_file_has_no_lines(tmp_path):
    (tmp_path / "a.txt").touch()
    assert list(open_lines(tmp_path / "a.txt")) == []


def test_zst_without_the_extra_says_how_to_install_it(tmp_path, monkeypatch):
    path = tmp_path / "a.zst"
    path.write_bytes(COMPRESSORS["a.zst"](b"x"))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"deixis\[zstd\]"):
        list(open_lines(path))


def test_the_content_suffix_is_the_one_under_the_compression():
    assert content_suffix("kb.JSONL.gz") == ".jsonl"
    assert content_suffix("kb.tsv") == ".tsv"
    assert content_suffix("-") == ""
