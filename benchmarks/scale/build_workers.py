"""What several processes save of a build: `python -m benchmarks.scale.build_workers [--entities 200000]`.

`deixis build` of a part of Wikipedia's list (`scale.lists`) with one thread, with two threads and with `--workers 2`,
in turn: wall time from start to end, processor time of all processes, how much faster than one thread each is in the
same turn, and in how many files of the model the others differ. Other work on the machine lengthens wall times, and
those of two processes more than those of one. It ends with 1 if a file differs.
"""

import argparse
import shutil
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.rows import differing, run_from_console
from benchmarks.scale.build_curve import CACHE, ROOT
from benchmarks.scale.lists import write_list
from benchmarks.scale.runs import Measured, deixis
from benchmarks.suites.data import DataFolder
from deixis.evaluation.rows import ResultRow

SUITE, ONE = "scale/build_workers", "threads-1"
SYSTEMS: dict[str, tuple[str, ...]] = {
    ONE: ("--threads", "1"),
    "threads-2": ("--threads", "2"),
    "workers-2": ("--workers", "2"),
}


def rows(chosen: argparse.Namespace, place: Path) -> Iterator[ResultRow]:
    """All rows, one after the other."""
    path = write_list(ROOT / CACHE / f"{chosen.entities}.jsonl", chosen.entities, DataFolder.choose(None, ROOT))
    runs: dict[str, list[Measured]] = {system: [] for system in SYSTEMS}
    for _ in range(chosen.repeats):
        for system, options in SYSTEMS.items():
            shutil.rmtree(place / system, ignore_errors=True)
            runs[system].append(Measured.start(deixis("build", path, "-o", place / system, "-q", *options)).finish())
    n = chosen.entities
    for system, own in runs.items():
        yield ResultRow(SUITE, "wall", system, _median([run.wall for run in own]), "s", n=n)
        yield ResultRow(SUITE, "cpu", system, _median([run.cpu for run in own]), "s", n=n)
        if system != ONE:
            ratios = [one.wall / run.wall for one, run in zip(runs[ONE], own, strict=True)]
            yield ResultRow(
                SUITE, "speed-up", system, _median(ratios), "x", round(min(ratios), 2), round(max(ratios), 2), n
            )
            files = sorted(each.name for each in (place / ONE).iterdir())
            n_differ = sum(_bytes(place / ONE / each) != _bytes(place / system / each) for each in files)
            yield ResultRow(SUITE, "differ", system, n_differ, f"of {len(files)} files", n=n)


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def _median(values: list[float]) -> float:
    return round(statistics.median(values), 2)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entities", type=int, default=200_000)
    parser.add_argument("--repeats", type=int, default=3, help="turns")
    return run_from_console(parser, arguments, rows, differing)


if __name__ == "__main__":
    sys.exit(main())
