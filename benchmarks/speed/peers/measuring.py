"""What every runner measures the same way: CPU seconds, resident memory, disk. Standard library and NumPy only.

Runners are started by their own environment's Python, with the path of a job (JSON) and of a report to write (JSON).
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

N_LATENCY_QUERIES = 300
N_WARM_UP = 20


class Report(dict):
    """Figures by name; `clock(name)` adds the CPU seconds that all threads of this process spent inside."""

    @contextmanager
    def clock(self, name: str) -> Iterator[None]:
        """Measure a block as `<name>_cpu` and `<name>_wall` seconds."""
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self[name + "_cpu"] = time.process_time() - cpu
        self[name + "_wall"] = time.perf_counter() - wall

    def latency(self, name: str, answer: Callable, queries: list) -> None:
        """Measure one query at a time: the median milliseconds, of CPU and of the clock on the wall."""
        for query in queries[:N_WARM_UP]:
            answer(query)
        cpu, wall = [], []
        for query in queries:
            begin, begin_cpu = time.perf_counter_ns(), time.process_time_ns()
            answer(query)
            cpu.append(time.process_time_ns() - begin_cpu)
            wall.append(time.perf_counter_ns() - begin)
        self[name + "_cpu_ms"] = sorted(cpu)[len(cpu) // 2] / 1e6
        self[name + "_wall_ms"] = sorted(wall)[len(wall) // 2] / 1e6


def passes(report: Report, work: Callable[[], object], n: int = 3) -> None:
    """Measure work a few times after a first one: the median, and all of them."""
    work()
    seconds = []
    for _ in range(n):
        begin = time.process_time()
        work()
        seconds.append(time.process_time() - begin)
    report["cpu"] = sorted(seconds)[n // 2]
    report["passes"] = seconds


def resident_mb() -> float:
    """Resident memory of this process now, in MB."""
    with open("/proc/self/status") as lines:
        for line in lines:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    raise RuntimeError("no VmRSS in /proc/self/status")


def disk_mb(folder: str) -> float:
    """Size of all files below a folder, in MB."""
    return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()) / 2**20


def main(actions: dict[str, Callable[[dict], dict]]) -> None:
    """Do one job: `runner.py JOB.json REPORT.json`."""
    job = json.loads(Path(sys.argv[1]).read_text())
    os.makedirs(job["work"], exist_ok=True)
    report = actions[job["action"]](job)
    Path(sys.argv[2]).write_text(json.dumps(report))
