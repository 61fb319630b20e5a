"""Where the results of this repository are, and how a run is added to them."""

from collections.abc import Iterable
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
