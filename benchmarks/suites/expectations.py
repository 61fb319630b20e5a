"""Figures that came out against those that were expected, and writing new expectations into a suite's file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.suites.suite import Suite
from deixis.evaluation.rows import ResultRow

_OPENING = "\n# Written by: deixis bench {name} --update\nexpected:\n"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One figure that the suite has an expectation of."""

    row: ResultRow
    expected: float
    tolerance: float

    @property
    def state(self) -> Literal["ok", "worse", "better"]:
        """`ok` within the tolerance.

        Examples
        --------
        >>> row = ResultRow("demo/dev", "recall@1", "exact", 0.52, "share")
        >>> Verdict(row, 0.5, 0.01).state, Verdict(row, 0.55, 0.01).state, Verdict(row, 0.51, 0.01).state
        ('better', 'worse', 'ok')
        """
        difference = self.row.value - self.expected
        if abs(difference) <= self.tolerance + 1e-9:
            return "ok"
        return "better" if difference > 0 else "worse"

    def __str__(self) -> str:
        row = self.row
        return (
            f"{row.suite} {row.system} {row.metric}: {row.value:.4f}, expected {self.expected:.4f} "
            f"± {self.tolerance:g}: {self.state}"
        )


def judge(suite: Suite, rows: Iterable[ResultRow]) -> list[Verdict]:
    """A verdict on every row of which the suite expects something."""
    verdicts = []
    for row in rows:
        expected = suite.expected_of(row.suite.rpartition("/")[2], row.system, row.metric)
        if expected is not None:
            verdicts.append(Verdict(row, expected.value, expected.tolerance))
    return verdicts


def update_expected(path: Path, suite: Suite, rows: Sequence[ResultRow]) -> None:
    """Write the rows' recalls into the suite's file as what to expect, next to expectations of other parts.

    `expected` must be the last setting of the file; all before it stays as it is, comments too.
    """
    figures: dict[str, dict[str, dict[str, float]]] = {}
    for one in suite.expected:
        figures.setdefault(one.part, {}).setdefault(one.system, {})[one.metric] = one.value
    for row in rows:
        if row.system in suite.all_systems and row.metric in suite.metrics:
            part = row.suite.rpartition("/")[2]
            figures.setdefault(part, {}).setdefault(row.system, {})[row.metric] = round(row.value, 4)
    head = path.read_text(encoding="utf-8").partition(_OPENING.format(name=suite.name))[0].rstrip("\n") + "\n"
    lines = []
    for part, systems in figures.items():
        lines.append(f"  {part}:")
        for system, metrics in systems.items():
            listed = ", ".join(f"{metric}: {value}" for metric, value in metrics.items())
            lines.append(f"    {system}: {{{listed}}}")
    temporary = path.with_suffix(".tmp")
    temporary.write_text(head + _OPENING.format(name=suite.name) + "\n".join(lines) + "\n", encoding="utf-8")
    os.replace(temporary, path)
