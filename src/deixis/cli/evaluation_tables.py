"""The results of an evaluation for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from deixis.evaluation.rows import ResultRow
from deixis.evaluation.statistics.comparison import Comparison
from deixis.reports.glossary import explained


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
    table = table_of("all datasets", (("", "left"), *((name, "right") for name in metrics)))
    by_place = {(row.suite, row.metric): row for row in (*rows, *means)}
    suites = list(dict.fromkeys(row.suite for row in rows))
    for suite in dict.fromkeys((*suites, *(row.suite for row in means))):
        shown = [by_place.get((suite, metric)) for metric in metrics]
        is_mean = suite not in suites
        name = Text("mean over datasets" if is_mean else suite.rpartition("/")[2], style="bold" if is_mean else "")
        table.add_row(name, *("" if row is None else _value(row) for row in shown))
    console.print(table)
    console.print()


def print_compared(console: Console, title: str, compared: Sequence[Comparison]) -> None:
    """A table with a line per figure: first run, other run, difference, p."""
    columns = ("metric", "left"), ("this", "right"), ("other", "right"), ("change", "right")
    table = table_of(title, (*columns, ("95 % interval", "left"), ("p", "right")))
    table.add_column("", style="dim", no_wrap=True, overflow="ellipsis")
    for each in compared:
        found = each.difference
        table.add_row(
            each.name,
            f"{each.value_a:.3f}",
            f"{each.value_b:.3f}",
            f"{found.value:+.3f}",
            f"{found.low:+.3f} .. {found.high:+.3f}",
            f"{found.p_value:.3f}",
            each.verdict,
        )
    console.print(table)
    console.print()


def table_of(title: str, columns: Iterable[tuple[str, str]]) -> Table:
    """An empty table of columns with a name and a side, `left` or `right`."""
    table = Table(title=Text(title, style="italic"), title_justify="left", box=None, padding=(0, 2, 0, 0))
    for name, justify in columns:
        table.add_column(Text(name), justify="right" if justify == "right" else "left")
    return table


def _value(row: ResultRow) -> str:
    return f"{row.value:.3f}" if row.unit == "share" else f"{row.value:,.0f}/s"
