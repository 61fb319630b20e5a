"""Runs: what the library links, whatever stops them and however often."""

import gzip
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from deixis.batch import ledger as ledgers
from deixis.batch import line_shards
from deixis.batch.ledger import LEDGER, OWN, open_ledger
from deixis.batch.run import DEFAULT, link_files
from deixis.documents.reading import read_documents
from deixis.documents.writing import write_documents
from deixis.errors import ConfigError, DataError, StoreError, UnknownNameError, WriteError
from deixis.kb.demo import demo_sentences_path, read_demo
from deixis.linker import Linker
from deixis.linking.options import LinkOptions
from deixis.live import LiveModel
from deixis.processes.pool import Failed
from tests.unit.batch.here import Here

TEXTS = [document.text for document in read_documents(demo_sentences_path())][:46]


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    monkeypatch.setattr(line_shards, "MAX_LINES", 10)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("batch") / "model"
    Linker.build(read_demo(), n_threads=1).save(folder)
    return folder


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps({"id": f"d{n}", "text": text}) + "\n" for n, text in enumerate(TEXTS)))
    return path


def outputs(folder):
    """Every file of a run but the ledger, by its name."""
    paths = sorted(path for path in Path(folder).rglob("*") if path.is_file() and path.name != LEDGER)
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def linked_in(folder):
    return [each for path in sorted(Path(folder).glob("*.jsonl")) for each in read_documents(path)]


def test_a_run_links_as_the_library_does_and_another_does_nothing(built, texts, tmp_path):
    first = link_files(built, [texts], tmp_path / "links", LinkOptions(top_k=2), runner=Here())
    assert (first.n_linked, first.n_unchanged, first.n_documents, first.n_bad, first.bad) == (5, 0, 46, 0, None)
    with open(tmp_path / "one.jsonl", "w", encoding="utf-8") as stream:
        write_documents(Linker.load(built).link_many(read_documents(texts), top_k=2), stream)
    assert b"".join(outputs(tmp_path / "links").values()) == (tmp_path / "one.jsonl").read_bytes()
    again, runner = outputs(tmp_path / "links"), Here()
    second = link_files(built, [texts], tmp_path / "links", LinkOptions(top_k=2), runner=runner)
    assert (second.n_linked, second.n_unchanged, second.n_documents, runner.n_tasks) == (0, 5, 46, 0)
    assert outputs(tmp_path / "links") == again


@pytest.mark.parametrize("to", ["native", "parquet"])
def test_processes_write_the_same_bytes_however_many(built, texts, tmp_path, to):
    pytest.importorskip("pyarrow")
    link_files(built, [texts], tmp_path / "here", to=to, runner=Here())
    link_files(built, [texts], tmp_path / "processes", to=to, n_workers=2)
    assert outputs(tmp_path / "here") == outputs(tmp_path / "processes") and len(outputs(tmp_path / "here")) == 5


def test_a_stopped_run_goes_on_to_the_same_bytes(built, texts, tmp_path):
    link_files(built, [texts], tmp_path / "whole", runner=Here())
    with pytest.raises(KeyboardInterrupt):
        link_files(built, [texts], tmp_path / "links", runner=Here(stop_after=2))
    assert len(outputs(tmp_path / "links")) == 2
    runner = Here()
    link_files(built, [texts], tmp_path / "links", runner=runner)
    assert runner.n_tasks == 3 and outputs(tmp_path / "links") == outputs(tmp_path / "whole")


def test_only_what_changed_is_linked_again(built, texts, tmp_path):
    links = tmp_path / "links"
    runs = []

    def run(options=DEFAULT, model=built):
        runner = Here()
        link_files(model, [texts], links, options, runner=runner)
        runs.append(runner.n_tasks)

    run()
    lines = texts.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[12] = lines[12].replace('"text": "', '"text": "Paris. ')
    texts.write_text("".join([*lines, '{"id": "new", "text": "Troy fell."}\n']), encoding="utf-8")
    run()  # one shard with another text, and the last one with one more
    (links / "texts-00002.jsonl").unlink()
    (links / "texts-00003.jsonl").write_text("")
    run()  # outputs that are gone or were changed
    run(LinkOptions(threshold=0.9))
    run(LinkOptions(threshold=0.9))
    model = Path(shutil.copytree(built, tmp_path / "model"))
    run(LinkOptions(threshold=0.9), model)  # a copy of the same model
    live = LiveModel.open(model)
    live.add({"id": "troy2", "title": "Troy"})
    live.close()
    run(LinkOptions(threshold=0.9), model)
    assert runs == [5, 2, 2, 5, 0, 0, 5]
    assert [each.id for each in linked_in(links)] == [*(f"d{n}" for n in range(46)), "new"]


def test_outputs_of_what_is_gone_are_removed_and_those_of_other_files_stay(built, texts, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_text('{"text": "Troy fell."}\n', encoding="utf-8")
    link_files(built, [texts, other], tmp_path / "links", runner=Here())
    texts.write_text("".join(texts.read_text(encoding="utf-8").splitlines(keepends=True)[:11]), encoding="utf-8")
    summary = link_files(built, [texts], tmp_path / "links", runner=Here())
    assert list(outputs(tmp_path / "links")) == ["other-00000.jsonl", "texts-00000.jsonl", "texts-00001.jsonl"]
    assert (summary.n_linked, summary.n_documents, summary.n_others) == (1, 11, 1)


def test_bad_documents_are_left_out_and_noted_until_they_are_good(built, texts, tmp_path):
    lines = texts.read_text(encoding="utf-8").splitlines(keepends=True)
    texts.write_text("".join([*lines[:3], "{oops\n", *lines[4:], '{"text": 7}\n']), encoding="utf-8")
    summary = link_files(built, [texts], tmp_path / "links", runner=Here())
    assert (summary.n_documents, summary.n_bad) == (45, 2) and summary.bad is not None
    noted = [json.loads(line) for line in summary.bad.read_text(encoding="utf-8").splitlines()]
    assert [(each["file"], each["line"]) for each in noted] == [(str(texts), 4), (str(texts), 47)]
    assert "not JSON" in noted[0]["reason"] and len(linked_in(tmp_path / "links")) == 45
    texts.write_text("".join(lines), encoding="utf-8")
    assert link_files(built, [texts], tmp_path / "links", runner=Here()).bad is None and not summary.bad.exists()


def test_a_document_that_breaks_the_linker_spoils_no_other(built, texts, tmp_path, monkeypatch):
    link_many = Linker.link_many

    def breaking(self, documents, *arguments, **options):
        if any(document.id == "d7" for document in documents):
            raise ZeroDivisionError("seven")
        return link_many(self, documents, *arguments, **options)

    monkeypatch.setattr(Linker, "link_many", breaking)
    summary = link_files(built, [texts], tmp_path / "links", runner=Here())
    assert (summary.n_documents, summary.n_bad) == (45, 1) and summary.bad is not None
    (noted,) = [json.loads(line) for line in summary.bad.read_text(encoding="utf-8").splitlines()]
    assert (noted["line"], noted["reason"]) == (8, "cannot be linked: ZeroDivisionError: seven")


def test_a_shard_that_cannot_be_linked_is_reported_when_the_others_are(built, texts, tmp_path):
    class Failing(Here):
        def run(self, function, argument, tasks, advance):
            yield tasks[1][0], Failed("its process died")
            yield from super().run(function, argument, [tasks[0], *tasks[2:]], advance)

    with pytest.raises(DataError, match=r"1 of 5 shards .*\n.*texts\.jsonl, from line 11: its process died"):
        link_files(built, [texts], tmp_path / "links", runner=Failing())
    assert link_files(built, [texts], tmp_path / "links", runner=Here()).n_linked == 1


def test_what_is_wrong_is_said_before_the_work(built, texts, tmp_path):
    with pytest.raises(ConfigError, match="open a model by its path"):
        link_files(Linker.load(built), [texts], tmp_path / "links")
    with pytest.raises(ConfigError, match="write one of native, csv, tsv, parquet; got 'html'"):
        link_files(built, [texts], tmp_path / "links", to="html")
    with pytest.raises(ConfigError, match="texts in files of their own"):
        link_files(built, [texts], tmp_path / "links", format="mewsli")
    with pytest.raises(UnknownNameError, match="nativ"):
        link_files(built, [texts], tmp_path / "links", format="nativ")
    with pytest.raises(ConfigError):
        link_files(built, [texts], tmp_path / "links", LinkOptions(rerank=True))
    assert not (tmp_path / "links").exists()


def test_a_folder_with_other_things_or_another_run_is_refused(built, texts, tmp_path, monkeypatch):
    with pytest.raises(DataError, match="holds other things than links"):
        link_files(built, [texts], tmp_path, runner=Here())
    with pytest.raises(DataError, match="is a file"):
        link_files(built, [texts], texts, runner=Here())
    monkeypatch.setattr(ledgers, "PATIENCE", 0.2)
    with open_ledger(tmp_path / "links"):
        with pytest.raises(StoreError, match="Another run links into"):
            link_files(built, [texts], tmp_path / "links", runner=Here())


def test_a_model_that_changes_meanwhile_ends_the_run(built, texts, tmp_path):
    model = Path(shutil.copytree(built, tmp_path / "model"))

    class Changing(Here):
        def run(self, function, argument, tasks, advance):
            live = LiveModel.open(model)
            live.add({"id": "troy2", "title": "Troy"})
            live.close()
            yield from super().run(function, argument, tasks, advance)

    with pytest.raises(StoreError, match="was changed while it was linked with"):
        link_files(model, [texts], tmp_path / "links", runner=Changing())


def test_a_damaged_or_newer_ledger_is_named(built, texts, tmp_path):
    link_files(built, [texts], tmp_path / "links", runner=Here())
    path = tmp_path / "links" / OWN / LEDGER
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma user_version = 99")
    with pytest.raises(StoreError, match="from a newer version"):
        link_files(built, [texts], tmp_path / "links", runner=Here())
    path.write_bytes(b"no ledger" * 1000)
    with pytest.raises(StoreError, match="is damaged"):
        link_files(built, [texts], tmp_path / "links", runner=Here())
    path.unlink()
    assert link_files(built, [texts], tmp_path / "links", runner=Here()).n_linked == 5


def test_an_output_that_cannot_be_placed_is_named(built, texts, tmp_path):
    (tmp_path / "links" / OWN).mkdir(parents=True)
    (tmp_path / "links" / "texts-00001.jsonl").mkdir()
    (tmp_path / "links" / "texts-00001.jsonl" / "own").touch()
    with pytest.raises(WriteError, match=r"texts-00001\.jsonl: cannot be written: Is a directory"):
        link_files(built, [texts], tmp_path / "links", runner=Here())


def test_whatever_compresses_the_input_compresses_the_output(built, texts, tmp_path):
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(texts.read_bytes()))
    link_files(built, [packed, texts], tmp_path / "links", runner=Here())
    written = outputs(tmp_path / "links")
    assert gzip.decompress(written["packed-00003.jsonl.gz"]) == written["texts-00003.jsonl"]
