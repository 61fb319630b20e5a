"""Runs in shards that are disturbed, on few documents; and that the comparison can tell."""

import os
import sys
import time

import pytest

from benchmarks.reliability.batch import ITSELF, WORKER, Series, has, seconds_after
from benchmarks.scale.runs import Measured, build, deixis, write_texts
from benchmarks.scale.workers import N_FEW, _cost
from tests.processes import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")

COPY = """
import sys, time
from pathlib import Path
for number in range(20):
    with Path(sys.argv[1], f"{number}.jsonl").open("w") as stream:
        for row in range(3):
            stream.write(f"{number} {row}\\n")
"""
ROWS = {f"{number}.jsonl": "".join(f"{number} {row}\n" for row in range(3)).encode() for number in range(20)}


def copying(folder):
    return [sys.executable, "-c", COPY, str(folder)]


def series(place, command, expected=ROWS):
    return Series(command, place, expected, time.monotonic() + PATIENCE)


def test_an_undisturbed_run_loses_nothing_and_other_rows_are_seen(tmp_path):
    (tmp_path / "links").mkdir()
    same = series(tmp_path, copying).kill(0, has(ITSELF), 1)
    assert (same.n_differ, same.n_lost, same.n_doubled) == (0, 0, 0)
    (tmp_path / "links").mkdir()
    other = series(tmp_path, copying, {**ROWS, "0.jsonl": b"0 0\n0 0\n", "20.jsonl": b"20 0\n"}).kill(0, has(ITSELF), 1)
    assert (other.n_differ, other.n_lost, other.n_doubled) == (2, 2, 2)


LATE_CHILD = [sys.executable, "-c", "import subprocess, time; time.sleep(0.6); subprocess.run(['sl' + 'eep', '0.4'])"]


@pytest.mark.parametrize(("ready", "n_kills"), [("sleep 0.4", 1), ("never there", 0)])
def test_nothing_is_killed_before_what_makes_it_ready_is_there(tmp_path, ready, n_kills):
    begin = time.monotonic()
    run = Series(lambda folder: LATE_CHILD, tmp_path, {}, begin + 0.1).kill(1, has(ITSELF), 0.0, ready)
    assert (run.n_kills, run.n_runs) == (n_kills, 1)
    assert time.monotonic() - begin > (1.5 if n_kills else 0.9)  # after a kill, the command is run to its end
    assert 0.3 < seconds_after("sleep 0.4", LATE_CHILD) < 0.9


def test_the_time_of_a_command_is_that_of_all_its_processes():
    spin = "import time\nwhile time.process_time() < 0.5: pass"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {spin!r}])"
    run = Measured.start([sys.executable, "-c", code]).finish()
    assert 0.4 < run.cpu < 5 and run.wall >= 0.4
    with pytest.raises(RuntimeError, match="ended with 3"):
        Measured.start([sys.executable, "-c", "raise SystemExit(3)"]).finish()
    assert _cost(3.0, 1.0, N_FEW + 1000) == 2000


@pytest.mark.slow
def test_killed_workers_and_a_killed_run_lose_nothing(tmp_path):
    model, texts = build(tmp_path / "model"), tmp_path / "texts"
    texts.mkdir()
    for number in range(3):
        write_texts(texts / f"{number}.jsonl", 100, seed=number)

    def linking(folder):
        return deixis("link", model, texts, "-o", folder, "--workers", 1, "-q")

    Measured.start(linking(tmp_path / "whole")).finish()
    expected = {path.name: path.read_bytes() for path in (tmp_path / "whole").glob("*.jsonl")}
    assert len(expected) == 3 and sum(each.count(b"\n") for each in expected.values()) == 300
    for victim in (WORKER, ITSELF):
        place = tmp_path / victim
        os.mkdir(place)
        run = series(place, linking, expected).kill(1, has(victim), 1.0)
        assert (run.n_kills, run.n_differ, run.n_lost, run.n_doubled) == (1, 0, 0, 0)
