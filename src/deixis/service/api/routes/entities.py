"""/entities: look up entities by id, search them by name, and change them. Changes need the token."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query

from deixis.candidates.filters import unknown_ids
from deixis.documents.spans import without_surrogates
from deixis.errors import ConfigError, DataError
from deixis.live import About, LiveModel
from deixis.service.api import change_schema, schema
from deixis.service.api.batches import check_batch
from deixis.service.api.failures import Json, Refusal
from deixis.service.api.routes.changes import change_record
from deixis.service.api.routes.operations import NEEDS_TOKEN
from deixis.service.searching import entity_record, search
from deixis.service.served import Served
from deixis.service.state import ServiceState
from deixis.store.change import Change


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

        def record_in(served: Served) -> dict[str, Any]:
            record = entity_record(served.kb, identifier)
            if record is None:
                raise Refusal(404, "not_found", unknown_ids(served.kb, [identifier], 1))
            return record

        return Json(await state.run(record_in))

    @routes.post("/entities", response_model=schema.EntitiesAnswer)
    async def several(request: schema.EntitiesRequest) -> Json:
        """Look up several entities by id and search several names in one request."""
        check_batch(state, "ids and names", len(request.ids) + len(request.names))
        arguments = request.names, request.match, request.types, request.limit

        def answer(served: Served) -> Json:
            matches = search(served, *arguments) if request.names else []
            return Json({"entities": [entity_record(served.kb, each) for each in request.ids], "found": matches})

        return await state.run(answer)

    return routes


def write_router(state: ServiceState) -> APIRouter:
    """The routes that change entities of a linker."""
    routes = APIRouter(tags=["entities"], dependencies=[NEEDS_TOKEN])

    @routes.post("/entities/add", response_model=change_schema.ChangeOut)
    async def add(request: change_schema.AddRequest) -> Json:
        """Add entities, one or many, as one change; 409 if an id is there already."""
        check_batch(state, "entities", len(request.entities))
        records = [each.model_dump(exclude_none=True) for each in request.entities]
        return await changed(lambda live: live.add(records, **request.about()))

    @routes.post("/entities/remove", response_model=change_schema.ChangeOut)
    async def remove(request: change_schema.RemoveRequest) -> Json:
        """Remove several entities, and corrections that name them, as one change."""
        check_batch(state, "ids", len(request.ids))
        return await changed(lambda live: live.remove(request.ids, **request.about()))

    @routes.patch("/entities/{identifier:path}", response_model=change_schema.ChangeOut)
    async def edit(identifier: str, request: change_schema.EditRequest) -> Json:
        """Replace fields of an entity, or add or remove one of its names."""
        own, about = without_surrogates(identifier), request.about()
        if (request.set is not None) + (request.add_alias is not None) + (request.remove_alias is not None) != 1:
            raise ConfigError("Give one of 'set', 'add_alias' and 'remove_alias', such as {\"add_alias\": \"Ilion\"}.")
        if request.set is not None:
            fields = request.set.model_dump(exclude_unset=True)
            return await changed(lambda live: live.edit(own, fields, **about))
        if request.add_alias is not None:
            alias = request.add_alias if isinstance(request.add_alias, str) else request.add_alias.model_dump()
            return await changed(lambda live: live.add_alias(own, alias, **about))
        name = request.remove_alias or ""
        return await changed(lambda live: live.remove_alias(own, name, **about))

    @routes.delete("/entities/{identifier:path}", response_model=change_schema.ChangeOut)
    async def delete(
        identifier: str,
        author: Annotated[str, Query(max_length=1000, description="Who, for the history.")] = "",
        reason: Annotated[str, Query(max_length=1000, description="Why, for the history.")] = "",
        dry_run: Annotated[bool, Query(description="Only answer what would change.")] = False,
    ) -> Json:
        """Remove an entity, and corrections that name it."""
        own, about = without_surrogates(identifier), About(author=author, reason=reason, dry_run=dry_run)
        return await changed(lambda live: live.remove(own, **about))

    async def changed(make: Callable[[LiveModel], Change]) -> Json:
        try:
            return Json(change_record(await state.change(make)))
        except DataError as error:
            if error.line is None:
                raise
            raise DataError(f"record {error.line}: {error.reason}") from None

    return routes
