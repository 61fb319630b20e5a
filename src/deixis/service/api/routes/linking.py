"""/link and /explain."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter

from deixis.documents.formats.native_out import document_to_dict
from deixis.explanation.explain import LinkedText, explain
from deixis.explanation.records import Explanation
from deixis.service.api import schema
from deixis.service.api.batches import check_batch, check_mentions
from deixis.service.api.failures import Json
from deixis.service.served import Served
from deixis.service.state import ServiceState


def router(state: ServiceState) -> APIRouter:
    """The routes that link texts and explain links."""
    routes = APIRouter(tags=["linking"])

    @routes.post("/link", response_model=schema.DocumentOut)
    async def link(request: schema.LinkRequest) -> Json:
        """Link the mentions of a text: those given, or those detected."""
        check_mentions(state, len(request.mentions or ()))
        linked = await state.link([request.document()], request.options())
        return await asyncio.to_thread(lambda: Json(document_to_dict(linked[0])))

    @routes.post("/link/batch", response_model=schema.Linked)
    async def link_batch(request: schema.LinkBatch) -> Json:
        """Link several texts in one request, which is faster than one by one."""
        check_batch(state, "documents", len(request.documents))
        check_mentions(state, sum(len(each.mentions or ()) for each in request.documents))
        documents = [each.document(number) for number, each in enumerate(request.documents)]
        linked = await state.link(documents, request.options())
        return await asyncio.to_thread(lambda: Json({"documents": [document_to_dict(each) for each in linked]}))

    @routes.post("/explain", response_model=Explanation)
    async def explain_one(request: schema.ExplainRequest) -> Json:
        """Explain a link: contributions that add up, the path through the label tree, the runner-up.

        The text is linked as by `/link` with the same options; `mention_evidence` explains how the span was detected.
        """
        check_mentions(state, len(request.mentions or ()))
        state.check_length((request.text,))
        document = request.document()
        options, spans = request.options(), [(request.start, request.end)]
        explanations = await state.run(
            lambda served: explain(served.linker.model, document, spans, request.entity, options)
        )
        return Json(explanations[0].to_record())

    @routes.post("/explain/batch", response_model=list[Explanation])
    async def explain_all(request: schema.ExplainAllRequest) -> Json:
        """Explain all mentions of a text, given or detected, that have candidates."""
        check_batch(state, "mentions", len(request.mentions or ()))
        state.check_length((request.text,))
        document, options = request.document(), request.options()

        def explained(served: Served) -> Json:
            run = LinkedText.of(served.linker.model, document, options)
            check_batch(state, "mentions", len(run.linked.mentions))
            spans = [(each.start, each.end) for each in run.linked.mentions]
            run = run.with_spans(spans)
            return Json([run.explanation(span).to_record() for span in spans if run.has_candidates(span)])

        return await state.run(explained)

    return routes
