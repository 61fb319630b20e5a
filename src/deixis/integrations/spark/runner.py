"""Shards on a Spark cluster: a job for each, so that the driver notes in the ledger what is done while others work."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, TypeVar

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from deixis.processes.pool import ATTEMPTS, Advance, Failed, Outcome, outcome_of
from deixis.processes.worker import Function, answer, made

T = TypeVar("T")
JOBS_PER_SLOT = 2
"""Jobs that are submitted at once for each processor of the cluster, so that none waits for the driver."""
MAX_JOBS = 256
MAX_REASON = 500  # characters of Spark's, which come with a trace of Java


@dataclass(frozen=True)
class SparkRunner:
    """Does tasks on the executors of a session; Spark starts a task again elsewhere if its executor is lost."""

    session: SparkSession

    def run(
        self, function: str, argument: dict[str, Any], tasks: Sequence[tuple[T, dict[str, Any]]], advance: Advance
    ) -> Generator[tuple[T, Outcome]]:
        """Each task's key with what came of it; an error that all tasks would have is raised."""
        context = self.session.sparkContext
        n_jobs = min(MAX_JOBS, JOBS_PER_SLOT * context.defaultParallelism)
        call = functools.partial(_answered, function, json.dumps(argument))
        waiting = list(reversed(tasks))
        key_of: dict[Future[tuple[Outcome, int]], T] = {}
        with ThreadPoolExecutor(n_jobs) as threads:
            try:
                while waiting or key_of:
                    while waiting and len(key_of) < n_jobs:
                        key, task = waiting.pop()
                        key_of[threads.submit(_done, self.session, call, json.dumps(task))] = key
                    for future in wait(key_of, return_when=FIRST_COMPLETED).done:
                        key = key_of.pop(future)
                        outcome, n_advanced = future.result()
                        advance(n_advanced)
                        yield key, outcome
            finally:
                for future in key_of:
                    future.cancel()
                if key_of:
                    context.cancelAllJobs()


def _done(session: SparkSession, call: Callable[[str], str], task: str) -> tuple[Outcome, int]:
    """What came of a task on an executor, and how much of it is done.

    Where Spark does not try again, as in a session on one machine, this does.
    """
    reason = ""
    for _ in range(ATTEMPTS):
        try:
            (answered,) = session.sparkContext.parallelize([task], 1).map(call).collect()
            message, n_advanced = json.loads(answered)
            return outcome_of(message), n_advanced
        except (Py4JError, PySparkException) as error:
            reason = str(error)[:MAX_REASON]
    return Failed(f"Spark gave it up {ATTEMPTS} times: {reason}"), 0


def _answered(function: str, argument: str, task: str) -> str:
    """The answer to a task, in a Python process of an executor. Its file has a name that no other attempt uses."""
    record = json.loads(task)
    if "partial" in record:
        record["partial"] += f".{os.urandom(6).hex()}"
    advanced: list[int] = []
    message = answer(lambda *call: _function_of(function, argument)(*call), record, advanced.append)
    return json.dumps([message, sum(advanced)])


@functools.lru_cache(maxsize=1)
def _function_of(function: str, argument: str) -> Function:
    return made(function, json.loads(argument))
