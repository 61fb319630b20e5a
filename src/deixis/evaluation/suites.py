"""Several datasets in one evaluation: their names, their rows, and the mean over them."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from deixis.evaluation.linking.headlines import RAW
from deixis.evaluation.rows import ResultRow
from deixis.evaluation.run import Evaluation
from deixis.evaluation.statistics.comparison import Comparison

STDIN = "-"
MEAN = "mean"


@dataclass(frozen=True, eq=False)
class SuiteResult:
    """One dataset: the evaluation of a system, and that of another one if two are compared.

    `raw` is the same system shown the text only; its rows have the same names with `raw_` before them.
    """

    suite: str
    data: str
    run: Evaluation
    other: Evaluation | None = None
    compared: Sequence[Comparison] = ()
    raw: Evaluation | None = None

    def rows(self, system: str, other_system: str = "") -> list[ResultRow]:
        """The rows of the system, of the other one and of their differences."""
        rows = self.own_rows(system)
        if self.other is not None:
            rows += self.other.rows(self.suite, other_system)
            rows += compared_rows(self.compared, self.suite, (system, other_system))
        return rows

    def own_rows(self, system: str) -> list[ResultRow]:
        """The rows of the system, with given mentions and on raw text."""
        raw = [] if self.raw is None else self.raw.rows(self.suite, system)
        return [*self.run.rows(self.suite, system), *(replace(row, metric=f"{RAW}{row.metric}") for row in raw)]


def suite_names(system: str | Sequence[str], data: Sequence[str], suite: str | None = None) -> list[str]:
    """The name of the rows of each dataset, no two of them the same: `suite`, or named after system and data.

    Examples
    --------
    >>> suite_names("models/wiki468k/", ["aida/testa.jsonl.gz", "aida/testb.jsonl.gz"])
    ['wiki468k/aida-testa', 'wiki468k/aida-testb']
    >>> suite_names("models/wiki468k/", ["aida/testa.jsonl"], "mine")
    ['mine']
    """
    if suite is not None:
        return [suite] if len(data) == 1 else numbered(f"{suite}/{data_name(each)}" for each in data)
    systems = [system] * len(data) if isinstance(system, str) else system
    return numbered(f"{_system_name(one)}/{data_name(each)}" for one, each in zip(systems, data, strict=True))


def shared_suite(suites: Iterable[str], last: str) -> str:
    """The name of rows about all suites together, after the part that their names share.

    Examples
    --------
    >>> shared_suite(["wiki/testa", "wiki/testb"], "mean"), shared_suite(["a/x", "b/x"], "mean")
    ('wiki/mean', 'mean')
    """
    heads = {suite.rpartition("/")[0] for suite in suites}
    head = heads.pop() if len(heads) == 1 else ""
    return f"{head}/{last}" if head else last


def mean_rows(rows: Sequence[ResultRow], suite: str, system: str) -> list[ResultRow]:
    """The unweighted mean over datasets of every share that all of them have; `n` is the number of datasets.

    Examples
    --------
    >>> rows = [ResultRow(name, "accuracy", "x", value, "share") for name, value in (("a", 0.5), ("b", 1.0))]
    >>> [(row.suite, row.metric, row.value, row.n) for row in mean_rows(rows, "mean", "x")]
    [('mean', 'accuracy', 0.75, 2)]
    """
    suites = list(dict.fromkeys(row.suite for row in rows))
    metric_to_values: dict[str, list[float]] = {}
    for row in rows:
        if row.unit == "share":
            metric_to_values.setdefault(row.metric, []).append(row.value)
    settings = {"datasets": suites}
    return [
        ResultRow(suite, metric, system, round(sum(values) / len(values), 6), "share", n=len(values), settings=settings)
        for metric, values in metric_to_values.items()
        if len(values) == len(suites)
    ]


def compared_rows(compared: Sequence[Comparison], suite: str, systems: tuple[str, str]) -> list[ResultRow]:
    """A row per metric: first minus other, with its interval; the p-value stands in the settings."""
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
    """The rows as JSON lines, written at once."""
    stream.write(as_lines(rows))
    stream.flush()


def as_lines(rows: Iterable[ResultRow]) -> str:
    """The rows as JSON lines."""
    return "".join(json.dumps(row.to_dict(), ensure_ascii=False) + "\n" for row in rows)


def name_of(path: str) -> str:
    """A short name for a model or a file.

    Examples
    --------
    >>> name_of("models/wiki468k/"), name_of("runs/mine.jsonl.gz"), name_of("-")
    ('wiki468k', 'mine', 'stdin')
    """
    return "stdin" if path == STDIN else _last_word(Path(path)).split(".")[0]


def data_name(path: str) -> str:
    """A name for a file of gold, with that of its folder: many folders have a `test.jsonl`."""
    return "stdin" if path == STDIN else f"{_last_word(Path(path).absolute().parent)}-{name_of(path)}"


def numbered(names: Iterable[str]) -> list[str]:
    """The names, with a number behind one that came before.

    Examples
    --------
    >>> numbered(["news", "web", "news"])
    ['news', 'web', 'news-2']
    """
    taken: dict[str, None] = {}
    for name in names:
        tries = itertools.chain([name], (f"{name}-{number}" for number in itertools.count(2)))
        taken[next(each for each in tries if each not in taken)] = None
    return list(taken)


def _system_name(path: str) -> str:
    return _last_word(Path(path)) if os.path.isdir(path) else name_of(path)


def _last_word(path: Path) -> str:
    """The last part of a path, as text that can be written: bytes that are no UTF-8 become U+FFFD."""
    return os.fsencode(path.absolute().name).decode("utf-8", "replace")
