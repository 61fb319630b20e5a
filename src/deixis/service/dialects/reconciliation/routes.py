"""The Reconciliation Service API 0.2, as used by OpenRefine: manifest, queries, suggest and preview."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from deixis import __version__
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.options import LinkOptions
from deixis.service.api.batches import check_batch
from deixis.service.api.failures import Json, Refusal
from deixis.service.dialects.forms import bad, fields_of, form_schema
from deixis.service.dialects.pages import Page, link
from deixis.service.dialects.reconciliation.queries import (
    LIMIT,
    candidates,
    entity_facts,
    entity_result,
    queries_from,
    type_records,
)
from deixis.service.dialects.uris import uri_of
from deixis.service.searching import search
from deixis.service.served import Served
from deixis.service.state import ServiceState
from deixis.types import Mention

ROOT = "/reconcile"
PREVIEW = (430, 300)  # pixels
MAX_CURSOR = 1000
CONTEXT = {
    "id": "context",
    "name": "Context",
    "description": "Anything else that is known; it distinguishes namesakes. Every property is used as context.",
}
OPENREFINE = ("http://127.0.0.1:3333", "http://localhost:3333")
"""Where OpenRefine's page is on the machine of its user: it may read these answers without --cors-origin."""
Prefix = Annotated[str, Query(max_length=1000, description="The text typed so far.")]
Cursor = Annotated[int, Query(ge=0, le=MAX_CURSOR, description="How many to skip.")]


def router(state: ServiceState) -> APIRouter:
    """The routes that OpenRefine uses."""
    routes = APIRouter(prefix=ROOT, tags=["dialect of OpenRefine (reconciliation)"])

    @routes.get("", response_model=dict[str, Any])
    async def manifest(
        request: Request,
        queries: Annotated[str | None, Query(description="A batch of queries, in JSON.")] = None,
    ) -> Response:
        """The service manifest; or, with `queries`, their candidates."""
        if queries is None:
            return _answer(request, _manifest(state, await state.current(), _base(state, request)))
        return _answer(request, await _reconciled(state, queries))

    @routes.post("", response_model=dict[str, Any], openapi_extra=form_schema(queries="A batch of queries, in JSON."))
    async def reconcile(request: Request) -> Response:
        """The candidates for each query of a batch."""
        fields = await fields_of(request)
        if "queries" not in fields:
            raise bad("The form has no queries. Send a batch of them, as JSON, in the field 'queries'.")
        results = await _reconciled(state, fields["queries"])
        return _answer(request, results)

    @routes.get("/suggest/entity", response_model=dict[str, Any])
    async def suggest_entity(request: Request, prefix: Prefix = "", cursor: Cursor = 0) -> Response:
        """Entities with a name that begins with the prefix."""
        kb, results = (await state.current()).kb, []
        if prefix.strip():
            matches = await state.run(lambda served: search(served, [prefix.strip()], "prefix", None, cursor + LIMIT))
            own = kb.own_id(prefix.strip())
            ids = dict.fromkeys(([] if own is None else [own]) + [each["id"] for each in matches[0]])
            entities = [kb.entity(each) for each in list(ids)[cursor : cursor + LIMIT] if kb.row_of(each) is not None]
            results = [entity_result(each) | {"notable": type_records(each.types)} for each in entities]
        return _answer(request, {"result": results})

    @routes.get("/suggest/type", response_model=dict[str, Any])
    async def suggest_type(request: Request, prefix: Prefix = "", cursor: Cursor = 0) -> Response:
        """Types that begin with the prefix, those with most entities first."""
        folded = prefix.strip().casefold()
        names = [name for name in _types((await state.current()).kb) if name.casefold().startswith(folded)]
        return _answer(request, {"result": type_records(names[cursor : cursor + LIMIT])})

    @routes.get("/suggest/property", response_model=dict[str, Any])
    async def suggest_property(request: Request, prefix: Prefix = "", cursor: Cursor = 0) -> Response:
        """The only property: context of a name."""
        is_match = CONTEXT["id"].startswith(prefix.strip().casefold()) and cursor == 0
        return _answer(request, {"result": [CONTEXT] if is_match else []})

    @routes.get("/preview", response_class=HTMLResponse)
    async def preview(id: Annotated[str, Query(max_length=10_000)]) -> Response:
        """A small page about an entity."""
        return _preview((await state.current()).kb, id, state.config.uri_prefix)

    return routes


def _answer(request: Request, content: dict[str, Any]) -> Response:
    """The content as JSON that OpenRefine's own page may read."""
    response, origin = Json(content), request.headers.get("origin")
    if origin in OPENREFINE:
        response.headers.update({"access-control-allow-origin": origin, "vary": "Origin"})
    return response


async def _reconciled(state: ServiceState, text: str) -> dict[str, Any]:
    """The results of a batch, by the keys of its queries."""
    queries = queries_from(text)
    check_batch(state, "queries", len(queries))
    served = await state.current()
    is_calibrated = served.linker.model.decisions.given.curve is not None
    type_names = frozenset(served.kb.type_names)
    key_to_options = {key: query.options(type_names) for key, query in queries.items()}
    options_to_keys: dict[LinkOptions, list[str]] = {}
    for key, options in ((key, each) for key, several in key_to_options.items() for each in several):
        options_to_keys.setdefault(options, []).append(key)
    linked: dict[tuple[str, LinkOptions], Mention] = {}
    for options, keys in options_to_keys.items():
        documents = await state.link([queries[key].document() for key in keys], options, served)
        linked |= {(key, options): document.mentions[0] for key, document in zip(keys, documents, strict=True)}
    mentions = {key: [linked[key, options] for options in key_to_options[key]] for key in queries}
    return {
        key: {"result": candidates(served.kb, query, mentions[key], is_calibrated)} for key, query in queries.items()
    }


def _base(state: ServiceState, request: Request) -> str:
    """The base URL for clients: the configured one, or that of the request."""
    return state.config.public_url or str(request.base_url).rstrip("/")


def _manifest(state: ServiceState, served: Served, base: str) -> dict[str, Any]:
    page = f"{base}{ROOT}/preview?id={{{{id}}}}"
    kb = served.kb

    def suggesting(what: str) -> Mapping[str, str]:
        return {"service_url": base, "service_path": f"{ROOT}/suggest/{what}"}

    return {
        "versions": ["0.2"],
        "name": f"Deixis: {served.path.resolve().name}",
        "identifierSpace": state.config.uri_prefix,
        "schemaSpace": "https://schema.org/Thing",
        "defaultTypes": type_records(_types(kb)[:LIMIT]),
        "serviceVersion": __version__,
        "view": {"url": page},
        "preview": {"url": page, "width": PREVIEW[0], "height": PREVIEW[1]},
        "suggest": {what: suggesting(what) for what in ("entity", "type", "property")},
        "batchSize": state.config.limits.max_batch,
    }


def _types(kb: KnowledgeBase) -> Sequence[str]:
    """The names of all types, those with most entities first."""
    counts = np.bincount(kb.type_codes, minlength=len(kb.type_names))
    return [kb.type_names[code] for code in np.argsort(-counts, kind="stable").tolist()]


def _preview(kb: KnowledgeBase, identifier: str, uri_prefix: str) -> Page:
    row = kb.row_of(identifier)
    if row is None:
        raise Refusal(404, "not_found", f"No entity has the id {identifier[:100]!r}.")
    entity = kb.entity(row)
    facts = "".join(
        f"<dt>{name}</dt><dd><bdi>{escape(value)}</bdi></dd>" for name, value in entity_facts(entity).items()
    )
    title = link(uri_of(kb, entity.id, uri_prefix), entity.title or entity.id)
    body = f"<h1><bdi>{title}</bdi></h1><p><bdi>{escape(entity.gloss)}</bdi></p><dl>{facts}</dl>"
    return Page(entity.title or entity.id, body)
