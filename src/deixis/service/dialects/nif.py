"""GERBIL's annotators over NIF: Turtle in, the same documents with links in Turtle out.

The phrases of a document are linked, and existing links are replaced; in a document without phrases, mentions are
detected. Offsets count code points, as NIF defines them. Contexts keep their IRIs.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from deixis.documents.formats.nif.iris import NIF, document_id, to_iri
from deixis.documents.formats.nif.read import nif_documents, nif_statements
from deixis.documents.formats.nif.write import write_nif
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.options import LinkOptions
from deixis.service.api.batches import check_batch, check_mentions
from deixis.service.dialects.forms import bad
from deixis.service.dialects.uris import uri_of
from deixis.service.state import ServiceState
from deixis.types import Document, Mention

KINDS = ("text/turtle", "application/x-turtle")
"""Media types of Turtle; GERBIL uses the second."""
CONTENT = {kind: {"schema": {"type": "string"}} for kind in KINDS}
SOURCE = "the body"


def router(state: ServiceState) -> APIRouter:
    """The route that GERBIL uses as an annotator."""
    routes = APIRouter(tags=["dialect of GERBIL (NIF)"])
    request_body: dict[str, Any] = {"requestBody": {"required": True, "content": CONTENT}}

    @routes.post("/nif", openapi_extra=request_body, responses={200: {"content": CONTENT}}, response_class=Response)
    async def annotate(request: Request) -> Response:
        """Link the phrases of NIF documents in Turtle; detect mentions if there are none."""
        kind = request.headers.get("content-type", KINDS[0]).partition(";")[0].strip().lower()
        if kind not in KINDS:
            raise bad(f"NIF must be in Turtle ({' or '.join(KINDS)}), got {kind[:100]!r}.")
        body = await request.body()
        documents, contexts = await state.run(lambda _: _read(body))
        check_batch(state, "documents", len(documents))
        check_mentions(state, sum(len(document.mentions) for document in documents))
        served = await state.current()
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
    """Linked documents in NIF, with entities as URIs; `contexts` maps document ids to context IRIs."""

    def written() -> bytes:
        stream = io.StringIO()
        write_nif(documents, stream, contexts=contexts, iris_of=lambda entity: [uri_of(kb, entity, uri_prefix)])
        return stream.getvalue().encode("utf-8")

    # Not in a thread of the queue: a linked document must not be refused because the queue is full.
    return Response(await asyncio.to_thread(written), headers={"content-type": f"{kind}; charset=utf-8"})


def _read(body: bytes) -> tuple[list[Document], dict[str, str]]:
    """The documents with unlinked phrases, and the context IRI of each document id."""
    try:
        lines = enumerate(io.StringIO(body.decode("utf-8-sig")), start=1)
    except UnicodeDecodeError:
        raise bad("The body is not valid UTF-8; Turtle must be UTF-8.") from None
    statements = list(nif_statements(lines, SOURCE))
    documents = [
        each.with_mentions([Mention(mention.start, mention.end, mention.text) for mention in each.mentions])
        for each in nif_documents(statements, SOURCE)
    ]
    if not documents:
        raise bad(f"The body has no document, that is no nif:isString (nif: is <{NIF}>).")
    texts = (each for each in statements if each.predicate == f"{NIF}isString")
    named = (each for each in texts if to_iri(each.subject, "document") == each.subject)
    return documents, {document_id(each.subject, len(each.value)): each.subject for each in named}
