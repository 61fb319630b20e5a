"""/link and /explain."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter

from deixis.documents.formats.native_out import document_to_dict
from deixis.linking.explaining import explain, explain_spans
from deixis.linking.explanation import Explanation
from deixis.service.api import schema
from deixis.service.api.batches import check_batch, check_mentions
from deixis.service.api.failures import Json
from deixis.service.served import Served
from deixis.service.state import ServiceState


def router(state: ServiceState) -> APIRouter:
    """The paths that link texts and say why."""
    routes = APIRouter(tags=["linking"])

    @routes.post("/link", response_model=schema.DocumentOut)
    async def link(request: schema.LinkRequest) -> Json:
        """Link the mentions of a text: those given, or those that are found in it."""
        check_mentions(state, len(request.mentions or ()))
        linked = await state.link([request.document()], request.choices())
        return await asyncio.to_thread(lambda: Json(document_to_dict(linked[0])))

    @routes.post("/link/batch", response_model=schema.Linked)
    async def link_batch(request: schema.LinkBatch) -> Json:
        """Link several texts at once, which is quicker than one by one."""
        check_batch(state, "documents", len(request.documents))
        check_mentions(state, sum(len(each.mentions or ()) for each in request.documents))
        documents = [each.document(number) for number, each in enumerate(request.documents)]
        linked = await state.link(documents, request.choices())
        return await asyncio.to_thread(lambda: Json({"documents": [document_to_dict(each) for each in linked]}))

    @routes.post("/explain", response_model=Explanation)
    async def explain_one(request: schema.ExplainRequest) -> Json:
        """Say why a span means its entity: numbers that add up, the way through the label tree, the runner-up.

        A text without mentions is searched as `/link` does; where chances decide what is a mention, `found` says how.
        """
        check_mentions(state, len(request.mentions or ()))
        document = request.document()
        told = await state.run(
            lambda served: explain(served.linker, document, request.start, request.end, request.entity)
        )
        return Json(told.to_record())

    @routes.post("/explain/batch", response_model=list[Explanation])
    async def explain_all(request: schema.ExplainAllRequest) -> Json:
        """The same for all mentions of a text: those given, or those that are found in it; none without candidates."""
        check_batch(state, "mentions", len(request.mentions or ()))
        document = request.document()

        def told(served: Served) -> Json:
            linked = document if document.mentions else served.linker.link(document)
            check_batch(state, "mentions", len(linked.mentions))
            spans = [(each.start, each.end) for each in linked.mentions]
            every = explain_spans(served.linker, document, spans, skip_unknown=True, linked=linked)
            return Json([each.to_record() for each in every])

        return await state.run(told)

    return routes
