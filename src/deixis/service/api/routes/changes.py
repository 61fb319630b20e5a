"""/changes, /undo and /compact: the history of the model. All need the token."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from deixis.errors import ConfigError
from deixis.linking.undo import in_force
from deixis.service.api import change_schema
from deixis.service.api.failures import Json
from deixis.service.api.routes.operations import NEEDS_TOKEN
from deixis.service.state import ServiceState
from deixis.store.change import Change

MAX_ITEMS = 100  # of a change in the history


def router(state: ServiceState) -> APIRouter:
    """The routes of the history."""
    routes = APIRouter(tags=["changes"], dependencies=[NEEDS_TOKEN])

    @routes.get("/changes", response_model=change_schema.Changes)
    async def changes(
        limit: Annotated[int, Query(ge=1, le=1000)] = 50,
        since: Annotated[int, Query(ge=0, le=change_schema.MAX_GENERATION, description="Only later changes.")] = 0,
    ) -> Json:
        """Get the history of the model, the newest change first: entities, names and corrections."""
        live = state.model.live

        def answer(generation: int) -> Json:
            several = live.log(limit, since)
            alive = {each.generation for each in in_force(several)}
            records = [change_record(each, MAX_ITEMS) | {"undone": each.generation not in alive} for each in several]
            return Json({"generation": generation, "changes": records})

        return await state.run(lambda served: answer(served.linker.generation))

    @routes.post("/undo", response_model=change_schema.ChangeOut)
    async def undo(request: change_schema.UndoRequest) -> Json:
        """Take back changes; answers are then the same as before. 409 if a later change built on one of them."""
        which: int | tuple[int, int] | None = request.generation
        if request.last is not None:
            if request.generation is None:
                raise ConfigError("'last' needs 'generation', the first change of the range.")
            which = request.generation, request.last
        return Json(change_record(await state.change(lambda live: live.undo(which, **request.about()))))

    @routes.post("/compact", response_model=change_schema.Compacting, status_code=202)
    async def compact() -> Json:
        """Start to write all changes into the model folder, in the background; the service answers meanwhile."""
        served = await state.current()
        return Json({"started": state.compact(), "generation": served.generation}, 202)

    return routes


def change_record(change: Change, max_items: int | None = None) -> dict[str, Any]:
    """A change as JSON."""
    record = change.to_dict()
    return record | {"n_items": len(change.items), "items": record["items"][:max_items], "undone": False}
