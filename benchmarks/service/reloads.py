"""Models loaded anew, and workers killed, under load: `python -m benchmarks.service.reloads [--reloads 100]`.

8 clients ask while the model folder is loaded anew again and again: no request may fail. Then, with one worker and with
two, workers are killed: how long until a request is answered again, and how many were lost.
"""

import asyncio
import os
import signal
import sys
import time

import numpy as np

from benchmarks.service.asking import Answers, Client, ask_on, post
from benchmarks.service.running import Service, model_of, options, serving, tell, texts_of
from deixis.evaluation.rows import ResultRow

N_RELOADS, N_KILLS, N_CLIENTS = 100, 5, 8


async def reload_under_load(service: Service, requests: list[bytes], limit: float) -> tuple[int, int, Answers]:
    """How many times the model was loaded, how many times not, and what clients were told meanwhile."""
    done = asyncio.Event()
    asking = asyncio.create_task(ask_on(service.port, requests, N_CLIENTS, limit, done.is_set))
    client, n_loaded, n_failed, end = Client(service.port), 0, 0, time.monotonic() + limit
    while n_loaded + n_failed < N_RELOADS and time.monotonic() < end:
        status, _ = await client.ask(post("/reload", {}))
        n_loaded += status == 200
        n_failed += status != 200
    done.set()
    client.close()
    return n_loaded, n_failed, await asking


async def recovery(service: Service, request: bytes) -> float:
    """Seconds from the death of a worker until two requests in a row are answered, and the worker is replaced."""
    n_workers = len(service.workers())
    victim = min(service.workers())
    begin = time.monotonic()
    os.kill(victim, signal.SIGKILL)
    n_answered = 0
    while n_answered < 2 or victim in service.workers() or len(service.workers()) < n_workers:
        client = Client(service.port)
        try:
            status, _ = await asyncio.wait_for(client.ask(request), 10)
            n_answered = n_answered + 1 if status == 200 else 0
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            n_answered = 0
        client.close()
    return time.monotonic() - begin


def main() -> int:
    """Measure, print and record."""
    chosen = options(__doc__, seconds=600)
    model, requests = model_of(chosen.suite), [post("/link", {"text": text}) for text in texts_of(chosen.suite)]
    rows, suite = [], f"service/{chosen.suite}"
    for n_workers in (1, 2):
        with serving(model, "--workers", str(n_workers)) as service:
            n_loaded, n_failed, answers = asyncio.run(reload_under_load(service, requests, chosen.seconds))
            n = sum(answers.statuses.values())
            n_lost = n - answers.statuses[200] + answers.n_broken
            times = []
            for _ in range(N_KILLS):
                time.sleep(0.5)
                times.append(asyncio.run(recovery(service, requests[0])))
        figures = {
            "reloads": (n_loaded, "times"),
            "reloads_failed": (n_failed, "times"),
            "failed_during_reloads": (n_lost, "requests"),
            "recovery_median": (round(float(np.median(times)), 3), "s"),
            "recovery_longest": (round(max(times), 3), "s"),
        }
        settings = {"workers": n_workers, "clients": N_CLIENTS, "kills": N_KILLS}
        rows += [
            ResultRow(suite, metric, f"{n_workers}w", value, unit, n=n, settings=settings)
            for metric, (value, unit) in figures.items()
        ]
    tell(rows, chosen.dry_run)
    return int(any(row.value for row in rows if "failed" in row.metric))


if __name__ == "__main__":
    sys.exit(main())
