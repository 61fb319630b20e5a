"""Versions of the service beside each other: each text is asked about once, and the work is the workers'."""

import sys
from pathlib import Path

from benchmarks.service.asking import post
from benchmarks.service.versions import PASSES, passes, rows_of
from deixis.kb.demo import read_demo
from deixis.linker import Linker


def test_a_service_is_started_and_its_workers_processor_time_measured(tmp_path):
    Linker.build(read_demo(), n_threads=1).save(tmp_path / "model")
    requests = [post("/link", {"text": f"Paris had to be sacrificed, said number {number}."}) for number in range(30)]
    seconds = passes(Path(sys.executable), tmp_path / "model", requests)
    assert len(seconds) == len(PASSES)
    assert 0 < seconds[0] < 30


def test_ratios_compare_the_rounds_of_both_versions():
    runs = {"deixis": [[1.0, 0.5], [2.0, 1.0]], "deixis-d97a1d1": [[4.0, 4.0], [4.0, 4.0]]}
    rows = {(row.system, row.metric): row for row in rows_of("suite", runs, n_texts=100)}
    assert rows["deixis", "second-pass"].value == round(100 / 0.75, 1)
    first = rows["deixis/deixis-d97a1d1", "first-pass"]
    assert (first.value, first.low, first.high, first.unit) == (3.0, 2.0, 4.0, "x")
