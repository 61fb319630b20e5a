"""Ten times too much: `python -m benchmarks.service.overload [--suite demo] [--seconds 120] [--dry-run]`.

First what the service can do: 4 clients that ask for batches of 32 texts, for a tenth of the time. Then as many clients
as it takes to ask for ten times that, again and again, whatever they are told. Those accepted must be answered in time,
the others told to come back, and nothing may break.
"""

import asyncio
import sys

from benchmarks.service.asking import ask_on, post
from benchmarks.service.running import latencies, model_of, options, serving, tell, texts_of
from deixis.evaluation.rows import ResultRow

BATCH, N_CLIENTS, DEADLINE = 32, 400, 10.0


def main() -> int:
    """Measure, print and record."""
    chosen = options(__doc__, seconds=120)
    model, texts = model_of(chosen.suite), texts_of(chosen.suite)
    batches = [texts[first : first + BATCH] for first in range(0, max(1, len(texts) - BATCH), BATCH)]
    requests = [post("/link/batch", {"documents": [{"text": text} for text in batch]}) for batch in batches]
    with serving(model, "--workers", "2", "--queue", "8", "--seconds", str(DEADLINE)) as service:
        workers, before = service.workers(), service.memory()
        calm_seconds = chosen.seconds / 10
        calm = asyncio.run(ask_on(service.port, requests, 4, calm_seconds))
        answers = asyncio.run(ask_on(service.port, requests, N_CLIENTS, chosen.seconds))
        is_same, grown = service.workers() == workers, service.memory() - before
    capacity = calm.statuses[200] / calm_seconds
    n = sum(answers.statuses.values())
    others = n - answers.statuses[200] - answers.statuses[429] + answers.n_broken + answers.n_without_retry
    figures = {
        "overload": (n / chosen.seconds / max(capacity, 1e-9), "x"),
        "accepted_per_second": (answers.statuses[200] / chosen.seconds, "1/s"),
        "capacity": (capacity, "1/s"),
        "accepted_p99_latency": (latencies(answers.seconds)["p99"], "ms"),
        "refused_share": (answers.statuses[429] / max(n, 1), "share"),
        "failed": (others, "requests"),
        "workers_lost": (0 if is_same else 1, "workers"),
        "memory_grown": (grown, "MB"),
    }
    settings = {"clients": N_CLIENTS, "workers": 2, "seconds": chosen.seconds, "batch": BATCH, "deadline_s": DEADLINE}
    rows = [
        ResultRow(f"service/{chosen.suite}", metric, "overload", round(value, 3), unit, n=n, settings=settings)
        for metric, (value, unit) in figures.items()
    ]
    tell(rows, chosen.dry_run)
    return int(bool(others) or not is_same or latencies(answers.seconds)["p99"] > 1000 * DEADLINE)


if __name__ == "__main__":
    sys.exit(main())
