"""Results as rows of one shape, so that tables, guards and other people's scripts can read them."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from deixis.evaluation.statistics.metric import Metric

_NOT_RESULTS = ":(exclude)benchmarks/results"


@cache
def source_commit() -> str:
    """The short commit of the source tree that is running, as `tree_commit` has it; empty for an installed wheel."""
    return tree_commit(Path(__file__).resolve().parents[3])


def tree_commit(root: Path) -> str:
    """The short commit of a source tree of Deixis, `+` added if it has uncommitted changes; empty for other folders.

    New files count in `src` and `benchmarks` only. Results do not count: recording them does not change the code.
    """
    if not (root / ".git").exists() or not (root / "src" / "deixis").is_dir():
        return ""
    try:
        commit = _git(root, "rev-parse", "--short", "HEAD")
        edited = _git(root, "status", "--porcelain", "--untracked-files=no", "--", ".", _NOT_RESULTS)
        new = _git(root, "ls-files", "--others", "--exclude-standard", "--", "src", "benchmarks", _NOT_RESULTS)
        return commit + ("+" if edited or new else "")
    except (OSError, subprocess.SubprocessError):
        return ""


@cache
def machine_name() -> str:
    """The processor and how many of them, as far as the system tells."""
    return f"{_processor()} x{os.cpu_count() or 1}, {platform.system()} {platform.machine()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True, timeout=10)
    return done.stdout.strip()


@dataclass(frozen=True)
class ResultRow:
    """One measured number: of which system, on what, under which settings, where and when.

    Examples
    --------
    >>> row = ResultRow("wiki468k/aida-testa", "recall@10", "deixis", 0.81, "share", low=0.79, high=0.83, n=3278)
    >>> list(row.to_dict())[:5]
    ['suite', 'metric', 'system', 'value', 'unit']
    """

    suite: str
    metric: str
    system: str
    value: float
    unit: str
    low: float | None = None
    high: float | None = None
    n: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    commit: str = field(default_factory=source_commit)
    machine: str = field(default_factory=machine_name)
    date: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))

    def to_dict(self) -> dict[str, Any]:
        """The row as JSON holds it; an interval or count that nobody measured is left out."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        values["settings"] = dict(self.settings)
        return {name: value for name, value in values.items() if value is not None}


def metric_rows(metrics: Iterable[Metric], suite: str, system: str, settings: Mapping[str, Any]) -> list[ResultRow]:
    """One row per metric, all shares."""
    return [
        ResultRow(
            suite=suite,
            metric=metric.name,
            system=system,
            value=round(metric.value, 6),
            unit="share",
            low=round(metric.interval.low, 6),
            high=round(metric.interval.high, 6),
            n=metric.n,
            settings=settings,
        )
        for metric in metrics
    ]
