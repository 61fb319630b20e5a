"""`deixis link --workers`: several processes, and whatever stops them."""

import json
import os
import random
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest

from deixis.batch.ledger import LEDGER, OWN
from tests.doors.conftest import INTERRUPTED
from tests.processes import PATIENCE, start, wait_until

N_FILES, N_DOCUMENTS = 8, 400
SENTENCES = ("To save Troy, Paris had to go.", "London calling", "The capital on the Thames is the Smoke.", "Berlin")


@pytest.fixture
def texts(deixis) -> Path:
    """A folder of files, with one bad document."""
    draw = random.Random(0)
    folder = deixis.folder / "texts"
    folder.mkdir()
    for number in range(N_FILES):
        texts = [" ".join(draw.choices(SENTENCES, k=2)) for _ in range(N_DOCUMENTS)]
        lines = [json.dumps({"id": f"{number}-{n}", "text": text}) for n, text in enumerate(texts)]
        if number == 5:
            lines[321] = "{oops"
        (folder / f"part-{number}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


def outputs(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.jsonl"))}


def children(pid):
    """The processes that one has started."""
    done = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(each) for each in done.stdout.split()]


def partials(folder):
    own = folder / OWN / "partial"
    return {path.name for path in own.iterdir()} if own.is_dir() else set()


@pytest.mark.slow
def test_killed_workers_a_killed_run_and_control_c_change_no_byte(deixis, model, texts):
    deixis("link", model, texts, "-o", "whole", "--workers", 1, "-q")
    expected = outputs(deixis.folder / "whole")
    assert len(expected) == N_FILES
    assert sum(each.count(b"\n") for each in expected.values()) == N_FILES * N_DOCUMENTS - 1
    links = deixis.folder / "links"
    for stop in (signal.SIGKILL, signal.SIGINT):
        n_before, left = len(outputs(links)), partials(links)
        process = start(
            deixis.command("link", model, texts, "-o", links, "--workers", 2),
            cwd=deixis.folder, env=deixis.environment, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        wait_until(lambda old=left: bool(partials(links) - old), "a shard being linked")
        os.kill(children(process.pid)[0], signal.SIGKILL)  # another worker does its shard
        wait_until(lambda n=n_before: len(outputs(links)) > n, "a shard linked")
        process.send_signal(stop)
        said = process.communicate(timeout=PATIENCE)[1]
        if stop == signal.SIGINT and process.returncode != 0:  # it was not done before the signal came
            assert process.returncode in INTERRUPTED
            assert "the same command goes on from there" in said
            assert not (links / OWN / "partial").exists()
    done = deixis("link", model, texts, "-o", links, "--workers", 2)
    assert outputs(links) == expected
    assert "3,199 documents in 8 shards" in done.stderr and "linked before" in done.stderr
    (bad,) = [json.loads(line) for line in (links / OWN / "bad.jsonl").read_text(encoding="utf-8").splitlines()]
    assert (bad["file"], bad["line"]) == (str(texts / "part-5.jsonl"), 322) and "Left out: 1 documents" in done.stderr


def test_a_full_disk_is_named_and_leaves_what_is_whole(deixis, model, texts):
    def no_file_grows():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))

    command = deixis.command("link", model, texts, "-o", "links", "--workers", 1)
    done = subprocess.run(
        command, cwd=deixis.folder, env=deixis.environment, preexec_fn=no_file_grows, capture_output=True, text=True,
        timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "cannot be written: File too large; make room, and run the same again" in done.stderr
    assert [path.name for path in (deixis.folder / "links").iterdir()] == [OWN]
    assert [path.name for path in (deixis.folder / "links" / OWN).iterdir()] == [LEDGER]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("gold.jsonl", "--workers", "2"), 2, "--workers links FILES into a folder"),
        (("-o", "links", "--workers", "2"), 2, "--workers links FILES into a folder"),
        (("gold.jsonl", "-o", "links", "--workers", "2", "--pretty"), 2, "no --pretty"),
        (("gold.jsonl", "-o", "links", "--workers", "0"), 2, "--workers"),
        (("gold.jsonl", "-o", "links", "--workers", "2", "--to", "nif"), 1, "write one of native, csv, tsv, parquet"),
        (("gold.jsonl", "-o", "links", "--workers", "2", "--rerank"), 1, "deixis fit reranker"),
        (("none.jsonl", "-o", "links", "--workers", "2"), 1, "none.jsonl: no such file"),
        (("gold.jsonl", "-o", "gold.jsonl", "--workers", "2"), 1, "is a file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_workers_cannot_do_is_said_before_they_start(deixis_inside, model, arguments, code, words):
    begin = time.monotonic()
    assert words in deixis_inside("link", model, *arguments, code=code).stderr
    assert not (deixis_inside.folder / "links").exists() and time.monotonic() - begin < PATIENCE
