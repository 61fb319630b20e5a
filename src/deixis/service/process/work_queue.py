"""A bounded queue in front of a few threads. What waits there and can be done together is done together.

Linking takes some milliseconds a call, whatever the texts. So under load a thread takes up requests that wait and ask
for the same thing, as long as their texts are short: long ones gain little and would make each other wait.
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

MAX_TOGETHER, MAX_SIZE = 32, 4000  # items, and what they may weigh, that are done together
MOST_EXPECTED = 0.6  # of the time for an answer that may be spent waiting, by what work took lately


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
    """Hears how work goes on, and ends it after the time when nobody waits for it any more."""

    deadline: float

    def started(self, _label: str, _total: int | None) -> int:
        self.advanced(0, 0)
        return 0

    def advanced(self, _task: int, _n: int) -> None:
        if time.monotonic() > self.deadline:
            raise Refusal(504, "late", "There was no answer in time.")

    def noted(self, _task: int, _text: str) -> None:
        """Words are of no concern."""

    def finished(self, _task: int) -> None:
        """Nor is the end."""


class WorkQueue:
    """Runs work in threads, at most `n_waiting` pieces beyond those that run; each has `seconds` for its answer.

    Work that takes longer ends where it tells of its progress.
    """

    def __init__(self, n_threads: int, n_waiting: int, seconds: float) -> None:
        self.n_threads, self.n_waiting, self.seconds = n_threads, n_waiting, seconds
        self._jobs: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._is_open = True
        self.n_running = 0
        self._mean_seconds = 0.05  # of one piece of work, lately
        self._threads = [threading.Thread(target=self._serve, name=f"link-{n}", daemon=True) for n in range(n_threads)]
        for thread in self._threads:
            thread.start()

    @property
    def n_held(self) -> int:
        """Pieces that wait or run."""
        return len(self._jobs) + self.n_running

    def check_room(self) -> None:
        """Raises the refusal that a full queue gives, or one too slow for an answer in time."""
        expected = self.n_held * self._mean_seconds / self.n_threads
        if self.n_held >= self.n_threads + self.n_waiting or expected > MOST_EXPECTED * self.seconds:
            wait = max(1, math.ceil(expected))
            raise Refusal(
                429,
                "busy",
                f"{self.n_held} requests are waiting, and no more may. Try again in {wait} s, or send several "
                "documents in one request to /link/batch.",
                {"Retry-After": str(min(wait, math.ceil(self.seconds)))},
            )

    async def run(self, work: Callable[[], T]) -> T:
        """What `work` returns, run in a thread when its turn comes; late or refused if there is no time or room."""
        results = await self.run_together(lambda items: [work() for _ in items], object(), [None])
        result: T = results[0]
        return result

    async def run_together(
        self, work: Callable[[list[Any]], Sequence[Any]], key: Hashable, items: list[Any], size: int = 0
    ) -> list[Any]:
        """One result for each item; items of other requests with an equal `key` may be worked on in the same call.

        `size` is what they weigh, in letters: only a few thousand are worked on together.
        """
        self.check_room()
        job = _Job(work, key, items, size, time.monotonic() + self.seconds)
        with self._changed:
            if not self._is_open:
                raise Refusal(503, "stopping", "The service is being stopped. Ask another one, or later.")
            self._jobs.append(job)
            self._changed.notify()
        try:
            return await asyncio.wait_for(asyncio.wrap_future(job.future), self.seconds)
        except TimeoutError:
            raise self._late() from None

    def close(self) -> None:
        """Lets the threads end when all that was accepted is done."""
        with self._changed:
            self._is_open = False
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(self.seconds)

    def _late(self) -> Refusal:
        return Refusal(
            504,
            "late",
            f"There was no answer within {self.seconds:g} s. Send shorter or fewer documents at once, or start the "
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
                    if jobs:  # those that nobody waited for any more took no time, and say nothing
                        took = (time.monotonic() - begin) / len(jobs)
                        self._mean_seconds += 0.1 * (took - self._mean_seconds)
            # Only now, when it takes up no room any more: who has an answer may ask again at once.
            for job, outcome in outcomes:
                if isinstance(outcome, Exception):
                    job.future.set_exception(outcome)
                else:
                    job.future.set_result(outcome)

    def _next(self) -> list[_Job] | None:
        """The jobs to do next, all of one key; none of those that nobody waits for any more. None at the end."""
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
    """The results of each job, or its error; if together they fail, each is tried alone, so that it gets its own."""
    try:
        with listening(_Until(max(job.deadline for job in jobs))):
            results = jobs[0].work([item for job in jobs for item in job.items])
    except Exception as error:  # noqa: BLE001 - the waiting request gets it
        return [(jobs[0], error)] if len(jobs) == 1 else [outcome for job in jobs for outcome in _done([job])]
    ends = list(accumulate(len(job.items) for job in jobs))
    return [(job, list(results[end - len(job.items) : end])) for job, end in zip(jobs, ends, strict=True)]
