"""Where the results of this repository are, and how a run is added to them."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from benchmarks.suites import results
from deixis.evaluation.rows import ResultRow, source_commit

RESULTS = Path(__file__).resolve().parent / "results"


def start_run(*, is_recorded: bool) -> None:
    """Note the commit before the measurements, which may take hours; DataError now if they could not be recorded."""
    commit = source_commit()
    if is_recorded:
        results.check_recordable(commit, RESULTS)


def record(rows: Iterable[ResultRow]) -> None:
    """Put a run's rows in place of older ones in the files of their suites, and print which files these are."""
    for path in results.record(rows, RESULTS):
        print("recorded in", path.relative_to(RESULTS.parent), flush=True)


def differing(rows: list[ResultRow]) -> list[str]:
    """Which systems do not give the same as the one they are compared with, by their rows `differ`."""
    return [f"{row.system}: {row.value:g} differ" for row in rows if row.metric == "differ" and row.value]


def run_from_console(
    parser: argparse.ArgumentParser,
    arguments: list[str] | None,
    measured: Callable[[argparse.Namespace, Path], Iterator[ResultRow]],
    failures: Callable[[list[ResultRow]], list[str]],
) -> int:
    """Measure in a temporary folder, print each row, and record them without `--dry`; 1 if something failed."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--dry", action="store_true", help="record nothing")
    chosen = parser.parse_args(arguments)
    start_run(is_recorded=not chosen.dry)
    rows = []
    with tempfile.TemporaryDirectory(prefix="deixis-benchmark-", ignore_cleanup_errors=True) as place:
        for row in measured(chosen, Path(place)):
            print(f"{row.metric:28} {row.system:22} {row.value:12g} {row.unit}", flush=True)
            rows.append(row)
    if not chosen.dry:
        record(rows)
    failed = failures(rows)
    for each in failed:
        print("failed:", each, file=sys.stderr)
    return int(bool(failed))
