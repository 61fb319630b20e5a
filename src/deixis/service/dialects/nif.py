"""GERBIL's annotators over NIF: Turtle in, the same documents with links in Turtle out.

Phrases that a document has are linked, whatever they are linked to already; in a document without any, mentions are
found. Offsets count code points, as NIF defines them. Contexts keep the names they came with.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from deixis.documents.formats.nif.iris import NIF, document_id, to_iri
from deixis.documents.formats.nif.read import nif_documents
from deixis.documents.formats.nif.write import write_nif
from deixis.documents.turtle import read_triples
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.options import LinkOptions
from deixis.service.api.batches import check_batch, check_mentions
from deixis.service.dialects.forms import bad
from deixis.service.dialects.uris import uri_of
from deixis.service.state import ServiceState
from deixis.types import Document, Mention

KINDS = ("text/turtle", "application/x-turtle")
"""What Turtle is called; GERBIL calls it the second."""
CONTENT = {kind: {"schema": {"type": "string"}} for kind in KINDS}
SOURCE = "the body"


def router(state: ServiceState) -> APIRouter:
    """The path that GERBIL can be given as an annotator."""
    routes = APIRouter(tags=["dialect of GERBIL (NIF)"])
    request_body: dict[str, Any] = {"requestBody": {"required": True, "content": CONTENT}}

    @routes.post("/nif", openapi_extra=request_body, responses={200: {"content": CONTENT}}, response_class=Response)
    async def annotate(request: Request) -> Response:
        """Link the phrases of NIF documents in Turtle, or find them where there are none."""
        kind = request.headers.get("content-type", KINDS[0]).partition(";")[0].strip().lower()
        if kind not in KINDS:
            raise bad(f"NIF is taken in Turtle only ({' or '.join(KINDS)}), got {kind[:100]!r}.")
        body = await request.body()
        documents, contexts = await state.run(lambda _: _read(body))
        check_batch(state, "documents", len(documents))
        check_mentions(state, sum(len(document.mentions) for document in documents))
        served = state.served
        linked = await state.link(documents, LinkOptions(), served)
        return await turtle(linked, served.kb, state.config.uri_prefix, kind, contexts)

    return routes


async def turtle(
    documents: Sequence[Document],
    kb: KnowledgeBase,
    uri_prefix: str,
    kind: str = KINDS[0],
    contexts: Mapping[str, str] | None = None,
) -> Response:
    """Linked documents in NIF, their entities as URIs; `contexts` are names of contexts by the id of the document."""

    def written() -> bytes:
        stream = io.StringIO()
        write_nif(documents, stream, contexts=contexts, iris_of=lambda entity: [uri_of(kb, entity, uri_prefix)])
        return stream.getvalue().encode("utf-8")

    # Not in a thread of the queue: what is linked already is not to be refused because others wait there.
    return Response(await asyncio.to_thread(written), headers={"content-type": f"{kind}; charset=utf-8"})


def _read(body: bytes) -> tuple[list[Document], dict[str, str]]:
    """The documents, their phrases not linked, and the names of their contexts by their ids."""
    try:
        lines = enumerate(io.StringIO(body.decode("utf-8-sig")), start=1)
    except UnicodeDecodeError:
        raise bad("Turtle is text in UTF-8, and the body is not.") from None
    triples = list(read_triples(lines, SOURCE))
    documents = [
        each.with_mentions([Mention(mention.start, mention.end, mention.text) for mention in each.mentions])
        for each in nif_documents(triples, SOURCE)
    ]
    if not documents:
        raise bad(f"There is no document in the body: no nif:isString (nif: is <{NIF}>).")
    texts = (triple for triple in triples if triple.predicate == f"{NIF}isString")
    named = (each for each in texts if to_iri(each.subject, "document") == each.subject)
    return documents, {document_id(each.subject, len(each.object.value)): each.subject for each in named}
