import json

import pytest

from benchmarks.suites.results import merge_rows, read_results, read_rows, record, suite_file, write_rows
from deixis.errors import DataError
from deixis.evaluation.rows import ResultRow, tree_commit


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


def result(suite="wordnet", metric="disk", system="deixis", value=1.0, commit="abc1234", date="2026-01-01"):
    return ResultRow(suite, metric, system, value, "MB", commit=commit, date=date)


@pytest.mark.parametrize("dates", [("2026-01-01", "2026-01-02"), ("2026-01-02", "2026-01-01")], ids=["up", "down"])
def test_the_newest_row_of_a_suite_is_kept_whichever_is_recorded_last(tmp_path, dates):
    for date in dates:
        record([result(value=float(date[-1]), date=date)], tmp_path)
    assert [row["value"] for row in read_rows(tmp_path / "wordnet.json")] == [2.0]


def test_rows_stand_by_metric_and_system_one_a_line_in_whatever_order_they_came(tmp_path):
    rows = [result(metric=metric, system=system) for metric in ("disk", "rss") for system in ("deixis", "pecos")]
    record(rows[::-1], tmp_path / "at once")
    for row in (rows[2], rows[0], rows[3], rows[1]):
        record([row], tmp_path / "one by one")
    text = (tmp_path / "at once" / "wordnet.json").read_text(encoding="utf-8")
    assert (tmp_path / "one by one" / "wordnet.json").read_text(encoding="utf-8") == text
    lines = [json.loads(line.rstrip(",")) for line in text.splitlines()[1:-1]]
    assert lines == [row.to_dict() for row in rows]


def test_recording_a_figure_again_changes_one_line(tmp_path):
    record([result(system=system) for system in ("deixis", "omikuji", "pecos")], tmp_path)
    before = (tmp_path / "wordnet.json").read_text(encoding="utf-8").splitlines()
    record([result(system="omikuji", value=2.0)], tmp_path)
    after = (tmp_path / "wordnet.json").read_text(encoding="utf-8").splitlines()
    assert [old == new for old, new in zip(before, after, strict=True)] == [True, True, False, True, True]


def test_suites_have_files_of_their_own_and_leave_each_other_alone(tmp_path):
    assert record([result("wordnet"), result("wordnet/dev")], tmp_path) == [
        tmp_path / "wordnet.json",
        tmp_path / "wordnet" / "dev.json",
    ]
    before = (tmp_path / "wordnet.json").stat()
    assert record([result("wordnet/dev", value=2.0)], tmp_path) == [tmp_path / "wordnet" / "dev.json"]
    after = (tmp_path / "wordnet.json").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert [(row["suite"], row["value"]) for row in read_results(tmp_path)] == [("wordnet", 1.0), ("wordnet/dev", 2.0)]


def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    record([result()], tmp_path)
    before = (tmp_path / "wordnet.json").read_text(encoding="utf-8")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        record([result(value=2.0)], tmp_path)
    assert (tmp_path / "wordnet.json").read_text(encoding="utf-8") == before


@pytest.mark.parametrize("suite", ["", "../out", "/out", "a//b", "a/.b", "a b"])
def test_a_suite_whose_name_is_no_file_name_is_refused(tmp_path, suite):
    with pytest.raises(DataError, match="cannot be named"):
        suite_file(tmp_path, suite)


def test_results_of_uncommitted_code_are_refused_and_nothing_is_written(repository):
    folder = repository / "benchmarks" / "results"
    record([result(commit=tree_commit(repository))], folder)
    before = (folder / "wordnet.json").read_text(encoding="utf-8")
    (repository / "src" / "deixis" / "code.py").write_text("edited = True\n")
    rows = [result("demo"), result(value=2.0, commit=tree_commit(repository))]
    with pytest.raises(DataError, match=r"uncommitted changes \(it is at [0-9a-f]+\+\).*commit first"):
        record(rows, folder)
    assert sorted(path.name for path in folder.iterdir()) == ["old.json", "wordnet.json"]
    assert (folder / "wordnet.json").read_text(encoding="utf-8") == before


def test_a_repository_takes_no_results_without_a_commit_but_another_folder_takes_all(repository, tmp_path):
    with pytest.raises(DataError, match="is not a git repository"):
        record([result(commit="")], repository / "benchmarks" / "results")
    for commit in ("", "abc1234+"):
        assert record([result(commit=commit)], tmp_path / "own") == [tmp_path / "own" / "wordnet.json"]


def test_results_recorded_one_after_another_need_no_commit_between(repository):
    for system in ("deixis", "pecos"):
        record([result(system=system, commit=tree_commit(repository))], repository / "benchmarks" / "results")
    assert len(read_results(repository / "benchmarks" / "results")) == 2


def test_a_run_without_rows_is_refused(tmp_path):
    with pytest.raises(ValueError, match="nothing to record"):
        record([], tmp_path)
