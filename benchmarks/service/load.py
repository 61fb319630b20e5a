"""Load that the service holds: `python -m benchmarks.service.load [--suite demo] [--seconds 10] [--dry-run]`.

1, 8, 64 and 256 clients, each of which asks /link about one text and asks again when it is answered, with 1 and 2
workers; the clients run on the same machine and take their share of it. The queue and the time for an answer
are long enough for all.
"""

import asyncio
import sys

from benchmarks.service.asking import ask_on, post
from benchmarks.service.running import latencies, model_of, options, serving, tell, texts_of
from deixis.evaluation.rows import ResultRow

CLIENTS, WORKERS = (1, 8, 64, 256), (1, 2)


def main() -> int:
    """Measure, print and record."""
    chosen = options(__doc__, seconds=15)
    model, requests = model_of(chosen.suite), [post("/link", {"text": text}) for text in texts_of(chosen.suite)]
    rows = []
    for n_workers in WORKERS:
        with serving(model, "--workers", str(n_workers), "--queue", "512", "--seconds", "300") as service:
            asyncio.run(ask_on(service.port, requests, 2 * n_workers, 2))  # to warm up
            for n_clients in CLIENTS:
                answers = asyncio.run(ask_on(service.port, requests, n_clients, chosen.seconds))
                settings = {"clients": n_clients, "workers": n_workers, "seconds": chosen.seconds}
                system, suite = f"{n_workers}w-{n_clients}c", f"service/{chosen.suite}"
                n = sum(answers.statuses.values())
                figures = {"requests_per_second": (answers.statuses[200] / answers.elapsed, "1/s")}
                figures |= {f"{name}_latency": (value, "ms") for name, value in latencies(answers.seconds).items()}
                figures["failed"] = (n - answers.statuses[200] + answers.n_broken, "requests")
                rows += [
                    ResultRow(suite, metric, system, round(value, 2), unit, n=n, settings=settings)
                    for metric, (value, unit) in figures.items()
                ]
            held = ResultRow(suite, "private_memory", f"{n_workers}w", round(service.memory(), 1), "MB")
            rows.append(held)
    tell(rows, chosen.dry_run)
    return 0


if __name__ == "__main__":
    sys.exit(main())
