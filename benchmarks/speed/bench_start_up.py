"""What it takes to start: `python -m benchmarks.speed.bench_start_up [--repeats 15] [--dry-run]`.

Seconds of a process of its own each, of the processor and of the clock, in turns: an empty one, the libraries that
linking needs, those and SciPy's sparse matrices (which it does without), the import of the command, and `deixis link`
for one line with the demo's list. Modules compiled before are used, as in any installation.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.rows import record, start_run
from benchmarks.speed.summary import spread
from deixis.evaluation.rows import ResultRow
from deixis.kb.demo import demo_path
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker

SUITE = "start_up/demo"
LINE = "To save Troy, Paris had to be sacrificed.\n"


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    start_run(is_recorded=not options.dry_run)
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(Path(folder), options.repeats)
    for row in rows:
        print(f"{row.system:28} {row.metric:10} {row.value:.3f} {row.unit} [{row.low:.3f}, {row.high:.3f}]")
    if not options.dry_run:
        record(rows)
    return 0


def measure(folder: Path, n_repeats: int) -> list[ResultRow]:
    """Seconds of each process, median and extremes."""
    Linker.build(KnowledgeBase.read(demo_path()), n_threads=1).save(folder / "model")
    commands = {
        "python": ["-c", "pass"],
        "numpy, click": ["-c", "import numpy, click"],
        "numpy, scipy.sparse, click": ["-c", "import numpy, scipy.sparse, click"],
        "import of deixis link": ["-c", "import deixis.cli.commands.link"],
        "deixis link": ["-m", "deixis.cli", "link", str(folder / "model"), "-q"],
    }
    outside = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**outside, "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    metrics = ("start_cpu", "start_wall")
    seconds: dict[tuple[str, str], list[float]] = {(metric, name): [] for name in commands for metric in metrics}
    for repeat in range(n_repeats + 1):
        for name, command in commands.items():
            taken = run(command, environment)
            for metric, each in zip(metrics, taken, strict=True):
                if repeat:  # the first one compiles
                    seconds[metric, name].append(each)
    return [spread(SUITE, metric, name, values, "s", {}) for (metric, name), values in seconds.items()]


def run(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Seconds of the processor and of the clock that a Python takes to run this to its end."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *command], input=LINE.encode(), capture_output=True, check=True, env=environment)
    after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, end - begin


if __name__ == "__main__":
    sys.exit(main())
