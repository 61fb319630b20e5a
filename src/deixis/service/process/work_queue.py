"""A bounded queue in front of a few threads, with batching of compatible requests.

A call of the linker costs some milliseconds whatever the texts. Under load a thread therefore takes waiting requests
with the same options together, as long as their texts are short: long ones gain little and would delay each other.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, TypeVar

from deixis.progress import listening
from deixis.service.api.failures import Refusal

T = TypeVar("T")

MAX_TOGETHER, MAX_SIZE = 32, 4000  # items and characters of one batch
MOST_EXPECTED = 0.6  # the fraction of the time limit that may be spent waiting, estimated from recent work


@dataclass(eq=False)
class _Job:
    work: Callable[[list[Any]], Sequence[Any]]
    key: Hashable
    items: list[Any]
    size: int
    deadline: float
    future: Future[list[Any]] = field(default_factory=Future)


@dataclass(frozen=True)
class _Until:
    """A progress listener that aborts work after its deadline."""

    deadline: float

    def started(self, _label: str, _total: int | None) -> int:
        self.advanced(0, 0)
        return 0

    def advanced(self, _task: int, _n: int) -> None:
        if time.monotonic() > self.deadline:
            raise Refusal(504, "late", "The request took too long.")

    def noted(self, _task: int, _text: str) -> None:
        """Ignored."""

    def finished(self, _task: int) -> None:
        """Ignored."""


class WorkQueue:
    """Runs jobs in threads, with at most `n_waiting` jobs waiting; each must finish within `seconds`.

    A job that takes longer is aborted at its next progress report.
    """

    def __init__(self, n_threads: int, n_waiting: int, seconds: float) -> None:
        self.n_threads, self.n_waiting, self.seconds = n_threads, n_waiting, seconds
        self._jobs: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._is_open = True
        self.n_running = 0
        self._mean_seconds = 0.05  # moving average of a job
        self._threads = [threading.Thread(target=self._serve, name=f"link-{n}", daemon=True) for n in range(n_threads)]
        for thread in self._threads:
            thread.start()

    @property
    def n_held(self) -> int:
        """The number of jobs that wait or run."""
        return len(self._jobs) + self.n_running

    def check_room(self) -> None:
        """Raises Refusal (429) if the queue is full, or too slow to answer in time."""
        expected = self.n_held * self._mean_seconds / self.n_threads
        if self.n_held >= self.n_threads + self.n_waiting or expected > MOST_EXPECTED * self.seconds:
            wait = max(1, math.ceil(expected))
            raise Refusal(
                429,
                "busy",
                f"{self.n_held} requests are waiting, and the queue is full. Try again in {wait} s, or send several "
                "documents in one request to /link/batch.",
                {"Retry-After": str(min(wait, math.ceil(self.seconds)))},
            )

    async def run(self, work: Callable[[], T]) -> T:
        """The result of `work`, run in a thread; 504 if it is late, 429 if the queue is full."""
        results = await self.run_together(lambda items: [work() for _ in items], object(), [None])
        result: T = results[0]
        return result

    async def run_together(
        self, work: Callable[[list[Any]], Sequence[Any]], key: Hashable, items: list[Any], size: int = 0
    ) -> list[Any]:
        """One result per item; items of other requests with an equal `key` may be processed in the same call.

        `size` is the number of characters; only a few thousand are processed together.
        """
        self.check_room()
        job = _Job(work, key, items, size, time.monotonic() + self.seconds)
        with self._changed:
            if not self._is_open:
                raise Refusal(503, "stopping", "The service is stopping. Try again later.")
            self._jobs.append(job)
            self._changed.notify()
        try:
            return await asyncio.wait_for(asyncio.wrap_future(job.future), self.seconds)
        except TimeoutError:
            raise self._late() from None

    def close(self) -> None:
        """Stops the threads when all accepted jobs are done."""
        with self._changed:
            self._is_open = False
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(self.seconds)

    def _late(self) -> Refusal:
        return Refusal(
            504,
            "late",
            f"The request took longer than {self.seconds:g} s. Send shorter or fewer documents at once, or start the "
            "service with more --seconds or --workers.",
        )

    def _serve(self) -> None:
        while (jobs := self._next()) is not None:
            begin, outcomes = time.monotonic(), list[_Outcome]()
            try:
                if jobs:
                    outcomes = _done(jobs)
            finally:
                with self._changed:
                    self.n_running -= len(jobs)
                    if jobs:  # expired jobs took no time and are not counted
                        took = (time.monotonic() - begin) / len(jobs)
                        self._mean_seconds += 0.1 * (took - self._mean_seconds)
            # Only now, when its room in the queue is free: a client may send its next request at once.
            for job, outcome in outcomes:
                if isinstance(outcome, Exception):
                    job.future.set_exception(outcome)
                else:
                    job.future.set_result(outcome)

    def _next(self) -> list[_Job] | None:
        """The next batch of jobs, all with one key and without expired ones; None when the queue is closed."""
        with self._changed:
            while not self._jobs:
                if not self._is_open:
                    return None
                self._changed.wait()
            first = self._jobs.popleft()
            taken, left, n_items, size = [first], deque[_Job](), len(first.items), first.size
            for job in self._jobs:
                if job.key == first.key and n_items + len(job.items) <= MAX_TOGETHER and size + job.size <= MAX_SIZE:
                    taken.append(job)
                    n_items, size = n_items + len(job.items), size + job.size
                else:
                    left.append(job)
            self._jobs = left
            now = time.monotonic()
            awaited = [job for job in taken if job.deadline > now and job.future.set_running_or_notify_cancel()]
            self.n_running += len(awaited)
            return awaited


_Outcome = tuple[_Job, list[Any] | Exception]


def _done(jobs: list[_Job]) -> list[_Outcome]:
    """The results of each job, or its error; if a batch fails, each job is run alone to get its own error."""
    try:
        with listening(_Until(max(job.deadline for job in jobs))):
            results = jobs[0].work([item for job in jobs for item in job.items])
    except Exception as error:  # noqa: BLE001 - the waiting request gets it
        return [(jobs[0], error)] if len(jobs) == 1 else [outcome for job in jobs for outcome in _done([job])]
    ends = list(accumulate(len(job.items) for job in jobs))
    return [(job, list(results[end - len(job.items) : end])) for job, end in zip(jobs, ends, strict=True)]
