"""The picture of an evaluation of labels: what is found of rare labels and of frequent ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deixis.evaluation.statistics.metric import Metric
from deixis.reports.charts.bars import Bars, bar_chart
from deixis.reports.charts.scales import Axis
from deixis.reports.markup import Html

_FRACTION = Axis("share found", low=0.0, high=1.1, is_percent=True, ticks=(0.0, 0.2, 0.4, 0.6, 0.8, 1.0))


def decile_name(decile: int) -> str:
    """What a decile is called.

    Examples
    --------
    >>> [decile_name(decile) for decile in (0, 1, 5, 10)]
    ['unseen', '1 (rare)', '5', '10 (frequent)']
    """
    return {0: "unseen", 1: "1 (rare)", 10: "10 (frequent)"}.get(decile, str(decile))


def decile_chart(title: str, by_decile: Mapping[int, Sequence[Metric]], names: Sequence[str]) -> Html:
    """Bars of the metrics `names` for each decile of label frequency, with their intervals."""
    tables = [{metric.name: metric for metric in metrics} for metrics in by_decile.values()]
    series = [
        Bars(
            name,
            [table[name].value for table in tables],
            low=[table[name].interval.low for table in tables],
            high=[table[name].interval.high for table in tables],
        )
        for name in names
    ]
    x_label = "labels by frequency in training; each decile has a tenth of all occurrences"
    return bar_chart(title, [decile_name(decile) for decile in by_decile], series, _FRACTION, x_label=x_label)
