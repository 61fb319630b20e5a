"""The file of corrections, when writing it goes wrong or something happens to it."""

import json
import logging

import pytest

from deixis.errors import StoreError
from deixis.service import journal as module
from deixis.service.journal import Journal

LINE = {"text": "Paris fled 🐎 to Żywiec.", "start": 0, "end": 5, "gold": "Q167646"}


@pytest.fixture
def journal(tmp_path):
    made = Journal(tmp_path / "corrections.jsonl")
    with made.locked() as stream:
        made.write(stream, [LINE])
    return made


@pytest.mark.parametrize("n_bytes", [1, 20, len(json.dumps(LINE, ensure_ascii=False).encode()) - 1])
def test_half_a_line_is_taken_away_and_the_next_one_is_whole(journal, caplog, n_bytes):
    half = json.dumps(LINE, ensure_ascii=False).encode()[:n_bytes]
    with open(journal.path, "ab") as stream:
        stream.write(half)
    with caplog.at_level(logging.WARNING, module.__name__):
        assert len(journal.read()) == 1
    assert caplog.records[0].record == {"file": str(journal.path), "line": 2}
    with journal.locked() as stream:
        journal.write(stream, [LINE])
    assert len(journal.read()) == 2


def test_a_last_line_without_an_end_is_kept(journal):
    with open(journal.path, "a", encoding="utf-8") as stream:
        stream.write(json.dumps(LINE | {"gold": "Q90"}))
    with journal.locked() as stream:
        journal.write(stream, [LINE])
    assert [each.entity for each in journal.read()] == ["Q167646", "Q90", "Q167646"]


def test_a_full_disk_leaves_nothing_behind(journal, monkeypatch):
    before = journal.path.read_bytes()

    class FullDisk(module.FileIO):
        def write(self, data):
            if len(data) < 30:
                raise OSError(28, "No space left on device")
            return super().write(data[:30])

    monkeypatch.setattr(module, "FileIO", FullDisk)
    with pytest.raises(OSError, match="No space left"), journal.locked() as stream:
        journal.write(stream, [LINE])
    assert journal.path.read_bytes() == before


def test_a_bad_line_in_the_middle_is_an_error_that_names_it(journal):
    content = journal.path.read_bytes()
    journal.path.write_bytes(content + b"{\n" + content)
    with pytest.raises(StoreError, match="line 2: this line is not a correction"):
        journal.read()


def test_a_file_that_may_only_be_read_is_read(journal, monkeypatch):
    monkeypatch.setattr(module.os, "access", lambda *_: False)
    monkeypatch.setattr(module, "FileIO", None)
    assert len(journal.read()) == 1
