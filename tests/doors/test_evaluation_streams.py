"""`deixis eval` reads as it goes: large files do not stay in memory, and Ctrl-C leaves nothing behind."""

import json
import os
import re
import signal

import pytest

from tests.doors.conftest import INTERRUPTED
from tests.processes import PATIENCE

posix_only = pytest.mark.skipif(os.name != "posix", reason="signals and peak memory as on Unix")


def write_corpus(folder, name, n_documents):
    """Documents of 20 kB with one mention each, and predictions of which every third is wrong."""
    text = "London calling. " * 1250
    with (
        open(folder / f"{name}-gold.jsonl", "w", encoding="utf-8") as gold,
        open(folder / f"{name}-guess.jsonl", "w", encoding="utf-8") as guess,
    ):
        for number in range(n_documents):
            mention = {"start": 0, "end": 6, "entity": "london"}
            document = {"id": str(number), "text": text, "mentions": [mention]}
            gold.write(json.dumps(document) + "\n")
            mention |= {"entity": "london" if number % 3 else "troy", "score": 0.5}
            guess.write(json.dumps(document) + "\n")
    return (folder / f"{name}-gold.jsonl").stat().st_size


@posix_only
@pytest.mark.slow
def test_a_large_file_is_scored_in_the_memory_of_a_small_one(deixis):
    peaks = {}
    for name, n_documents in (("small", 50), ("large", 2000)):
        size = write_corpus(deixis.folder, name, n_documents)
        arguments = ("eval", "--predictions", f"{name}-guess.jsonl", f"{name}-gold.jsonl", "--report", "report.html")
        done = deixis(*arguments)
        peaks[name] = int(re.search(r"peak memory (\d+) MB", done.stderr)[1])
        assert re.search(r"accuracy +0\.66", done.stdout)
    assert size > 40e6
    assert peaks["large"] - peaks["small"] < 40  # of 80 MB read


@posix_only
def test_an_interrupt_ends_with_its_code_and_leaves_nothing_behind(deixis, model):
    before = {file.name for file in deixis.folder.iterdir()}
    process = deixis.start("eval", model, "-", "--report", "report.html", "-o", "rows.jsonl")
    record = {"text": "London calling " * 10, "mentions": [{"start": 0, "end": 6, "entity": "london"}]}
    for number in range(10_000):  # more than pipe and buffers hold: when this is written, it is being read
        process.stdin.write((json.dumps({"id": str(number), **record}) + "\n").encode())
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode in INTERRUPTED, stderr.decode()
    assert "Interrupted" in stderr.decode() and "Traceback" not in stderr.decode()
    assert {file.name for file in deixis.folder.iterdir()} == before
