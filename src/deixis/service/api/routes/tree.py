"""/tree: the nodes of the label tree."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query

from deixis.candidates.edited_sources import EditedLabelTree
from deixis.candidates.sources.label_tree import LabelTreeSource
from deixis.errors import DataError
from deixis.explanation.tree_view import TreeView
from deixis.service.api import schema
from deixis.service.api.failures import Json
from deixis.service.served import Served
from deixis.service.state import ServiceState


def router(state: ServiceState) -> APIRouter:
    """The routes that show the tree."""
    routes = APIRouter(tags=["tree"])

    @routes.get("/tree", response_model=schema.Branches)
    async def below(
        level: Annotated[int, Query(ge=0, le=1000, description="Level; the root is on level 0.")] = 0,
        node: Annotated[int, Query(ge=0, lt=2**31, description="Number of the node on its level.")] = 0,
    ) -> Json:
        """Get the children of a node: branches with the words that their titles share, or entities."""
        branches = await state.run(lambda served: _view(served).below(level, node))
        return Json({"branches": [asdict(branch) for branch in branches]})

    @routes.get("/tree/way", response_model=schema.Way)
    async def way(entity: Annotated[str, Query(min_length=1, max_length=10_000)]) -> Json:
        """Get the nodes from the root to the parent of an entity."""
        nodes = await state.run(lambda served: _view(served).way_to(entity))
        return Json({"way": [{"level": level, "node": node} for level, node in nodes]})

    return routes


def _view(served: Served) -> TreeView:
    source = served.linker.model.sources.get("label_tree")
    # The tree itself is as it was built: entities that were added since are beside it.
    tree = source.tree if isinstance(source, EditedLabelTree) else source
    if not isinstance(tree, LabelTreeSource):
        raise DataError("This model has no label tree to look at. Build it with the source 'label_tree'.")
    return TreeView(tree)
