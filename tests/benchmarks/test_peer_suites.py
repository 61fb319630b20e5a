"""Suites of peers: jobs that end in time, peers that cannot be installed, medians and ratios."""

import sys
import time
from pathlib import Path

import pytest

from benchmarks.speed import __main__ as all_suites
from benchmarks.speed import peer_suite, systems
from benchmarks.speed.peer_suite import PeerSuite, System, rows_of
from benchmarks.speed.systems import run_job
from benchmarks.suites.data import DataFolder

ENDLESS = "import sys\nwhile True: pass\n"
CLOCK = """
import json, sys, time
seen = {time.process_time_ns() for _ in range(20000)}
json.dump({"n_readings": len(seen)}, open(sys.argv[2], "w"))
"""


@pytest.fixture
def runners(tmp_path, monkeypatch):
    monkeypatch.setattr(systems, "RUNNERS", tmp_path)
    monkeypatch.setattr(systems, "LOOK_SECONDS", 0.05)
    (tmp_path / "run_endless.py").write_text(ENDLESS)
    (tmp_path / "run_clock.py").write_text(CLOCK)
    return tmp_path


def test_a_job_that_needs_too_much_is_given_up(runners):
    begin = time.monotonic()
    with pytest.raises(SystemExit, match="endless was given up at fit: more than 0.2 CPU seconds"):
        run_job("endless", Path(sys.executable), runners / "work", 1, {"action": "fit", "max_cpu": 0.2})
    assert time.monotonic() - begin < 30


def test_the_clock_of_a_job_with_a_limit_is_as_fine_as_without(runners):
    report = run_job("clock", Path(sys.executable), runners / "work", 1, {"action": "fit", "max_cpu": 60})
    assert report["n_readings"] > 10_000  # with RLIMIT_CPU it would advance a few times only


def suite_in(folder):
    return PeerSuite("toy/suite", folder, DataFolder(folder), {"n_texts": 3})


def test_a_peer_that_cannot_be_installed_is_left_out_and_said_so_once(tmp_path, monkeypatch, capsys):
    def nowhere(name):
        raise SystemExit(f"Cannot install {name}")

    monkeypatch.setattr(peer_suite, "peer_python", nowhere)
    monkeypatch.setattr(peer_suite, "run_job", lambda runner, python, work, n_threads, job: job)
    suite = suite_in(tmp_path)
    suite_systems = {"deixis": System("own", None, "link", {"k": 3}), "peer": System("toy", "toy", "link")}
    for _ in range(2):
        reports = list(suite.reports({**suite_systems, "same": suite_systems["peer"]}, {"names": "here"}))
        assert reports == [("deixis", {"action": "link", "k": 3, "names": "here"})]
    assert capsys.readouterr().err.count("left out: Cannot install toy") == 1


def test_rows_have_medians_extremes_and_ratios_of_each_repeat(tmp_path):
    repeats = [
        {"deixis": {"speed": ours}, "peer": {"speed": theirs}}
        for ours, theirs in ((10.0, 5.0), (30.0, 6.0), (8.0, 8.0))
    ]
    rows = {(row.system, row.metric): row for row in rows_of(suite_in(tmp_path), repeats, {"speed": "1/s"}, "speed")}
    ours, ratio = rows["deixis", "speed"], rows["deixis/peer", "speed_ratio"]
    assert (ours.value, ours.low, ours.high, ours.n) == (10.0, 8.0, 30.0, 3)
    assert (ratio.value, ratio.low, ratio.high) == (2.0, 1.0, 5.0)


def test_one_command_runs_every_suite(monkeypatch):
    done = []
    for name in list(all_suites.SUITES):
        monkeypatch.setitem(all_suites.SUITES, name, lambda options, name=name: done.append((name, options)) or 0)
    assert all_suites.main(["--repeats", "5"]) == 0
    assert [name for name, _ in done] == ["raw-text", "find-names", "candidates", "tree", "documents"]
    assert all(options.repeats == 5 for _, options in done)


def test_a_peer_that_is_left_out_is_asked_for_nowhere(monkeypatch):
    calls = []
    for module in ("bench_xmr", "bench_find_names", "bench_candidates", "peers"):
        monkeypatch.setattr(getattr(all_suites, module), "main", lambda arguments: calls.append(arguments) or 0)
    suites = [word for name in ("tree", "documents", "candidates") for word in ("--suite", name)]
    assert all_suites.main([*suites, "--leave-out", "omikuji", "--dry-run"]) == 0
    of_tree, of_documents, of_candidates = calls
    assert of_tree == ["--system", "deixis", "--system", "pecos", "--repeats", "3", "--dry-run"]
    assert "omikuji" not in of_documents and of_documents[-1] == "--dry"
    assert of_candidates[:2] == ["--leave-out", "omikuji"]
