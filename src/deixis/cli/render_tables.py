"""Results for a person at a terminal: tables of metrics, of coverage and of calibration."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from deixis.cli.render import console_on
from deixis.decision.threshold_curve import ThresholdCurve
from deixis.evaluation.linking.risk_coverage import risk_coverage
from deixis.evaluation.linking.upper_bound import LanguageBound
from deixis.evaluation.rows import ResultRow
from deixis.evaluation.statistics.comparison import Comparison
from deixis.evaluation.statistics.metric import Metric
from deixis.reports.glossary import explained
from deixis.reports.reliability import held_out_bins, held_out_links


def table_of(title: str, columns: Iterable[tuple[str, str]]) -> Table:
    """An empty table of columns with a name and a side, `left` or `right`."""
    table = Table(title=Text(title, style="italic"), title_justify="left", box=None, padding=(0, 2, 0, 0))
    for name, justify in columns:
        table.add_column(Text(name), justify="right" if justify == "right" else "left")
    return table


def print_dataset(console: Console, title: str, rows: Iterable[ResultRow]) -> None:
    """A table with a line per metric."""
    table = table_of(title, (("metric", "left"), ("value", "right"), ("95 % interval", "left"), ("n", "right")))
    table.add_column("", style="dim", no_wrap=True, overflow="ellipsis")
    for row in rows:
        interval = "" if row.low is None else f"{row.low:.3f} - {row.high:.3f}"
        n = "" if row.n is None else f"{row.n:,}"
        table.add_row(row.metric, _value(row), interval, n, explained(row.metric))
    console.print(table)
    console.print()


def print_all(console: Console, rows: Sequence[ResultRow], means: Sequence[ResultRow], metrics: Sequence[str]) -> None:
    """A table with a line per dataset and, last, their mean."""
    n_suites = len({row.suite for row in rows})
    table = table_of("all datasets" if n_suites > 1 else "at a glance", (("", "left"),))
    for metric in metrics:
        table.add_column(Text(metric), justify="right", min_width=len(metric))
    cells = {(row.suite, row.metric): row for row in (*rows, *means)}
    suites = list(dict.fromkeys(row.suite for row in rows))
    for suite in dict.fromkeys((*suites, *(row.suite for row in means))):
        shown = [cells.get((suite, metric)) for metric in metrics]
        is_mean = suite not in suites
        label = Text("mean over datasets" if is_mean else suite.rpartition("/")[2], style="bold" if is_mean else "")
        table.add_row(label, *("" if row is None else _value(row) for row in shown))
    console.print(table)
    console.print()


def print_compared(console: Console, title: str, compared: Sequence[Comparison]) -> None:
    """A table with a line per figure: first run, other run, difference, p."""
    columns = ("metric", "left"), ("this", "right"), ("other", "right"), ("change", "right")
    table = table_of(title, (*columns, ("95 % interval", "left"), ("p", "right")))
    table.add_column("", style="dim", no_wrap=True, overflow="ellipsis")
    for each in compared:
        difference = each.difference
        table.add_row(
            each.name,
            f"{each.value_a:.3f}",
            f"{each.value_b:.3f}",
            f"{difference.value:+.3f}",
            f"{difference.low:+.3f} .. {difference.high:+.3f}",
            f"{difference.p_value:.3f}",
            each.verdict,
        )
    console.print(table)
    console.print()


def print_shares(title: str, what: str, metrics: tuple[Metric, ...]) -> None:
    """A table of shares with their intervals; nothing if there are none."""
    if not metrics:
        return
    table = table_of(title, ((what, "left"), ("", "right"), ("95 % interval", "left"), ("n", "right")))
    for metric in metrics:
        interval = f"{metric.interval.low:.3f} - {metric.interval.high:.3f}"
        table.add_row(metric.name, f"{metric.value:.3f}", interval, f"{metric.n:,}")
    console_on(sys.stdout).print(table)


def shares(metrics: tuple[Metric, ...]) -> dict[str, dict[str, float]]:
    """The shares as JSON holds them."""
    return {
        each.name: {"value": each.value, "low": each.interval.low, "high": each.interval.high, "n": each.n}
        for each in metrics
    }


def print_coverage(console: Console, suite: str, bounds: list[LanguageBound]) -> None:
    """A table with a line per language, and what is missing most."""
    columns = ("language", "mentions", "in KB", "in its language", "entities", "in KB", "in its language")
    table = table_of(suite, [(name, "right" if number else "left") for number, name in enumerate(columns)])
    for bound in bounds:
        in_language = None if bound.mentions_in_language is None else bound.mentions_in_language.value
        table.add_row(
            "all" if bound.lang is None else bound.lang or "unknown",
            f"{bound.mentions.n:,}",
            _percent(bound.mentions.value),
            _percent(in_language),
            f"{bound.n_entities:,}",
            _percent(bound.entities),
            _percent(bound.entities_in_language),
        )
    console.print(table)
    if bounds[-1].missing:
        missing = ", ".join(f"{name} ({n:,})" for name, n in bounds[-1].missing)
        console.print(f"Missing, by mentions: {missing}", markup=False, highlight=False)
    console.print()


def print_calibration(
    console: Console, before: ThresholdCurve, after: ThresholdCurve, precisions: Sequence[float]
) -> None:
    """Two tables: the figures of both, and the bins of the calibrated scores."""
    table = table_of("calibration", (("metric", "left"), ("before", "right"), ("after", "right")))
    sides = [held_out_links(held_out) for held_out in (before, after)]
    figures = [{metric.name: metric.value for metric in side.metrics(n_draws=1)} for side in sides]
    for name in figures[0]:
        table.add_row(name, *(f"{side[name]:.3f}" for side in figures))
    for precision in precisions:
        # Coverage counts all mentions, those without candidates too.
        curves = [(risk_coverage(side.scores, side.is_right), len(side.scores) / max(1, len(before))) for side in sides]
        coverages = [curve.best_within(round(1 - precision, 6)).coverage * share for curve, share in curves]
        table.add_row(f"coverage at precision {precision:g}", *(f"{share:.3f}" for share in coverages))
    console.print(table)
    console.print()
    table = table_of(
        "reliability after", (("score", "left"), ("mentions", "right"), ("said", "right"), ("right", "right"))
    )
    for bin_ in held_out_bins(after):
        row = f"{bin_.low:.1f} - {bin_.high:.1f}", f"{bin_.n:,}", f"{bin_.confidence:.3f}", f"{bin_.accuracy:.3f}"
        table.add_row(*row)
    console.print(table)


def _value(row: ResultRow) -> str:
    return f"{row.value:.3f}" if row.unit == "share" else f"{row.value:,.0f}/s"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"
