"""The state that the routes of a worker share: the current model, its queue and the metrics."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from typing import TypeVar

from deixis.errors import StoreError, ToolkitError
from deixis.linking.options import LinkOptions
from deixis.live import LiveModel
from deixis.service.api.failures import Refusal, where
from deixis.service.config import ServiceConfig
from deixis.service.process.metrics import Metrics
from deixis.service.process.shared_state import ALIVE, FAILED, LOADED, RELOAD_REQUESTED, SharedState
from deixis.service.process.work_queue import WorkQueue
from deixis.service.served import OpenedModel, Served, kind_of
from deixis.store.change import Change
from deixis.types import Document

T = TypeVar("T")
logger = logging.getLogger(__name__)

TICK = 0.1  # seconds between checks for requested reloads
GENERATION: ContextVar[int | None] = ContextVar("generation", default=None)
"""The generation of the model that answers the current request; None if no model with a journal does."""


class ServiceState:
    """The state of one worker. `metrics` is set when the app is created."""

    metrics: Metrics

    def __init__(self, config: ServiceConfig, shared: SharedState | None = None, worker: int = 0) -> None:
        self.config, self.shared, self.worker = config, shared or SharedState(), worker
        self.queue = WorkQueue(config.limits.threads, config.limits.queue, config.limits.seconds)
        self._row = self.shared.row(worker)
        self._row[LOADED] = self._row[FAILED] = 0
        self._changing = asyncio.Lock()  # so that waiting changes hold one thread only
        self._compacting: asyncio.Task[None] | None = None
        self.is_ready = True  # False while the worker is stopping
        self._last_failure = self._last_refresh_failure = ""
        self._row[ALIVE] = 1
        begin = time.monotonic()
        self.model = OpenedModel(config.model, config.limits.seconds)
        self._row[LOADED] = begin
        self._log_loaded(begin)

    @property
    def served(self) -> Served:
        """The model that answered last; see `current`."""
        return self.model.served

    def newest(self) -> Served:
        """The model with every change so far, for a thread; the last one, if the changes cannot be read."""
        model = self.model
        try:
            served = model.newest()
            self._last_refresh_failure = ""
            return served
        except (ToolkitError, OSError) as error:
            if str(error) != self._last_refresh_failure:  # once, not at every request
                self._last_refresh_failure = str(error)
                record = {"error": type(error).__name__, "message": str(error)}
                logger.error("changes not applied", extra={"record": record})
            return model.served

    async def current(self) -> Served:
        """The model with every change so far; the request is answered by it."""
        served = await asyncio.to_thread(self.newest)
        GENERATION.set(served.generation)
        return served

    async def run(self, work: Callable[[Served], T]) -> T:
        """The result of `work(model)`, run in a thread of the queue; 429 if the queue is full, 504 if it is too slow.

        The work keeps its model even if another one is loaded meanwhile.
        """

        def with_newest() -> tuple[Served, T]:
            served = self.newest()
            return served, work(served)

        served, result = await self.queue.run(with_newest)
        GENERATION.set(served.generation)
        return result

    def check_length(self, texts: Iterable[str]) -> None:
        """Raises Refusal (413) if a text is too long to be answered in time."""
        most = self.config.limits.max_characters
        for text in texts:
            if len(text) > most:
                raise Refusal(
                    413,
                    "too_long",
                    f"A text has {len(text):,} characters; at most {most:,} are allowed. Send it in parts, link the "
                    "file with deixis link, or start the service with a larger --set max_characters.",
                )

    async def link(
        self, documents: Sequence[Document], options: LinkOptions, served: Served | None = None
    ) -> list[Document]:
        """The linked documents. Waiting requests with equal options are linked in the same batch.

        The newest model at the time of linking is used unless `served` names another.
        """

        def linked_by(items: list[Document]) -> list[tuple[Served, Document]]:
            own = served or self.newest()
            return [(own, document) for document in own.linker.link_many(items, options)]

        self.check_length(document.text for document in documents)
        n_letters = sum(len(document.text) for document in documents)
        answers = await self.queue.run_together(linked_by, (served, options), list(documents), n_letters)
        linked: list[Document] = [document for _, document in answers]
        if answers:
            GENERATION.set(answers[0][0].generation)
        mentions = [mention for document in linked for mention in document.mentions]
        self.metrics.add("deixis_documents_total", len(linked))
        self.metrics.add("deixis_mentions_total", len(mentions))
        self.metrics.add("deixis_links_total", sum(mention.entity is not None for mention in mentions))
        return linked

    async def change(self, make: Callable[[LiveModel], Change]) -> Change:
        """The change that `make(live)` wrote; every worker has it at its next request."""
        live = self.model.live
        async with self._changing:
            change = await asyncio.to_thread(make, live)
        if change.generation is not None:
            self.metrics.add("deixis_changes_total")
        GENERATION.set(self.served.generation if change.generation is None else change.generation)
        return change

    def compact(self) -> bool:
        """Starts to write all changes into the model folder, in the background; False if that is under way."""
        live = self.model.live
        if self._compacting is not None and not self._compacting.done():
            return False
        self._compacting = asyncio.create_task(self._compact(live))
        return True

    async def _compact(self, live: LiveModel) -> None:
        begin = time.monotonic()
        try:
            generation = await asyncio.to_thread(live.compact)
        except (ToolkitError, OSError) as error:
            logger.error("not compacted", extra={"record": {"error": type(error).__name__, "message": str(error)}})
            return
        record = {"generation": generation, "seconds": round(time.monotonic() - begin, 3)}
        logger.info("compacted", extra={"record": record})

    async def reload(self) -> None:
        """Reloads the model folder in all workers; requests are answered by the old model meanwhile."""
        requested_at = self.shared.request(RELOAD_REQUESTED, self.worker)
        await self._all_loaded(requested_at)
        n_failed = self.shared.n_failed(requested_at)
        if n_failed:
            is_own = self._row[FAILED] > self._row[LOADED]
            why = self._last_failure if is_own else f"{n_failed} of {self.shared.n_workers} workers: see the log."
            raise Refusal(409, "model", f"The previous model stays in use. {why}")

    async def _all_loaded(self, requested_at: float) -> None:
        """Returns when every worker has done, or failed to do, the reload that was requested then."""
        deadline = time.monotonic() + self.config.limits.seconds
        while self.shared.n_behind(requested_at):
            if time.monotonic() > deadline:
                raise Refusal(504, "late", "Not all workers have loaded the model yet; they continue to load it.")
            await asyncio.sleep(TICK / 4)

    async def watch(self) -> None:
        """Loads the model whenever a reload is requested, until cancelled."""
        while True:
            self.metrics.set("deixis_requests_running", self.queue.n_running)
            self.metrics.set("deixis_requests_waiting", self.queue.n_held - self.queue.n_running)
            self.metrics.set("deixis_entities", self.served.kb.n_entities)
            self.metrics.set("deixis_generation", self.served.generation or 0)
            if self.shared.requested_at(RELOAD_REQUESTED) > max(float(self._row[LOADED]), float(self._row[FAILED])):
                await self._load()
            await asyncio.sleep(TICK)

    async def _load(self) -> None:
        begin = time.monotonic()  # requests from now on are not covered by this load
        try:
            loaded = await asyncio.to_thread(self._loaded)
        except Exception as error:  # noqa: BLE001 - whatever it is, later reloads must still work
            is_foreseen = isinstance(error, ToolkitError | OSError)
            # The message of an unexpected error may contain a user's text, so only its type is kept.
            self._last_failure = str(error) if is_foreseen else f"{type(error).__name__}: see the log."
            more = {"message": str(error)} if is_foreseen else {"where": where(error)}
            logger.error("model not loaded", extra={"record": {"error": type(error).__name__, **more}})
            self.metrics.add("deixis_model_load_failures_total")
            self._row[FAILED] = begin  # last, so that whoever waits for it sees the rest
            return
        self.model, previous = loaded, self.model
        await asyncio.to_thread(previous.close)
        self.metrics.add("deixis_model_loads_total")
        self._log_loaded(begin)
        self._row[LOADED] = begin

    def end(self) -> None:
        """Finishes accepted requests; other workers no longer wait for this one."""
        self._row[ALIVE] = 0
        self.queue.close()
        self.model.close()

    def _loaded(self) -> OpenedModel:
        """The model in the folder; an error if its kind changed, because the service has no routes for another kind."""
        kind = kind_of(self.config.model)
        if kind != self.served.kind:
            raise StoreError(
                f"{self.config.model} now holds a {kind}, but this service was started with a {self.served.kind}. "
                "Restart the service, or restore the model."
            )
        return OpenedModel(self.config.model, self.config.limits.seconds)

    def _log_loaded(self, begin: float) -> None:
        record = {"seconds": round(time.monotonic() - begin, 3), "entities": self.served.kb.n_entities}
        logger.info("model loaded", extra={"record": record})
