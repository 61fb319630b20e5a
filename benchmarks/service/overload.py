"""Ten times too much: `python -m benchmarks.service.overload [--suite demo] [--seconds 120] [--dry-run]`.

First what the service can do: 4 clients that ask for batches of 8 texts, for a tenth of the time. Then 400 clients who
together ask ten times as often, whatever they are told. Those accepted must be answered in time, the others told to
come back, and nothing may break. At last, for a tenth of the time, a flood: the same clients ask as fast as they can.
"""

import asyncio
import sys

from benchmarks.service.asking import ask_on, post
from benchmarks.service.running import latencies, model_of, options, serving, tell, texts_of
from deixis.evaluation.rows import ResultRow

BATCH, N_CLIENTS, DEADLINE, TIMES = 8, 400, 10.0, 10


def main() -> int:
    """Measure, print and record."""
    chosen = options(__doc__, seconds=120)
    model, texts = model_of(chosen.suite), texts_of(chosen.suite)
    batches = [texts[first : first + BATCH] for first in range(0, max(1, len(texts) - BATCH), BATCH)]
    requests = [post("/link/batch", {"documents": [{"text": text} for text in batch]}) for batch in batches]
    short = chosen.seconds / 10
    with serving(model, "--workers", "2", "--queue", "8", "--seconds", str(DEADLINE)) as service:
        workers, before = service.workers(), service.memory()
        calm = asyncio.run(ask_on(service.port, requests, 4, short))
        capacity = calm.statuses[200] / short
        asked = asyncio.run(ask_on(service.port, requests, N_CLIENTS, chosen.seconds, per_second=TIMES * capacity))
        flood = asyncio.run(ask_on(service.port, requests, N_CLIENTS, short))
        is_same, grown = service.workers() == workers, service.memory() - before
    settings = {"clients": N_CLIENTS, "workers": 2, "batch": BATCH, "deadline_s": DEADLINE, "capacity": capacity}
    rows = []
    for system, answers, seconds in (("overload", asked, chosen.seconds), ("flood", flood, short)):
        n = sum(answers.statuses.values())
        others = n - answers.statuses[200] - answers.statuses[429] + answers.n_broken + answers.n_without_retry
        figures = {
            "overload": (n / seconds / max(capacity, 1e-9), "x"),
            "accepted_per_second": (answers.statuses[200] / seconds, "1/s"),
            "accepted_p99_latency": (latencies(answers.seconds)["p99"], "ms"),
            "refused_share": (answers.statuses[429] / max(n, 1), "share"),
            "failed": (others, "requests"),
        }
        rows += [
            ResultRow(f"service/{chosen.suite}", metric, system, round(value, 3), unit, n=n, settings=settings)
            for metric, (value, unit) in figures.items()
        ]
    for metric, value, unit in (("workers_lost", float(not is_same), "workers"), ("memory_grown", grown, "MB")):
        rows.append(ResultRow(f"service/{chosen.suite}", metric, "overload", round(value, 1), unit, settings=settings))
    tell(rows, chosen.dry_run)
    n_failed = sum(row.value for row in rows if row.system == "overload" and row.metric in ("failed", "workers_lost"))
    return int(n_failed > 0 or latencies(asked.seconds)["p99"] > 1000 * DEADLINE)


if __name__ == "__main__":
    sys.exit(main())
