"""DBpedia Spotlight: `/rest/annotate` and `/rest/candidates`, with parameters in a query string or a form.

Spotlight is written in Java, so its offsets count UTF-16 units: a character beyond U+FFFF, such as an emoji, counts as
two. `/rest` does the same. Most Python clients expect code points; `/rest/code-points` returns those. Numbers are
strings, as in Spotlight.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from deixis.documents.spans import Ruler, Unit
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.options import LinkOptions
from deixis.service.api.failures import Json
from deixis.service.dialects.forms import bad, fields_of, form_schema, number, query_schema
from deixis.service.dialects.nif import turtle
from deixis.service.dialects.spotlight.answers import annotated_page, preferred, resource, surface_form, unwrapped
from deixis.service.state import ServiceState
from deixis.types import Document

PREFIXES = {"/rest": Unit.UTF16_UNITS, "/rest/code-points": Unit.CODE_POINTS}
KINDS = ("application/json", "text/html", "text/turtle")
FIELDS = {
    "text": "Text to annotate.",
    "confidence": "Lowest confidence of a link, 0 to 1; the model's threshold by default.",
    "support": "Lowest count of an entity; entities without a count always pass.",
    "types": "Types of the knowledge base, separated by commas.",
    "policy": "whitelist: only entities of these types; blacklist: only others.",
}


@dataclass(frozen=True)
class SpotlightRequest:
    """The parameters of a Spotlight request."""

    text: str
    confidence: float | None
    support: int
    types: tuple[str, ...]
    is_blacklist: bool

    @classmethod
    def of(cls, fields: Mapping[str, str]) -> SpotlightRequest:
        """The fields, checked."""
        if not fields.get("text", "").strip():
            raise bad("The request has no text. Send it in the field 'text'; pages behind a 'url' are not fetched.")
        if fields.get("sparql", "").strip():
            raise bad("'sparql' is not supported. Filter by 'types', the types of the knowledge base.")
        confidence = number(fields, "confidence", -1, 1)
        policy = fields.get("policy", "").strip().lower() or "whitelist"
        if policy not in ("whitelist", "blacklist"):
            raise bad(f"policy must be whitelist or blacklist, got {policy[:50]!r}.")
        types = tuple(name.strip() for name in fields.get("types", "").split(",") if name.strip())
        return cls(
            text=fields["text"],
            confidence=None if confidence is None else max(0.0, confidence),
            support=int(number(fields, "support", -1, 1e15) or 0),
            types=types,
            is_blacklist=policy == "blacklist",
        )

    def options(self) -> LinkOptions:
        """The link options."""
        types = () if self.is_blacklist else self.types
        return LinkOptions(types=types, threshold=self.confidence)

    def allows(self, kb: KnowledgeBase, identifier: str) -> bool:
        """Whether the response may contain an entity."""
        row = kb.row_of(identifier)
        if row is None:
            return False
        is_known = not 0 < int(kb.counts[row]) < self.support
        return is_known and not (self.is_blacklist and set(kb.types(row)) & set(self.types))


def router(state: ServiceState) -> APIRouter:
    """The routes of Spotlight's API."""
    routes = APIRouter(tags=["dialect of DBpedia Spotlight"])
    for prefix, unit in PREFIXES.items():
        _add(routes, state, prefix, unit)
    return routes


def _add(routes: APIRouter, state: ServiceState, prefix: str, unit: Unit) -> None:
    uri_prefix = state.config.uri_prefix

    async def annotate(request: Request) -> Response:
        """Annotate a text in DBpedia Spotlight's format: JSON, HTML or NIF (Turtle), by the Accept header."""
        query = SpotlightRequest.of(await fields_of(request))
        document, kb = await _linked(state, query)
        mentions = [m for m in document.mentions if m.entity is not None and query.allows(kb, m.entity)]
        kind = preferred(request.headers.get("accept", ""), KINDS)
        if kind == "text/html":
            return annotated_page(document.text, mentions, kb, uri_prefix)
        if kind == "text/turtle":
            return await turtle([document.with_mentions(mentions)], kb, uri_prefix, kind)
        record = {
            "@text": query.text,
            "@confidence": "" if query.confidence is None else str(query.confidence),
            "@support": str(query.support),
            "@types": ",".join(query.types),
            "@sparql": "",
            "@policy": "blacklist" if query.is_blacklist else "whitelist",
        }
        ruler = Ruler(query.text, unit)
        resources = [resource(mention, kb, ruler, uri_prefix) for mention in mentions]
        return Json(record | ({"Resources": resources} if resources else {}))  # Spotlight leaves an empty list out

    async def candidates(request: Request) -> Response:
        """The candidates of each mention of a text, in DBpedia Spotlight's JSON."""
        query = SpotlightRequest.of(await fields_of(request))
        document, kb = await _linked(state, query)
        ruler, forms = Ruler(query.text, unit), []
        for mention in document.mentions:
            shown = [each for each in mention.candidates if query.allows(kb, each.id)]
            if shown:
                forms.append(surface_form(mention, shown, kb, ruler, uri_prefix))
        return Json({"annotation": {"@text": query.text} | ({"surfaceForm": unwrapped(forms)} if forms else {})})

    for name, answer in (("annotate", annotate), ("candidates", candidates)):
        routes.add_api_route(f"{prefix}/{name}", answer, methods=["GET"], openapi_extra=query_schema(**FIELDS))
        routes.add_api_route(f"{prefix}/{name}", answer, methods=["POST"], openapi_extra=form_schema(**FIELDS))


async def _linked(state: ServiceState, query: SpotlightRequest) -> tuple[Document, KnowledgeBase]:
    served = await state.current()
    linked = await state.link([Document("doc1", query.text)], query.options(), served)
    return linked[0], served.kb
