from deixis.evaluation.statistics.bootstrap import Interval
from deixis.evaluation.statistics.metric import Metric
from deixis.reports.label_figures import decile_chart


def test_each_decile_has_a_bar_for_each_metric_with_its_interval():
    by_decile = {
        decile: [Metric(f"recall@{k}", value / k, Interval(0.1, 0.9), 5) for k in (1, 5)]
        for decile, value in ((0, 0.0), (1, 0.25), (10, 0.75))
    }
    picture = decile_chart("Found of rare labels", by_decile, ["recall@1", "recall@5"])
    assert picture.startswith("<svg") and "Found of rare labels" in picture
    assert "recall@1, 1 (rare): 25.0%, 10.0% to 90.0%" in picture
    assert "recall@5, 10 (frequent): 15.0%" in picture and "unseen" in picture
