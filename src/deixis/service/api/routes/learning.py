"""/learn and /reload: corrections and reloads of the model. Both need the token."""

from __future__ import annotations

import time

from fastapi import APIRouter, Depends
from fastapi.security import HTTPBearer

from deixis.documents.corrections import correction_from
from deixis.documents.places import Place
from deixis.service.api import schema
from deixis.service.api.batches import check_batch
from deixis.service.api.failures import Json
from deixis.service.api.routes.operations import about
from deixis.service.state import ServiceState

NEEDS_TOKEN = Depends(HTTPBearer(scheme_name="token", auto_error=False))
"""Documents the token in the OpenAPI file; the request guard enforces it."""


def learn_router(state: ServiceState) -> APIRouter:
    """The route that takes corrections."""
    routes = APIRouter(tags=["learning"], dependencies=[NEEDS_TOKEN])

    @routes.post("/learn", response_model=schema.LearnAnswer)
    async def learn(request: schema.LearnRequest) -> Json:
        """Apply corrections at once in all workers and save them in the service's corrections file.

        The model folder does not change: `deixis correct MODEL FILE` adds the corrections to it.
        """
        begin = time.monotonic()
        check_batch(state, "corrections", len(request.corrections))
        records = [each.model_dump(exclude_unset=True) for each in request.corrections]
        texts: dict[str, tuple[str, str | None]] = {}
        corrections = [
            correction_from(record, Place("corrections", number), texts) for number, record in enumerate(records, 1)
        ]
        for record, correction in zip(records, corrections, strict=True):
            record["text"] = correction.text  # every line of the file is self-contained
        result = await state.learn(corrections, records)
        return Json(
            {
                "new": result.n_new,
                "changed": result.n_changed,
                "known": result.n_known,
                "corrections": len(result.model.corrections),
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
        return Json(about(state))

    return routes
