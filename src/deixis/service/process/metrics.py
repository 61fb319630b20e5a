"""Metrics for Prometheus, in its text format, summed over all workers."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from deixis.service.process.shared_state import N_COLUMNS, N_OWN, SharedState

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
STATUSES = (200, 400, 401, 403, 404, 405, 408, 409, 413, 415, 421, 422, 429, 431, 500, 501, 503, 504)
COUNTERS = {
    "deixis_documents_total": "Documents linked or labelled.",
    "deixis_mentions_total": "Mentions detected or given.",
    "deixis_links_total": "Mentions linked to an entity.",
    "deixis_corrections_total": "Corrections applied.",
    "deixis_changes_total": "Changes of the model written: entities, corrections, undo.",
    "deixis_model_loads_total": "Model loads of all workers.",
    "deixis_model_load_failures_total": "Failed model loads; the worker kept its previous model.",
    "deixis_workers_started_total": "Worker processes started.",
}
GAUGES = {
    "deixis_requests_running": "Requests being processed.",
    "deixis_requests_waiting": "Requests in the queues.",
    "deixis_entities": "Entities of the model, of one worker.",
    "deixis_generation": "Number of the last change of the model, of one worker.",
}
OF_ONE = ("deixis_entities", "deixis_generation")  # gauges that are not summed over workers
OTHER = "other"


class Metrics:
    """The counts of one worker; `text` has the sums over all workers.

    Examples
    --------
    >>> metrics = Metrics(SharedState(), worker=0, routes=["/link"])
    >>> metrics.observe("/link", 200, seconds=0.02)
    >>> 'deixis_requests_total{route="/link",status="200"} 1' in metrics.text()
    True
    """

    def __init__(self, shared: SharedState, worker: int, routes: Iterable[str]) -> None:
        self._shared, self._row = shared, shared.row(worker)
        self._columns: dict[tuple[str, ...], int] = {}
        self._routes = [*sorted(set(routes)), OTHER]
        for name in (*COUNTERS, *GAUGES):
            self._take(name)
        for route in self._routes:
            for status in (*map(str, STATUSES), OTHER):
                self._take("requests", route, status)
            for number in range(len(BUCKETS) + 1):
                self._take("bucket", route, str(number))
            self._take("seconds", route)
        for name in GAUGES:  # left by a previous worker
            self.set(name, 0)

    def _take(self, *key: str) -> None:
        self._columns[key] = N_OWN + len(self._columns)
        if self._columns[key] >= N_COLUMNS:
            raise ValueError(f"{len(self._routes)} routes need more columns than the shared state has")

    def add(self, name: str, count: float = 1) -> None:
        """Adds to a counter."""
        self._row[self._columns[(name,)]] += count

    def set(self, name: str, value: float) -> None:
        """Sets a gauge."""
        self._row[self._columns[(name,)]] = value

    def knows(self, route: str) -> bool:
        """Whether this route has its own counts."""
        return ("seconds", route) in self._columns

    def observe(self, route: str, status: int, seconds: float) -> None:
        """Counts an answered request."""
        route = route if self.knows(route) else OTHER
        code = str(status) if status in STATUSES else OTHER
        self._row[self._columns[("requests", route, code)]] += 1
        self._row[self._columns[("bucket", route, str(bisect_left(BUCKETS, seconds)))]] += 1
        self._row[self._columns[("seconds", route)]] += seconds

    def text(self) -> str:
        """All counts in Prometheus' text format."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        sums = self._shared.sums()
        for names, kind in ((COUNTERS, "counter"), (GAUGES, "gauge")):
            for name, help_text in names.items():
                yield from (f"# HELP {name} {help_text}", f"# TYPE {name} {kind}")
                value = sums[self._columns[(name,)]] if name not in OF_ONE else self._row[self._columns[(name,)]]
                yield f"{name} {value:g}" if value < 1e6 else f"{name} {value:.0f}"
        yield from ("# HELP deixis_requests_total Requests answered.", "# TYPE deixis_requests_total counter")
        for route in self._routes:
            for status in (*map(str, STATUSES), OTHER):
                count = sums[self._columns[("requests", route, status)]]
                if count:
                    yield f'deixis_requests_total{{route="{route}",status="{status}"}} {count:.0f}'
        yield "# HELP deixis_request_seconds Time from a request's headers to the end of its answer."
        yield "# TYPE deixis_request_seconds histogram"
        for route in self._routes:
            counts = [float(sums[self._columns[("bucket", route, str(n))]]) for n in range(len(BUCKETS) + 1)]
            if not sum(counts):
                continue
            so_far = 0.0
            for bound, count in zip((*map(str, BUCKETS), "+Inf"), counts, strict=True):
                so_far += count
                yield f'deixis_request_seconds_bucket{{route="{route}",le="{bound}"}} {so_far:.0f}'
            yield f'deixis_request_seconds_sum{{route="{route}"}} {sums[self._columns[("seconds", route)]]:.6f}'
            yield f'deixis_request_seconds_count{{route="{route}"}} {so_far:.0f}'
