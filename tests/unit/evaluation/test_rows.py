"""Result rows of one shape."""

from deixis.evaluation.rows import ResultRow, metric_rows
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
