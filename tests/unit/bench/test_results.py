import json

import pytest

from deixis.bench.results import LATEST, file_name, merge_rows, read_rows, record, write_rows
from deixis.evaluation.rows import ResultRow


def row(metric, value, date, system="deixis", suite="wordnet"):
    return {"suite": suite, "metric": metric, "system": system, "value": value, "unit": "s", "date": date}


def test_the_newest_row_of_a_measurement_wins_whatever_the_order():
    old, new = row("train_cpu", 9.0, "2026-01-01"), row("train_cpu", 7.0, "2026-02-01")
    assert merge_rows([old], [new]) == [new]
    assert merge_rows([new], [old]) == [new]


def test_of_two_rows_with_one_date_the_added_one_wins():
    old, new = row("train_cpu", 9.0, "2026-01-01"), row("train_cpu", 7.0, "2026-01-01")
    assert merge_rows([old], [new]) == [new]


def test_rows_of_other_suites_metrics_and_systems_are_kept_and_sorted():
    rows = [
        row("train_cpu", 1.0, "d", suite="wiki"),
        row("train_cpu", 2.0, "d", system="pecos"),
        row("disk", 3.0, "d"),
        row("train_cpu", 4.0, "d"),
    ]
    merged = merge_rows(rows[:2], rows[2:])
    assert [r["value"] for r in merged] == [1.0, 3.0, 4.0, 2.0]


def test_rows_survive_writing_and_reading_one_a_line(tmp_path):
    rows = [row("train_cpu", 1.5, "d"), row("größe", 2.0, "d")]
    write_rows(tmp_path / "r.json", rows)
    assert read_rows(tmp_path / "r.json") == rows
    assert len((tmp_path / "r.json").read_text(encoding="utf-8").splitlines()) == 4
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]


def test_a_missing_result_file_has_no_rows(tmp_path):
    assert read_rows(tmp_path / "none.json") == []


def test_a_result_file_is_named_after_date_commit_and_machine():
    name = file_name("2026-11-15T22:15:11+00:00", "abc1234+", "Some(R) CPU x2, Linux x86_64")
    assert name == "2026-11-15t22-15-abc1234+-some-r-cpu-x2-linux-x86-64.json"


def test_recording_writes_the_run_and_merges_the_latest(tmp_path):
    record([ResultRow("wordnet", "disk", "pecos", 39.5, "MB", date="2026-01-01")], tmp_path)
    path = record([ResultRow("wordnet", "disk", "deixis", 21.0, "MB", date="2026-01-02")], tmp_path)
    assert [r["system"] for r in json.loads(path.read_text(encoding="utf-8"))] == ["deixis"]
    assert [r["system"] for r in read_rows(tmp_path / LATEST)] == ["deixis", "pecos"]


def test_a_run_without_rows_is_refused(tmp_path):
    with pytest.raises(ValueError, match="nothing to record"):
        record([], tmp_path)
