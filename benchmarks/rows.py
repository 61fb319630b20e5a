"""Where the results of this repository lie, and how a run is added to them."""

from collections.abc import Iterable
from pathlib import Path

from deixis.bench import results
from deixis.evaluation.rows import ResultRow

RESULTS = Path(__file__).resolve().parent / "results"


def record(rows: Iterable[ResultRow], folder: Path = RESULTS) -> Path:
    """Write a run's rows to a file of their own and merge them into `latest.json`; gives the file."""
    return results.record(rows, folder)
