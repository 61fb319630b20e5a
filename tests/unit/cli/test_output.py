"""Files appear whole or not at all."""

import bz2
import gzip
import lzma
import os

import pytest

from deixis.cli.output import output_stream
from deixis.errors import DataError
from deixis.store.files import open_lines


def test_without_a_path_the_stream_is_stdout(capsys):
    for path in (None, "-"):
        with output_stream(path) as stream:
            stream.write("hello ")
    assert capsys.readouterr().out == "hello hello "


def test_a_failed_block_leaves_the_old_file_and_no_other(tmp_path):
    target = tmp_path / "out.jsonl"
    target.write_text("old", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt), output_stream(str(target)) as stream:
        stream.write("new")
        raise KeyboardInterrupt
    assert target.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["out.jsonl"]


def test_the_file_takes_its_name_only_when_the_block_has_ended(tmp_path):
    target = tmp_path / "out.jsonl"
    with output_stream(str(target)) as stream:
        stream.write("Zürich\n")
        stream.flush()
        assert not target.exists()
    assert target.read_bytes() == "Zürich\n".encode()


@pytest.mark.parametrize(("suffix", "opened"), [(".gz", gzip.open), (".bz2", bz2.open), (".xz", lzma.open)])
def test_the_suffix_chooses_the_compression(tmp_path, suffix, opened):
    target = tmp_path / f"out.jsonl{suffix}"
    with output_stream(str(target)) as stream:
        stream.write("Zürich\n")
    with opened(target, "rt", encoding="utf-8") as stream:
        assert stream.read() == "Zürich\n"


def test_the_same_text_compresses_to_the_same_bytes_whatever_the_name_and_the_time(tmp_path):
    for name in ("a.gz", "b.gz"):
        with output_stream(str(tmp_path / name)) as stream:
            stream.write("Paris\n")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_a_link_is_followed_and_not_replaced(tmp_path):
    (tmp_path / "real").write_text("old", encoding="utf-8")
    (tmp_path / "link").symlink_to("real")
    with output_stream(str(tmp_path / "link")) as stream:
        stream.write("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text(encoding="utf-8") == "new"


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="a Unix device")
def test_a_device_is_written_to_and_not_replaced():
    with output_stream("/dev/null") as stream:
        stream.write("gone")
    assert not os.path.isfile("/dev/null")


@pytest.mark.parametrize("path", ["missing/out.jsonl", "."])
def test_a_place_that_cannot_be_written_is_told_before_the_work(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match="cannot write there"), output_stream(path):
        pytest.fail("the work was done for nothing")


def test_a_name_that_promises_zstd_is_kept(tmp_path):
    pytest.importorskip("zstandard")
    for name in ("one.jsonl.zst", "two.jsonl.zst"):
        with output_stream(str(tmp_path / name)) as stream:
            stream.write("Troy\nParis\n")
    assert list(open_lines(tmp_path / "one.jsonl.zst")) == [(1, "Troy"), (2, "Paris")]
    assert (tmp_path / "one.jsonl.zst").read_bytes() == (tmp_path / "two.jsonl.zst").read_bytes()
