"""/learn and /reload: corrections and reloads of the model. Both need the token."""

from __future__ import annotations

import time

from fastapi import APIRouter

from deixis.documents.corrections import corrections_from
from deixis.documents.places import Place
from deixis.service.api import schema
from deixis.service.api.batches import check_batch
from deixis.service.api.failures import Json
from deixis.service.api.routes.operations import NEEDS_TOKEN, about
from deixis.service.state import ServiceState


def learn_router(state: ServiceState) -> APIRouter:
    """The route that takes corrections."""
    routes = APIRouter(tags=["learning"], dependencies=[NEEDS_TOKEN])

    @routes.post("/learn", response_model=schema.LearnAnswer)
    async def learn(request: schema.LearnRequest) -> Json:
        """Correct links; every worker has the corrections at its next request, and `/undo` takes them back.

        They are kept in the journal beside the model folder, like all changes.
        """
        begin = time.monotonic()
        check_batch(state, "corrections", len(request.corrections))
        records = [each.model_dump(exclude_unset=True) for each in request.corrections]
        texts: dict[str, tuple[str, str | None]] = {}
        corrections = []
        for number, record in enumerate(records, 1):
            corrections += corrections_from(record, Place("corrections", number), texts)
        change = await state.change(lambda live: live.correct(corrections, **request.about()))
        n_new = sum(item.before is None for item in change.items)
        served = await state.current()
        if change.generation is not None:
            state.metrics.add("deixis_corrections_total", len(change.items))
        return Json(
            {
                "new": n_new,
                "changed": len(change.items) - n_new,
                "known": max(0, len(corrections) - len(change.items)),
                "corrections": len(served.linker.corrections),
                "generation": change.generation,
                "seconds": round(time.monotonic() - begin, 3),
            }
        )

    return routes


def router(state: ServiceState) -> APIRouter:
    """The route that reloads the model folder."""
    routes = APIRouter(tags=["operations"], dependencies=[NEEDS_TOKEN])

    @routes.post("/reload", response_model=schema.Ready)
    async def reload() -> Json:
        """Reload the model folder in all workers; requests are answered by the old model meanwhile."""
        await state.reload()
        return Json(await about(state))

    return routes
