"""The results of an evaluation as rows: of each dataset, of all together, and of one run against another."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.evaluation.statistics.comparison import Comparison
from deixis.evaluation.statistics.metric import Metric


def dataset_rows(
    metrics: Sequence[Metric], speed: float | None, suite: str, system: str, settings: Mapping[str, Any]
) -> list[ResultRow]:
    """A row per metric, and the speed if something was linked."""
    rows = metric_rows(metrics, suite, system, settings)
    if speed is not None:
        rows.append(ResultRow(suite, "mentions_per_second", system, round(speed, 1), "1/s", settings=settings))
    return rows


def mean_rows(rows: Sequence[ResultRow], suite: str, system: str) -> list[ResultRow]:
    """The unweighted mean over datasets of every share that all of them have; `n` is the number of datasets.

    Examples
    --------
    >>> rows = [ResultRow(name, "accuracy", "x", value, "share") for name, value in (("a", 0.5), ("b", 1.0))]
    >>> [(row.suite, row.metric, row.value, row.n) for row in mean_rows(rows, "mean", "x")]
    [('mean', 'accuracy', 0.75, 2)]
    """
    suites = list(dict.fromkeys(row.suite for row in rows))
    values: dict[str, list[float]] = {}
    for row in rows:
        if row.unit == "share":
            values.setdefault(row.metric, []).append(row.value)
    settings = {"datasets": suites}
    return [
        ResultRow(suite, metric, system, round(sum(found) / len(found), 6), "share", n=len(found), settings=settings)
        for metric, found in values.items()
        if len(found) == len(suites)
    ]


def compared_rows(compared: Sequence[Comparison], suite: str, systems: tuple[str, str]) -> list[ResultRow]:
    """A row per figure: first minus other, with its interval; the p-value stands in the settings."""
    return [
        ResultRow(
            suite=suite,
            metric=f"{each.name}_difference",
            system="/".join(systems),
            value=round(each.difference.value, 6),
            unit="share",
            low=round(each.difference.low, 6),
            high=round(each.difference.high, 6),
            settings={"p_value": round(each.difference.p_value, 6)},
        )
        for each in compared
    ]


def write_rows(rows: Iterable[ResultRow], stream: TextIO) -> None:
    """The rows as JSON lines."""
    for row in rows:
        stream.write(json.dumps(row.to_dict(), ensure_ascii=False) + "\n")
