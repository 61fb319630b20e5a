"""That linking in shards loses and doubles nothing: `python -m benchmarks.reliability.batch [--worker-kills 50]`.

1. Worker processes of `deixis link --workers 2` are killed (SIGKILL) at random moments.
2. The run itself is killed at random moments, and started again in the same folder.
3. The same with Spark on this machine (`local-cluster[2,1,1024]`): executors, and the driver.

After each series the run is ended, and its outputs are compared with those of a run that nobody disturbed: files that
differ, and rows that are lost or doubled. The control writes every output under its own name and takes a file that is
there for done, as a script without a ledger does; it must fail.

Everything is bounded by counts and by `--seconds`. It ends with 1 if something was lost or the control did not fail.
"""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.rows import record, start_run
from benchmarks.scale.runs import Measured, build, deixis, write_texts
from deixis.evaluation.rows import ResultRow

SUITE = "reliability/batch"
N_FILES = 12
EXECUTOR, WORKER = "CoarseGrainedExecutorBackend", "deixis.processes.worker"
SPARK = (
    "--master", "local-cluster[2,1,1024]", "--conf", "spark.driver.host=127.0.0.1",
    "--conf", "spark.driver.memory=512m", "--conf", "spark.deploy.maxExecutorRetries=-1",
)  # fmt: skip
CONTROL = """
import sys
from pathlib import Path
from deixis import Linker, read_documents, write_documents
linker = Linker.load(sys.argv[1], n_threads=1)
for path in sorted(Path(sys.argv[2]).iterdir()):
    output = Path(sys.argv[3], path.name)
    if not output.exists():
        with output.open("w", encoding="utf-8") as stream:
            write_documents(linker.link_many(read_documents(path)), stream)
"""
Command = Callable[[Path], list[str]]


class Series:
    """Runs of one command in a folder, disturbed, and what is wrong with their outputs in the end."""

    def __init__(self, command: Command, place: Path, expected: dict[str, bytes], end: float) -> None:
        self.command = command
        self.place = place
        self.expected = expected
        self.end = end
        self.draw = random.Random(0)
        self.n_kills = self.n_runs = self.n_differ = self.n_lost = self.n_doubled = 0

    def kill(self, n_kills: int, victim: str | None, longest: float) -> "Series":
        """Kills processes whose command line has `victim`, or the run itself, until there were so many kills."""
        folder = self.place / "links"
        while self.n_kills < n_kills and time.monotonic() < self.end:
            folder.mkdir(exist_ok=True)
            run = Measured.start(self.command(folder))
            self.n_runs += 1
            next_kill = time.monotonic() + self.draw.uniform(0, longest)
            for processes in run.looks():
                pids = [pid for pid, words in processes if victim is not None and victim in words]
                pids = [run.popen.pid] if victim is None else pids
                if pids and self.n_kills < n_kills and time.monotonic() >= next_kill:
                    self._kill(self.draw.choice(pids))
                    next_kill = time.monotonic() + self.draw.uniform(0, longest)
            if run.popen.returncode == 0:
                self._compare(folder)
        if folder.exists():  # the last run was killed, or a shard given up
            Measured.start(self.command(folder)).finish()
            self._compare(folder)
        return self

    def _kill(self, pid: int) -> None:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        self.n_kills += 1

    def _compare(self, folder: Path) -> None:
        """Counts what differs from the undisturbed run, and begins anew."""
        outputs = outputs_of(folder)
        self.n_differ += sum(outputs.get(name) != each for name, each in self.expected.items())
        self.n_differ += len(outputs.keys() - self.expected.keys())
        rows, expected = (Counter(b"".join(each.values()).splitlines()) for each in (outputs, self.expected))
        self.n_lost += (expected - rows).total()
        self.n_doubled += (rows - expected).total()
        shutil.rmtree(folder)

    def rows(self, system: str) -> Iterator[ResultRow]:
        """What came of it."""
        n_rows = sum(each.count(b"\n") for each in self.expected.values())
        yield ResultRow(SUITE, "kills", system, self.n_kills, "times")
        yield ResultRow(SUITE, "runs", system, self.n_runs, "times")
        yield ResultRow(SUITE, "differ", system, self.n_differ, "files")
        yield ResultRow(SUITE, "lost", system, self.n_lost, f"rows of {n_rows} a run")
        yield ResultRow(SUITE, "doubled", system, self.n_doubled, f"rows of {n_rows} a run")


def outputs_of(folder: Path) -> dict[str, bytes]:
    """The outputs in a folder; a row that was cut off is none."""
    return {path.name: path.read_bytes() for path in folder.glob("*.jsonl")}


def measured(chosen: argparse.Namespace, place: Path) -> Iterator[ResultRow]:
    """All rows, one after the other."""
    end = time.monotonic() + chosen.seconds
    model, texts = build(place / "model"), place / "texts"
    texts.mkdir()
    for number in range(N_FILES):
        write_texts(texts / f"part{number:02}.jsonl", chosen.documents, seed=number)

    def workers(folder: Path) -> list[str]:
        return deixis("link", model, texts, "-o", folder, "--workers", 2, "-q")

    def spark(folder: Path) -> list[str]:
        return deixis("spark", "link", model, texts, "-o", folder, "-q", *SPARK)

    def control(folder: Path) -> list[str]:
        return [sys.executable, "-c", CONTROL, str(model), str(texts), str(folder)]

    begin = time.monotonic()
    Measured.start(workers(place / "whole")).finish()
    longest = time.monotonic() - begin
    expected = outputs_of(place / "whole")
    series = (
        ("workers", workers, WORKER, chosen.worker_kills, longest / 4),
        ("run", workers, None, chosen.run_kills, longest),
        ("spark-executors", spark, EXECUTOR, chosen.executor_kills, chosen.pause),
        ("spark-driver", spark, None, chosen.driver_kills, chosen.pause),
    )
    for system, command, victim, n_kills, pause in series:
        if n_kills:
            (place / system).mkdir()
            yield from Series(command, place / system, expected, end).kill(n_kills, victim, pause).rows(system)
    if chosen.control_kills:  # its outputs are named after the files, without the number of a shard
        renamed = {name.replace("-00000", ""): each for name, each in expected.items()}
        (place / "control").mkdir()
        without = Series(control, place / "control", renamed, end)
        yield from without.kill(chosen.control_kills, None, longest).rows("no-ledger")


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=400, help=f"documents of each of {N_FILES} files")
    parser.add_argument("--worker-kills", type=int, default=50)
    parser.add_argument("--run-kills", type=int, default=20)
    parser.add_argument("--executor-kills", type=int, default=20)
    parser.add_argument("--driver-kills", type=int, default=20)
    parser.add_argument("--control-kills", type=int, default=5, help="0 leaves a series out, as in the others")
    parser.add_argument("--pause", type=float, default=20, help="most seconds until Spark loses a process")
    parser.add_argument("--seconds", type=float, default=1800, help="nothing more is killed after so many")
    parser.add_argument("--dry", action="store_true", help="record nothing")
    chosen = parser.parse_args(arguments)
    start_run(is_recorded=not chosen.dry)
    rows = []
    with tempfile.TemporaryDirectory(prefix="deixis-reliability-") as place:
        for row in measured(chosen, Path(place)):
            print(f"{row.metric:10} {row.system:20} {row.value:8g} {row.unit}", flush=True)
            rows.append(row)
    if not chosen.dry:
        record(rows)
    wrong = [row for row in rows if row.metric in ("differ", "lost", "doubled") and row.value]
    failed = [f"{row.system}: {row.value:g} {row.metric}" for row in wrong if row.system != "no-ledger"]
    if chosen.control_kills and not any(row.system == "no-ledger" and row.metric == "lost" for row in wrong):
        failed.append("the control lost nothing")
    for each in failed:
        print("failed:", each, file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
