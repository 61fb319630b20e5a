"""Numbers that can be checked by hand, and intervals that must hold them."""

import numpy as np

from deixis.evaluation.bootstrap import share_interval
from deixis.evaluation.disambiguation import disambiguation_metrics
from deixis.evaluation.outcomes import MentionOutcome
from deixis.evaluation.rows import ResultRow, metric_rows


def outcome(document, rank, *, in_kb=True, nil=False):
    return MentionOutcome(document, in_kb, nil, rank, rank == 1)


OUTCOMES = [
    outcome(0, 1),
    outcome(0, 3),
    outcome(1, 12),
    outcome(2, None),
    outcome(2, None, in_kb=False),
    outcome(3, None, in_kb=False, nil=True),
]


def test_recall_counts_in_kb_mentions_found_within_k():
    values = {metric.name: metric.value for metric in disambiguation_metrics(OUTCOMES, at=[1, 5, 10, 20])}
    assert values == {
        "recall@1": 0.25,
        "recall@5": 0.5,
        "recall@10": 0.5,
        "recall@20": 0.75,
        "accuracy": 0.25,
        "upper_bound": 0.8,
    }


def test_nil_gold_is_outside_every_share():
    counts = {metric.name: metric.n for metric in disambiguation_metrics(OUTCOMES)}
    assert counts["recall@1"] == 4
    assert counts["upper_bound"] == 5


def test_no_gold_at_all_gives_zeros_and_not_an_error():
    assert [(m.value, m.n) for m in disambiguation_metrics([], at=[1])] == [(0.0, 0)] * 3


def test_the_interval_holds_the_share_and_narrows_with_more_documents():
    hits = np.array([1, 2, 0, 1, 3])
    totals = np.array([2, 2, 1, 3, 4])
    few = share_interval(hits, totals)
    many = share_interval(np.tile(hits, 40), np.tile(totals, 40))
    assert few.low < 7 / 12 < few.high
    assert many.low < 7 / 12 < many.high
    assert many.high - many.low < (few.high - few.low) / 3


def test_mentions_of_one_document_are_drawn_together():
    """Twenty mentions in two documents say less than twenty mentions in twenty documents."""
    together = share_interval([10, 0], [10, 10])
    apart = share_interval([1] * 10 + [0] * 10, [1] * 20)
    assert (together.low, together.high) == (0.0, 1.0)
    assert apart.low > 0.2


def test_the_interval_is_near_the_textbook_one():
    """For one mention a document it must agree with the normal approximation of a proportion."""
    hits = np.arange(2000) % 10 < 3
    found = share_interval(hits, np.ones(2000))
    margin = 1.96 * np.sqrt(0.3 * 0.7 / 2000)
    assert abs(found.low - (0.3 - margin)) < 0.003
    assert abs(found.high - (0.3 + margin)) < 0.003


def test_the_same_seed_gives_the_same_interval():
    assert share_interval([1, 0, 2], [2, 1, 2], seed=3) == share_interval([1, 0, 2], [2, 1, 2], seed=3)


def test_rows_have_the_shape_that_tables_read():
    row = metric_rows(disambiguation_metrics(OUTCOMES, at=[10]), "kb/set", "deixis", {"beam": 10})[0].to_dict()
    assert list(row) == [
        *("suite", "metric", "system", "value", "unit", "low", "high", "n", "settings", "commit", "machine", "date"),
    ]
    assert (row["suite"], row["metric"], row["value"], row["n"]) == ("kb/set", "recall@10", 0.5, 4)
    assert row["settings"] == {"beam": 10}
    assert row["low"] <= row["value"] <= row["high"]


def test_a_ratio_row_leaves_out_what_was_not_measured():
    row = ResultRow("wordnet", "train_cpu_ratio", "deixis/pecos", 12.4, "x").to_dict()
    assert "low" not in row
    assert "n" not in row
