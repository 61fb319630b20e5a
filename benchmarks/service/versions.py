"""The service beside an earlier version of itself: `python -m benchmarks.service.versions [--texts 400] [--rounds 3]`.

Each round starts a service of each version with one worker, and 8 clients ask about every text once, then all of them
again: the first pass begins with nothing kept of earlier texts. Processor time is the worker's, so the clients, which
run on the same machine, are left out. A ratio is the median over the rounds, with the least and the greatest.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median

from benchmarks.rows import start_run
from benchmarks.service.asking import Client, post
from benchmarks.service.running import Service, serving, tell, texts_of
from benchmarks.speed.bench_raw_text import EARLIER, built, earlier_python
from benchmarks.speed.tasks import data_folder
from deixis.evaluation.rows import ResultRow

N_CLIENTS = 8
PASSES = ("first-pass", "second-pass")
OURS, THEIRS = "deixis", f"deixis-{EARLIER}"


def worker_seconds(service: Service) -> float:
    """Processor seconds of the workers until now."""
    ticks = 0
    for worker in service.workers():
        after_name = Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()
        ticks += int(after_name[11]) + int(after_name[12])
    return ticks / os.sysconf("SC_CLK_TCK")


async def ask_once(port: int, requests: list[bytes]) -> None:
    """Every request answered once, by clients that take the next one as soon as they are answered."""
    waiting = iter(requests)

    async def one() -> None:
        client = Client(port)
        for request in waiting:
            status, _ = await client.ask(request)
            if status != 200:
                raise SystemExit(f"A request was answered with {status}.")
        client.close()

    await asyncio.gather(*(one() for _ in range(N_CLIENTS)))


def passes(python: Path, model: Path, requests: list[bytes]) -> list[float]:
    """Processor seconds of a new service's worker for all requests, and for the same ones again."""
    with serving(model, "--workers", "1", "--queue", "512", "--seconds", "300", python=python) as service:
        asyncio.run(ask_once(service.port, [post("/link", {"text": "Nothing is meant here."})]))
        seconds = []
        for _ in PASSES:
            before = worker_seconds(service)
            asyncio.run(ask_once(service.port, requests))
            seconds.append(worker_seconds(service) - before)
    return seconds


def rows_of(suite: str, runs: Mapping[str, list[list[float]]], n_texts: int) -> Iterator[ResultRow]:
    """Requests a second of a worker's processor time in each pass, and how many times as many they are."""
    settings = {"clients": N_CLIENTS, "rounds": len(runs[OURS])}
    for name, rounds in runs.items():
        for number, label in enumerate(PASSES):
            value = n_texts / median(seconds[number] for seconds in rounds)
            yield ResultRow(suite, label, name, round(value, 1), "1/s", n=n_texts, settings=settings)
    for number, label in enumerate(PASSES):
        ratios = sorted(old[number] / new[number] for new, old in zip(runs[OURS], runs[THEIRS], strict=True))
        value, low, high = (round(each, 2) for each in (median(ratios), ratios[0], ratios[-1]))
        yield ResultRow(suite, label, f"{OURS}/{THEIRS}", value, "x", low, high, n_texts, settings)


def main() -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=400, help="how many [%(default)s]")
    parser.add_argument("--rounds", type=int, default=3, help="services started of each version [%(default)s]")
    parser.add_argument("--models", type=Path, help="folder of built models, which are kept [one that is removed]")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args()
    start_run(is_recorded=not options.dry_run)
    requests = [post("/link", {"text": text}) for text in texts_of("wiki468k")[: options.texts]]
    pythons = {OURS: Path(sys.executable), THEIRS: earlier_python(EARLIER)}
    runs: dict[str, list[list[float]]] = {name: [] for name in pythons}
    with tempfile.TemporaryDirectory() as folder:
        models = options.models or Path(folder)
        models.mkdir(parents=True, exist_ok=True)
        kb = data_folder() / "wiki468k" / "kb.jsonl.gz"
        built_models = {name: built(python, kb, models / f"wiki468k-aida-{name}") for name, python in pythons.items()}
        for _ in range(options.rounds):
            for name, python in pythons.items():
                runs[name].append(passes(python, built_models[name], requests))
    tell(list(rows_of("service/wiki468k-versions", runs, len(requests))), options.dry_run)
    return 0


if __name__ == "__main__":
    sys.exit(main())
