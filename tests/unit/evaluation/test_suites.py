"""Names and rows of several datasets."""

import pytest

from deixis.evaluation.rows import ResultRow
from deixis.evaluation.suites import mean_rows, suite_names


def test_the_mean_is_only_of_what_every_dataset_has():
    rows = [ResultRow("a", "accuracy", "x", 0.4, "share"), ResultRow("b", "accuracy", "x", 0.8, "share")]
    rows += [ResultRow("a", "nil_f1", "x", 0.4, "share"), ResultRow("a", "mentions_per_second", "x", 9.0, "1/s")]
    assert [(row.metric, row.value) for row in mean_rows(rows, "mean", "x")] == [("accuracy", pytest.approx(0.6))]


def test_suites_are_named_after_model_and_data():
    assert suite_names("models/wiki", ["aida/testa.jsonl.gz"]) == ["wiki/aida-testa"]
    assert suite_names(["runs/mine.jsonl"], ["gold.jsonl"])[0].startswith("mine/")
    assert suite_names("m", ["a/x.jsonl", "b/x.jsonl"], "mine") == ["mine/a-x", "mine/b-x"]
    assert suite_names("m", ["a/x.jsonl", "a/x.conll"], "mine") == ["mine/a-x", "mine/a-x-2"]


def test_a_file_name_that_is_no_utf8_makes_a_suite_name_that_can_be_written():
    assert suite_names("m\udcff", ["a\udcff/x\udcff.jsonl"]) == ["m\ufffd/a\ufffd-x\ufffd"]
