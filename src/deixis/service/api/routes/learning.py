"""/learn and /reload: what changes the model that is served. Both need the token."""

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
"""Says so in the OpenAPI file; who comes without it is turned away at the gate."""


def learn_router(state: ServiceState) -> APIRouter:
    """The path that takes corrections."""
    routes = APIRouter(tags=["learning"], dependencies=[NEEDS_TOKEN])

    @routes.post("/learn", response_model=schema.LearnAnswer)
    async def learn(request: schema.LearnRequest) -> Json:
        """Learn corrections of links, at once and in all workers; they are kept in the service's corrections file.

        The model folder stays as it is: `deixis learn MODEL FILE` puts them into it for good.
        """
        begin = time.monotonic()
        check_batch(state, "corrections", len(request.corrections))
        records = [each.model_dump(exclude_unset=True) for each in request.corrections]
        texts: dict[str, tuple[str, str | None]] = {}
        corrections = [
            correction_from(record, Place("corrections", number), texts) for number, record in enumerate(records, 1)
        ]
        for record, correction in zip(records, corrections, strict=True):
            record["text"] = correction.text  # in the file every line stands for itself
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
    """The path that has the model folder loaded anew."""
    routes = APIRouter(tags=["operations"], dependencies=[NEEDS_TOKEN])

    @routes.post("/reload", response_model=schema.Ready)
    async def reload() -> Json:
        """Load the model folder anew, in all workers; requests are answered meanwhile by the model that is there."""
        await state.reload()
        return Json(about(state))

    return routes
