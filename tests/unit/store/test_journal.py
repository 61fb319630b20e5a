"""The journal: durable, one writer at a time, readers that never wait, and clear errors for files that are not it."""

import os
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from deixis.errors import StoreError
from deixis.store import journal as journal_module
from deixis.store import journal_file
from deixis.store.change import Change, ChangeItem
from deixis.store.journal import Journal, journal_head, journal_of, set_aside
from deixis.store.journal_file import make_journal

MODEL = "0123456789abcdef"


def put(key, after, before=None):
    return Change("add", (ChangeItem("entity", key, before, after),), author="eve", reason="why not")


def write(journal, *changes):
    for change in changes:
        with journal.writing() as writer:
            writer.append(change)


@pytest.fixture
def journal(tmp_path):
    opened = Journal(tmp_path / "model.journal", MODEL)
    yield opened
    opened.close()


def test_generations_have_no_gaps_and_every_change_keeps_what_it_replaced(journal):
    write(journal, put("a", {"n": 1}), put("b", {"n": 2}), put("a", {"n": 3}, before={"n": 1}))
    newest, *_, oldest = journal.changes()
    assert [change.generation for change in journal.changes()] == [3, 2, 1]
    assert (newest.items[0].before, newest.items[0].after) == ({"n": 1}, {"n": 3})
    assert (oldest.author, oldest.reason, oldest.verb) == ("eve", "why not", "add")
    assert oldest.time.endswith("Z")
    assert newest.items[0].before_position == (1, 0)


def test_a_snapshot_has_the_newest_values_in_the_order_they_were_put(journal):
    write(journal, put("a", 1), put("b", 2), put("a", 3, before=1))
    snapshot = journal.snapshot()
    assert snapshot.generation == 3
    assert [(entry.key, entry.value, entry.position) for entry in snapshot.entries] == [
        ("b", 2, (2, 0)),
        ("a", 3, (3, 0)),
    ]
    assert [entry.key for entry in journal.snapshot(since=2).entries] == ["a"]


def test_a_model_without_a_journal_is_at_the_generation_of_its_folder_and_reading_makes_no_file(tmp_path):
    journal = Journal(tmp_path / "model.journal", MODEL, start=7)
    assert (journal.generation, journal.version(), journal.changes(), journal.snapshot().entries) == (7, None, [], ())
    assert list(tmp_path.iterdir()) == []
    write(journal, put("a", 1))
    assert journal.generation == 8


def test_a_block_that_raises_writes_nothing(journal):
    write(journal, put("a", 1))
    with pytest.raises(RuntimeError), journal.writing() as writer:
        writer.append(put("b", 2))
        raise RuntimeError
    assert (journal.generation, [entry.key for entry in journal.snapshot().entries]) == (1, ["a"])


def test_readers_see_a_change_of_another_connection_and_nothing_before_it_is_committed(journal, tmp_path):
    reader = Journal(journal.path, MODEL)
    write(journal, put("a", 1))
    version = reader.version()
    with journal.writing() as writer:
        writer.append(put("b", 2))
        assert (reader.version(), reader.generation) == (version, 1)
    assert reader.version() != version
    assert reader.generation == 2
    reader.close()


def test_looking_for_news_takes_microseconds(journal):
    write(journal, put("a", 1))
    journal.version()
    begin = time.thread_time()
    for _ in range(1000):
        journal.version()
    assert time.thread_time() - begin < 0.2  # 200 microseconds each, on a machine that does other things


def test_a_second_writer_waits_and_says_so(journal, monkeypatch, caplog):
    monkeypatch.setattr(journal_module, "SAY_AFTER", 0.05)
    write(journal, put("a", 1))
    other, is_waiting = Journal(journal.path, MODEL), threading.Event()
    second = threading.Thread(target=lambda: (is_waiting.set(), write(other, put("b", 2))))
    with journal.writing() as writer:
        second.start()
        is_waiting.wait()
        time.sleep(0.3)
        writer.append(put("c", 3))
    second.join()
    assert [change.items[0].key for change in journal.changes()] == ["b", "c", "a"]
    assert "waiting for another process that is writing to" in caplog.text


def test_a_writer_that_waits_too_long_gives_up_and_nothing_is_lost(journal):
    write(journal, put("a", 1))
    with journal.writing() as writer:
        writer.append(put("b", 2))
        with (
            pytest.raises(StoreError, match=r"more than 0.1 seconds.*repeat"),
            Journal(journal.path, MODEL, timeout=0.1).writing(),
        ):
            pass
    assert journal.generation == 2


def test_the_journal_of_another_model_is_refused_and_left_alone(journal):
    write(journal, put("a", 1))
    other = Journal(journal.path, "another")
    with pytest.raises(StoreError, match="belongs to another model.*mv "):
        other.snapshot()
    with pytest.raises(StoreError, match="belongs to another model"), other.writing():
        pass
    assert journal.generation == 1


@pytest.mark.parametrize("start", [2, 9])
def test_a_folder_that_includes_changes_that_the_journal_lacks_is_refused(journal, start):
    write(journal, put("a", 1))
    with pytest.raises(StoreError, match="older copy"):
        Journal(journal.path, MODEL, start=start).snapshot()


def test_a_journal_begun_after_a_compaction_does_not_fit_the_folder_before_it(tmp_path):
    write(Journal(tmp_path / "model.journal", MODEL, start=5), put("a", 1))
    with pytest.raises(StoreError, match="has the changes 6 to 6.*up to 0"):
        Journal(tmp_path / "model.journal", MODEL).snapshot()


@pytest.mark.parametrize("damage", ["text", "truncated", "one_byte", "nothing", "other_program", "tables"])
def test_a_damaged_journal_is_a_clear_error(journal, damage):
    write(journal, *(put(f"{number}", "x" * 3000) for number in range(20)))
    journal.close()
    path: Path = journal.path
    if damage == "text":
        path.write_text("id,title\n" * 1000)
    elif damage == "truncated":
        path.write_bytes(path.read_bytes()[:10_000])
    elif damage == "one_byte":  # which SQLite takes for an empty file
        path.write_bytes(path.read_bytes()[:1])
    elif damage == "nothing":
        path.write_bytes(b"")
    else:
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA application_id=7" if damage == "other_program" else "DROP TABLE items")
        connection.commit()
        connection.close()
    with pytest.raises(StoreError, match="damaged.*The model itself is whole.*mv "):
        Journal(path, MODEL).snapshot()
    with pytest.raises(StoreError, match="damaged.*mv "), Journal(path, MODEL).writing():
        pass


def test_a_journal_of_a_newer_version_is_refused(journal):
    write(journal, put("a", 1))
    journal.close()
    with sqlite3.connect(journal.path) as connection:
        connection.execute("PRAGMA user_version=99")
    with pytest.raises(StoreError, match="version 99.*upgrade"):
        Journal(journal.path, MODEL).snapshot()


def test_a_fifo_or_a_link_in_its_place_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "fifo.journal")
    (tmp_path / "link.journal").symlink_to("elsewhere")
    for name in ("fifo", "link"):
        with pytest.raises(StoreError, match=f"{name}.journal is a"):
            Journal(tmp_path / f"{name}.journal", MODEL).snapshot()
        with (
            pytest.raises(StoreError, match=f"{name}.journal is a"),
            Journal(tmp_path / f"{name}.journal", MODEL).writing(),
        ):
            pass


def test_a_journal_is_begun_whole_and_by_one_writer_only(journal, tmp_path):
    """A file is never empty, so an empty one was cut off; who comes second takes the journal of the first."""
    make_journal(journal.path, MODEL, 0)
    assert journal.path.read_bytes()[:6] == b"SQLite" and (journal.generation, journal.changes()) == (0, [])
    write(journal, put("a", 1))
    make_journal(journal.path, MODEL, 0)
    assert journal.generation == 1
    assert not [path.name for path in tmp_path.iterdir() if "saving" in path.name]


def test_a_journal_is_begun_where_there_are_no_links(journal, monkeypatch):
    monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError("not supported")))
    write(journal, put("a", 1))
    assert journal.generation == 1


def test_a_full_disk_is_an_error_and_the_change_is_not_there(journal, monkeypatch):
    write(journal, put("a", 1))
    real = journal_module.open_to_write

    def small_disk(path):
        connection = real(path)
        (n_pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count={n_pages}")
        return connection

    monkeypatch.setattr(journal_module, "open_to_write", small_disk)
    with pytest.raises(StoreError, match="is full: the change was not written"):
        write(Journal(journal.path, MODEL), put("b", "x" * 100_000))
    monkeypatch.undo()
    assert (journal.generation, journal.problems()) == (1, [])
    write(journal, put("b", 2))
    assert journal.generation == 2


@pytest.mark.parametrize("has_log", [False, True])
def test_a_read_only_journal_can_be_read(journal, tmp_path, monkeypatch, has_log):
    write(journal, put("a", 1))
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in tmp_path.glob("model.journal*"):
        if not file.name.endswith("-shm"):
            (copy / file.name).write_bytes(file.read_bytes())
    if not has_log:
        journal.close()
        (copy / "model.journal").write_bytes(journal.path.read_bytes())
        (copy / "model.journal-wal").unlink(missing_ok=True)
    real = journal_file._connected

    def no_files_here(path, mode, timeout=1.0):
        if path.parent == copy and "immutable" not in mode:
            path, mode = copy / "missing" / "model.journal", "mode=ro"
        return real(path, mode, timeout)

    monkeypatch.setattr(journal_file, "_connected", no_files_here)
    reader = Journal(copy / "model.journal", MODEL)
    assert [entry.value for entry in reader.snapshot().entries] == [1]
    with pytest.raises(StoreError, match="cannot be written.*writable"), reader.writing():
        pass


def test_a_journal_that_was_moved_away_is_noticed(journal):
    write(journal, put("a", 1))
    assert journal.generation == 1
    with journal.writing():
        set_aside(journal.path)
    assert (journal.generation, journal.path.exists()) == (0, False)
    assert journal_head(journal.path.with_name("model.journal.old")).n_changes == 1
    write(journal, put("b", 1), put("c", 1))
    with journal.writing():
        set_aside(journal.path)
    assert journal_head(journal.path.with_name("model.journal.old.2")).n_changes == 2


def test_a_check_finds_changes_that_are_missing(journal):
    write(journal, put("a", 1), put("b", 2), put("c", 3))
    assert journal.problems() == []
    with sqlite3.connect(journal.path) as connection:
        connection.execute("DELETE FROM changes WHERE generation = 2")
    assert journal.problems() == ["1 changes are missing"]


def test_a_link_to_a_folder_leads_to_the_journal_of_the_folder(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "current").symlink_to("model")
    assert journal_of(tmp_path / "current") == tmp_path / "model.journal"


def test_a_writer_that_is_killed_loses_no_change_that_it_reported(journal):
    program = (
        "import sys, pathlib; from deixis.store.journal import *\n"
        "from deixis.store.change import Change, ChangeItem\n"
        "journal = Journal(pathlib.Path(sys.argv[1]), sys.argv[2])\n"
        "while True:\n"
        "    with journal.writing() as writer:\n"
        "        item = ChangeItem('entity', str(writer.generation), None, 'x' * 900)\n"
        "        change = writer.append(Change('add', (item,)))\n"
        "    print(change.generation, flush=True)\n"
    )
    for number in range(20):
        command = [sys.executable, "-c", program, str(journal.path), MODEL]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            lines = [writer.stdout.readline()]
            time.sleep(0.0013 * number)
            writer.kill()
            lines += writer.stdout.readlines()
        reported = max(int(line) for line in lines if line.endswith("\n"))
        assert journal.generation >= reported
        assert len(journal.snapshot().entries) == journal.generation
        assert journal.problems() == []
