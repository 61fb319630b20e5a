"""Result rows of one shape."""

import pytest

from deixis.evaluation.rows import ResultRow, metric_rows, tree_commit
from deixis.evaluation.statistics.bootstrap import Interval
from deixis.evaluation.statistics.metric import Metric


def test_rows_have_the_shape_that_tables_read():
    metric = Metric("recall@10", 0.5, Interval(0.25, 0.75), n=4)
    row = metric_rows([metric], "kb/set", "deixis", {"beam": 10})[0].to_dict()
    assert list(row) == [
        *("suite", "metric", "system", "value", "unit", "low", "high", "n", "settings", "commit", "machine", "date"),
    ]
    assert (row["suite"], row["metric"], row["value"], row["n"]) == ("kb/set", "recall@10", 0.5, 4)
    assert row["settings"] == {"beam": 10}
    assert (row["low"], row["high"]) == (0.25, 0.75)


def test_a_ratio_row_leaves_out_what_was_not_measured():
    row = ResultRow("wordnet", "train_cpu_ratio", "deixis/pecos", 12.4, "x").to_dict()
    assert "low" not in row
    assert "n" not in row


@pytest.mark.parametrize(
    ("path", "is_marked"),
    [
        ("src/deixis/code.py", True),
        ("notes.md", True),
        ("src/deixis/new.py", True),
        ("benchmarks/new.py", True),
        ("new.md", False),
        ("benchmarks/results/old.json", False),
        ("benchmarks/results/wordnet/dev.json", False),
    ],
)
def test_a_plus_marks_edited_files_and_new_code_but_not_results(repository, path, is_marked):
    clean = tree_commit(repository)
    assert clean
    assert not clean.endswith("+")
    (repository / path).parent.mkdir(parents=True, exist_ok=True)
    (repository / path).write_text("other\n")
    assert tree_commit(repository) == clean + ("+" if is_marked else "")


def test_a_folder_that_is_no_repository_has_no_commit(tmp_path):
    assert tree_commit(tmp_path) == ""
