"""/entities: look up entities by id and search them by name."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from deixis.candidates.filters import unknown_ids
from deixis.service.api import schema
from deixis.service.api.batches import check_batch
from deixis.service.api.failures import Json, Refusal
from deixis.service.searching import entity_record, search
from deixis.service.state import ServiceState


def router(state: ServiceState) -> APIRouter:
    """The routes of entity lookup and search."""
    routes = APIRouter(tags=["entities"])

    @routes.get("/entities", response_model=schema.EntitiesFound)
    async def find(
        q: Annotated[str, Query(min_length=1, max_length=1000, description="A name or its beginning.")],
        match: Annotated[schema.Match, Query(description="By prefix, by similarity (alike), or both (any).")] = "any",
        types: Annotated[list[str] | None, Query(description="Only entities of one of these types.")] = None,
        limit: Annotated[int, Query(ge=1, le=100)] = 10,
    ) -> Json:
        """Search entities by name."""
        matches = await state.run(lambda served: search(served, [q], match, types, limit))
        return Json({"entities": matches[0]})

    @routes.get("/entities/{identifier:path}", response_model=schema.EntityOut)
    async def one(identifier: str) -> Json:
        """Get the record of an entity."""
        kb = state.served.kb
        record = entity_record(kb, identifier)
        if record is None:
            raise Refusal(404, "not_found", await state.run(lambda served: unknown_ids(served.kb, [identifier], 1)))
        return Json(record)

    @routes.post("/entities", response_model=schema.EntitiesAnswer)
    async def several(request: schema.EntitiesRequest) -> Json:
        """Look up several entities by id and search several names in one request."""
        check_batch(state, "ids and names", len(request.ids) + len(request.names))
        matches = []
        if request.names:
            arguments = request.names, request.match, request.types, request.limit
            matches = await state.run(lambda served: search(served, *arguments))
        kb = state.served.kb
        return Json({"entities": [entity_record(kb, each) for each in request.ids], "found": matches})

    return routes
