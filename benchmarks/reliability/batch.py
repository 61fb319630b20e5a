"""That linking in shards loses and doubles nothing: `python -m benchmarks.reliability.batch [--worker-kills 50]`.

1. Worker processes of `deixis link --workers 2` are killed (SIGKILL) at random moments.
2. The run itself is killed at random moments, and started again in the same folder.
3. The same with Spark on this machine (`local-cluster[2,1,1024]`): executors, and the driver, which are a Python and a
   Java process, of which either is killed. Times count from when executors link, and not while Java starts.

After each series the run is ended, and its outputs are compared with those of a run that nobody disturbed: files that
differ, and rows that are lost or doubled. The control writes every output under its own name and takes a file that is
there for done, as a script without a ledger does; it must fail.

Everything is bounded by counts and by `--seconds`. It ends with 1 if something was lost or the control did not fail.
"""

import argparse
import math
import os
import random
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.rows import run_from_console
from benchmarks.scale.runs import Measured, build, deixis, write_texts
from deixis.evaluation.rows import ResultRow

SUITE = "reliability/batch"
N_FILES = 12
EXECUTOR, WORKER, JAVA_DRIVER = "CoarseGrainedExecutorBackend", "deixis.processes.worker", "SparkSubmit"
LINKING = "pyspark.daemon"  # what runs once executors have been given a task
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
ITSELF, CONTROLLED = "the run", "no-ledger"
Command = Callable[[Path], list[str]]
Victim = Callable[[str], bool]
"""Whether a process is to be killed, by its command line; `ITSELF` stands for that of the run."""


class Series:
    """Runs of one command in a folder, disturbed, and what is wrong with their outputs in the end."""

    def __init__(self, command: Command, place: Path, expected: dict[str, bytes], end: float) -> None:
        self.command = command
        self.place = place
        self.expected = expected
        self.end = end
        self.draw = random.Random(0)
        self.n_kills = self.n_runs = self.n_differ = self.n_lost = self.n_doubled = 0

    def kill(self, n_kills: int, victim: Victim, longest: float, ready: str = "") -> "Series":
        """Kills victims until there were so many kills, at most `longest` seconds after the last one.

        The time of the first one in a run counts from when a command line has `ready`.
        """
        folder = self.place / "links"
        while self.n_kills < n_kills and time.monotonic() < self.end:
            folder.mkdir(exist_ok=True)
            run = Measured.start(self.command(folder))
            self.n_runs += 1
            next_kill = math.inf
            for processes in run.looks():
                if next_kill == math.inf and any(ready in words for _, words in processes):
                    next_kill = time.monotonic() + self.draw.uniform(0, longest)
                pids = [pid for pid, words in processes if victim(words) or (pid == run.popen.pid and victim(ITSELF))]
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
    on_spark = seconds_after(LINKING, spark(place / "spark")) if chosen.executor_kills or chosen.driver_kills else 0.0
    series = (
        ("workers", workers, has(WORKER), chosen.worker_kills, longest / 4, ""),
        ("run", workers, has(ITSELF), chosen.run_kills, longest, ""),
        ("spark-executors", spark, has(EXECUTOR), chosen.executor_kills, on_spark, LINKING),
        ("spark-driver", spark, has(ITSELF, JAVA_DRIVER), chosen.driver_kills, on_spark, LINKING),
    )
    for system, command, victim, n_kills, pause, ready in series:
        if n_kills:
            (place / system).mkdir()
            yield from Series(command, place / system, expected, end).kill(n_kills, victim, pause, ready).rows(system)
    if chosen.control_kills:  # its outputs are named after the files, without the number of a shard
        renamed = {name.replace("-00000", ""): each for name, each in expected.items()}
        (place / "control").mkdir()
        without = Series(control, place / "control", renamed, end)
        yield from without.kill(chosen.control_kills, has(ITSELF), longest).rows(CONTROLLED)


def has(*words: str) -> Victim:
    """Victims whose command line has one of these."""
    return lambda line: any(each in line for each in words)


def seconds_after(ready: str, command: list[str]) -> float:
    """How long an undisturbed run takes from when a command line has `ready` to its end."""
    run, begin = Measured.start(command), math.inf
    for processes in run.looks():
        if begin == math.inf and any(ready in words for _, words in processes):
            begin = time.monotonic()
    return time.monotonic() - begin


def failures(rows: list[ResultRow]) -> list[str]:
    """What should not be: something lost, or a control that lost nothing."""
    wrong = [row for row in rows if row.metric in ("differ", "lost", "doubled") and row.value]
    failed = [f"{row.system}: {row.value:g} {row.metric}" for row in wrong if row.system != CONTROLLED]
    is_controlled = any(row.system == CONTROLLED for row in rows)
    if is_controlled and not any(row.system == CONTROLLED and row.metric == "lost" for row in wrong):
        failed.append("the control lost nothing")
    return failed


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1000, help=f"documents of each of {N_FILES} files")
    parser.add_argument("--worker-kills", type=int, default=50)
    parser.add_argument("--run-kills", type=int, default=20)
    parser.add_argument("--executor-kills", type=int, default=20)
    parser.add_argument("--driver-kills", type=int, default=20)
    parser.add_argument("--control-kills", type=int, default=5, help="0 leaves a series out, as in the others")
    parser.add_argument("--seconds", type=float, default=1800, help="nothing more is killed after so many")
    return run_from_console(parser, arguments, measured, failures)


if __name__ == "__main__":
    sys.exit(main())
