"""REL, the Radboud Entity Linker: text and spans in, lists out.

An answer is a list of `[start, length, mention, entity, confidence of the entity, confidence of the span, tag]`, for
linked mentions only. Offsets count code points, as in REL. Entities are ids of the knowledge base. REL reads `&amp;`
as `&`, which shifts all later offsets; here texts are not changed.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from deixis.documents.json_lines import short_score
from deixis.documents.spans import checked_span, in_text_order
from deixis.errors import DataError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.options import LinkOptions
from deixis.service.api.batches import check_mentions
from deixis.service.api.failures import Json
from deixis.service.state import ServiceState
from deixis.types import Document, Mention

PATHS = ("/rel", "/")
UP = {"schemaVersion": 1, "label": "status", "message": "up", "color": "green"}
NO_TAG = "NULL"

Pair = Annotated[list[int], Field(min_length=2, max_length=2)]


class RelSpan(BaseModel):
    """A span as GERBIL's adapter sends it."""

    start: int
    length: int


class RelRequest(BaseModel):
    """A text, and spans as `[start, length]`; without spans, mentions are detected."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": "To save Troy, Paris had to be sacrificed.", "spans": [[14, 5]]}]}
    )
    text: str
    spans: list[Pair | RelSpan] = []

    def document(self) -> Document:
        """The request as a Document; an error if a span is not inside the text."""
        pairs = [(each.start, each.length) if isinstance(each, RelSpan) else (each[0], each[1]) for each in self.spans]
        spans = [checked_span(start, start + length, self.text, DataError) for start, length in pairs]
        mentions = [Mention(start, end, self.text[start:end]) for start, end in spans]
        return Document("doc1", self.text, None, in_text_order(mentions))


def router(state: ServiceState) -> APIRouter:
    """The routes of REL's API."""
    routes = APIRouter(tags=["dialect of REL"])

    @routes.post(PATHS[1], response_model=list[list[int | str | float]], include_in_schema=False)
    @routes.post(PATHS[0], response_model=list[list[int | str | float]])
    async def rel(request: RelRequest) -> Json:
        """Link a text and answer in REL's format: lists of start, length, mention, entity, confidences and type."""
        check_mentions(state, len(request.spans))
        document = request.document()
        served = await state.current()
        linked = (await state.link([document], LinkOptions(), served))[0]
        return Json(
            [_link_record(served.kb, mention, bool(document.mentions)) for mention in linked.mentions if mention.entity]
        )

    @routes.get(PATHS[0], response_model=dict[str, int | str])
    async def status() -> Json:
        """The status of the service, in REL's format."""
        return Json(UP)

    return routes


def _link_record(kb: KnowledgeBase, mention: Mention, is_given: bool) -> list[object]:
    score = 0.0 if mention.score is None else short_score(mention.score)
    row = kb.row_of(mention.entity or "")
    types = kb.types(row) if row is not None else ()
    # Where the two are not known apart, the score is the probability that both span and entity are right.
    span_score = 0.0 if is_given else score if mention.mention_score is None else short_score(mention.mention_score)
    entity_score = score if mention.entity_score is None else short_score(mention.entity_score)
    length = mention.end - mention.start
    return [
        mention.start,
        length,
        mention.text,
        mention.entity,
        entity_score,
        span_score,
        types[0] if types else NO_TAG,
    ]
