"""`deixis kb import` as a command: its outputs, what it refuses, and what is left of one that was stopped."""

import bz2
import gzip
import json
import signal
import subprocess
import sys

import pytest

from tests.list_files import LISTS, MEDIAWIKI_HEAD, THINGS, mediawiki_page
from tests.processes import start, wait_until
from tests.unit.kb.dumps.test_importing import page

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are those of Unix")
SMALL_SHARDS = (
    "import sys; from deixis.kb.dumps import importing; "
    "importing.DumpImport.of.__func__.__kwdefaults__['shard_bytes'] = 4000; "
    "from deixis.cli.main import main; sys.exit(main())"
)


@pytest.fixture(scope="module")
def dump(tmp_path_factory):
    path = tmp_path_factory.mktemp("dump") / "wiki-multistream.xml.bz2"
    pages = [page(number) for number in range(1, 901)]
    parts = [MEDIAWIKI_HEAD, *("".join(pages[at : at + 10]) for at in range(0, len(pages), 10)), "</mediawiki>\n"]
    path.write_bytes(b"".join(bz2.compress(part.encode()) for part in parts))
    return path


def test_entities_texts_and_bad_records_are_written(deixis_inside, tmp_path):
    path = LISTS["wikipedia"].file(THINGS, tmp_path)
    broken = mediawiki_page(8, "Broken", "x").replace("</title>", "")
    path.write_text(path.read_text(encoding="utf-8").replace("</mediawiki>", broken), encoding="utf-8")
    output, mentions = tmp_path / "entities.jsonl.gz", tmp_path / "mentions.jsonl"
    refused = deixis_inside("kb", "import", path, "-o", output, code=1)
    assert "mismatched tag" in refused.stderr and not output.exists()
    done = deixis_inside(
        "kb", "import", path, "-o", output, "--mentions", mentions, "--skip-bad", "--workers", "1", "--json"
    )
    report = json.loads(done.stdout)
    assert (report["n_entities"], report["n_documents"], report["bad"]) == (3, 3, 1)
    records = [json.loads(line) for line in gzip.open(output, "rt", encoding="utf-8")]
    assert [record["id"] for record in records] == [each.title for each in THINGS]
    (bad,) = map(json.loads, (tmp_path / "entities.jsonl.gz.bad.jsonl").read_text().splitlines())
    assert bad["path"] == str(path) and "mismatched tag" in bad["reason"]
    assert not (tmp_path / "entities.jsonl.gz.parts").exists()
    deixis_inside("build", output, "-o", tmp_path / "model")
    assert "Paris" in deixis_inside("link", tmp_path / "model", mentions).stdout


@pytest.mark.parametrize(
    ("output", "code", "said"),
    [
        ("-", 2, "give a name"),
        ("list.json", 2, "written over"),
        ("no/folder.jsonl", 1, "no folder"),
    ],
)
def test_an_output_that_cannot_be_is_refused_before_the_work(output, code, said, deixis_inside, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    LISTS["wikidata"].file(THINGS, tmp_path)
    done = deixis_inside("kb", "import", "list.json", "-o", output, code=code)
    assert said in done.stderr and not list(tmp_path.glob("*.parts"))


def test_lists_that_are_no_dumps_are_refused(deixis_inside, tmp_path):
    path = LISTS["csv"].file(THINGS, tmp_path)
    done = deixis_inside("kb", "import", path, "-o", tmp_path / "a.jsonl", code=1)
    assert "Dumps of one format" in done.stderr
    missing = deixis_inside("kb", "import", tmp_path / "none.json", "-o", tmp_path / "a.jsonl", code=1)
    assert "no such file" in missing.stderr


def started(dump, output):
    command = [sys.executable, "-c", SMALL_SHARDS, "kb", "import", dump, "-o", output, "--workers", "2"]
    return start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def n_done(folder):
    return len(list(folder.glob("shard-?????")))


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT], ids=lambda sent: sent.name)
def test_a_stopped_import_goes_on_to_the_same_list(sent, dump, tmp_path, deixis_inside):
    whole, output = tmp_path / "whole.jsonl", tmp_path / "entities.jsonl"
    deixis_inside("kb", "import", dump, "-o", whole, "--workers", "1")
    for n_shards in (1, 4):
        process = started(dump, output)
        parts = tmp_path / "entities.jsonl.parts"
        wait_until(lambda: n_done(parts) >= n_shards or process.poll() is not None, "some shards")  # noqa: B023
        process.send_signal(sent)
        _, said = process.communicate(timeout=120)
        assert not output.exists()
        if sent == signal.SIGINT:
            assert process.returncode == 130 and "Interrupted" in said and "Traceback" not in said
    process = started(dump, output)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    assert "parts were done before" in said and output.read_bytes() == whole.read_bytes()
