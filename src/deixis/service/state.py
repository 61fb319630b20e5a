"""The state that the routes of a worker share: the current model, its queue, the corrections and the metrics."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from deixis.documents.corrections import Correction
from deixis.errors import StoreError, ToolkitError
from deixis.linker import Linker
from deixis.linking.options import LinkOptions
from deixis.service.api.failures import Refusal, where
from deixis.service.config import ServiceConfig
from deixis.service.journal import Journal
from deixis.service.process.metrics import Metrics
from deixis.service.process.shared_state import (
    ALIVE,
    CORRECTED,
    CORRECTION_REQUESTED,
    FAILED,
    LOADED,
    RELOAD_REQUESTED,
    SharedState,
)
from deixis.service.process.work_queue import WorkQueue
from deixis.service.served import Served, kind_of
from deixis.training.correct import CorrectionResult, correct
from deixis.types import Document

T = TypeVar("T")
logger = logging.getLogger(__name__)

TICK = 0.1  # seconds between checks for requested reloads


class ServiceState:
    """The state of one worker. `metrics` is set when the app is created."""

    metrics: Metrics

    def __init__(self, config: ServiceConfig, shared: SharedState | None = None, worker: int = 0) -> None:
        self.config, self.shared, self.worker = config, shared or SharedState(), worker
        self.journal = Journal(config.corrections)
        self.queue = WorkQueue(config.limits.threads, config.limits.queue, config.limits.seconds)
        self._row = self.shared.row(worker)
        self._row[LOADED] = self._row[CORRECTED] = self._row[FAILED] = 0
        self._learning = asyncio.Lock()
        self.is_ready = True  # False while the worker is stopping
        self._last_failure = ""
        self._row[ALIVE] = 1
        begin = time.monotonic()
        self.served = Served.load(config.model, self.journal.read())
        self._row[LOADED] = self._row[CORRECTED] = begin
        self._log_loaded(begin)

    async def run(self, work: Callable[[Served], T]) -> T:
        """The result of `work(model)`, run in a thread of the queue; 429 if the queue is full, 504 if it is too slow.

        The work keeps its model even if another one is loaded meanwhile.
        """
        served = self.served
        return await self.queue.run(lambda: work(served))

    async def link(
        self, documents: Sequence[Document], options: LinkOptions, served: Served | None = None
    ) -> list[Document]:
        """The linked documents. Waiting requests with equal options are linked in the same batch.

        The current model is used unless `served` names another.
        """
        served = served or self.served
        linked: list[Document] = await self.queue.run_together(
            lambda items: list(served.linker.link_many(items, options)),
            (served, options),
            list(documents),
            sum(len(document.text) for document in documents),
        )
        mentions = [mention for document in linked for mention in document.mentions]
        self.metrics.add("deixis_documents_total", len(linked))
        self.metrics.add("deixis_mentions_total", len(mentions))
        self.metrics.add("deixis_links_total", sum(mention.entity is not None for mention in mentions))
        return linked

    async def learn(self, corrections: Sequence[Correction], records: Sequence[Mapping[str, Any]]) -> CorrectionResult:
        """Applies corrections, writes them to the journal, and returns when all workers have them."""
        async with self._learning:
            result, requested_at = await asyncio.to_thread(self._learn, corrections, records)
        await self._all_done(corrected=requested_at)
        self.metrics.add("deixis_corrections_total", result.n_new + result.n_changed)
        return result

    def _learn(
        self, corrections: Sequence[Correction], records: Sequence[Mapping[str, Any]]
    ) -> tuple[CorrectionResult, float]:
        try:
            with self.journal.locked() as stream:
                before = self.served.corrected(self.journal.read_locked())
                result = correct(before.linker.model, corrections)
                self.journal.write(stream, records)
                # A reload of the folder may be pending as well: it is requested separately and still to be done.
                requested_at = self.shared.request(CORRECTION_REQUESTED, self.worker)
                self.served, self._row[CORRECTED] = before.with_linker(Linker(result.model)), requested_at
        except OSError as error:
            raise StoreError(
                f"The corrections cannot be written to {self.journal.path}: {error.strerror}. Start the service with "
                "--corrections FILE, where FILE is writable."
            ) from None
        return result, requested_at

    async def reload(self) -> None:
        """Reloads the model folder in all workers; requests are answered by the old model meanwhile."""
        requested_at = self.shared.request(RELOAD_REQUESTED, self.worker)
        await self._all_done(loaded=requested_at)
        n_failed = self.shared.n_failed(requested_at)
        if n_failed:
            is_own = self._row[FAILED] > self._row[LOADED]
            why = self._last_failure if is_own else f"{n_failed} of {self.shared.n_workers} workers: see the log."
            raise Refusal(409, "model", f"The previous model stays in use. {why}")

    async def _all_done(self, loaded: float = 0.0, corrected: float = 0.0) -> None:
        """Returns when every worker has done what was requested at these times."""
        deadline = time.monotonic() + self.config.limits.seconds
        while self.shared.n_behind(loaded, corrected):
            if time.monotonic() > deadline:
                raise Refusal(504, "late", "Not all workers have loaded the model yet; they continue to load it.")
            await asyncio.sleep(TICK / 4)

    async def watch(self) -> None:
        """Loads the model whenever a reload is requested, until cancelled."""
        while True:
            self.metrics.set("deixis_requests_running", self.queue.n_running)
            self.metrics.set("deixis_requests_waiting", self.queue.n_held - self.queue.n_running)
            self.metrics.set("deixis_entities", len(self.served.kb))
            if self._is_behind():
                async with self._learning:  # corrections being applied must not be lost
                    if self._is_behind():  # check again: corrections may have been applied meanwhile
                        await self._load()
            await asyncio.sleep(TICK)

    def _is_behind(self) -> bool:
        loaded, corrected, failed = (float(self._row[column]) for column in (LOADED, CORRECTED, FAILED))
        return self.shared.requested_at(RELOAD_REQUESTED) > max(loaded, failed) or self.shared.requested_at(
            CORRECTION_REQUESTED
        ) > max(corrected, failed)

    async def _load(self) -> None:
        begin = time.monotonic()  # requests from now on are not covered by this load
        try:
            self.served = await asyncio.to_thread(self._loaded)
        except Exception as error:  # noqa: BLE001 - whatever it is, later reloads must still work
            is_foreseen = isinstance(error, ToolkitError | OSError)
            # The message of an unexpected error may contain a user's text, so only its type is kept.
            self._last_failure = str(error) if is_foreseen else f"{type(error).__name__}: see the log."
            more = {"message": str(error)} if is_foreseen else {"where": where(error)}
            logger.error("model not loaded", extra={"record": {"error": type(error).__name__, **more}})
            self.metrics.add("deixis_model_load_failures_total")
            self._row[FAILED] = begin  # last, so that whoever waits for it sees the rest
            return
        self.metrics.add("deixis_model_loads_total")
        self._log_loaded(begin)
        self._row[LOADED] = self._row[CORRECTED] = begin

    def end(self) -> None:
        """Finishes accepted requests; other workers no longer wait for this one."""
        self._row[ALIVE] = 0
        self.queue.close()

    def _loaded(self) -> Served:
        """The model in the folder; an error if its kind changed, because the service has no routes for another kind."""
        kind = kind_of(self.config.model)
        if kind != self.served.kind:
            raise StoreError(
                f"{self.config.model} now holds a {kind}, but this service was started with a {self.served.kind}. "
                "Restart the service, or restore the model."
            )
        return Served.load(self.config.model, self.journal.read())

    def _log_loaded(self, begin: float) -> None:
        seconds, n_left_out = round(time.monotonic() - begin, 3), self.served.n_left_out
        logger.info("model loaded", extra={"record": {"seconds": seconds, "entities": len(self.served.kb)}})
        if n_left_out:
            logger.warning("corrections left out: their entities are gone", extra={"record": {"number": n_left_out}})
