"""W3C Web Annotations in JSON-LD, out: one page of annotations a line, one annotation for each mention.

By the Web Annotation Data Model (W3C Recommendation, 2017): the motivation is `identifying`, the body is the entity,
the target is the document with a TextPositionSelector (code points) and a TextQuoteSelector. Texts do not go out, so
nothing reads this back. The confidence is ITS's `taConfidence`, a term beside those of the model.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TextIO

from deixis.documents.formats.nif.iris import ITSRDF, alternatives, context_iri, to_iri
from deixis.documents.json_lines import short_score, write_each
from deixis.types import Document, Mention

CONTEXT = ["http://www.w3.org/ns/anno.jsonld", {"itsrdf": ITSRDF}]
QUOTE_MARGIN = 32  # code points of text before and after, by which a quote is found again in a text that has changed


def write_web_annotation(documents: Iterable[Document], stream: TextIO, path: str = "-") -> int:
    """Writes a page of annotations per document, and returns how many there were.

    Ids that are no IRIs are written as `urn:deixis:entity:...` and `urn:deixis:document:...`. A mention that means
    nothing known has no body, and one about which nobody has decided is only highlighted.
    """
    return write_each(documents, stream, annotation_page)


def annotation_page(document: Document) -> dict[str, Any]:
    """The annotations of a document, as one JSON-LD object.

    Examples
    --------
    >>> page = annotation_page(Document("d1", "Paris fled.", mentions=(Mention(0, 5, "Paris", "Q167646", 0.93),)))
    >>> page["items"][0]["body"]["source"], page["items"][0]["target"]["selector"][0]["end"]
    ('urn:deixis:entity:Q167646', 5)
    """
    source = context_iri(document.id, 0).rpartition("#")[0]
    return {
        "@context": CONTEXT,
        "id": f"{source}#annotations",
        "type": "AnnotationPage",
        "items": [
            _annotation(mention, document, source, f"{source}#annotation-{number}")
            for number, mention in enumerate(document.mentions, start=1)
        ],
    }


def _annotation(mention: Mention, document: Document, source: str, name: str) -> dict[str, Any]:
    annotation: dict[str, Any] = {"id": name, "type": "Annotation"}
    annotation["motivation"] = "identifying" if mention.is_decided else "highlighting"
    if mention.entity is not None:
        bodies = [_body(entity, mention) for entity in alternatives(mention.entity)]
        annotation["body"] = bodies[0] if len(bodies) == 1 else {"type": "Choice", "items": bodies}
    if mention.score is not None:
        annotation["itsrdf:taConfidence"] = short_score(mention.score)
    annotation["target"] = {"source": source, "selector": _selectors(mention, document.text)}
    return annotation


def _body(entity: str, mention: Mention) -> dict[str, Any]:
    body = {"type": "SpecificResource", "purpose": "identifying", "source": to_iri(entity, "entity")}
    title = next((candidate.title for candidate in mention.candidates if candidate.id == entity), "")
    return body | ({"label": title} if title else {})


def _selectors(mention: Mention, text: str) -> list[dict[str, Any]]:
    return [
        {"type": "TextPositionSelector", "start": mention.start, "end": mention.end},
        {
            "type": "TextQuoteSelector",
            "exact": mention.text,
            "prefix": text[max(0, mention.start - QUOTE_MARGIN) : mention.start],
            "suffix": text[mention.end : mention.end + QUOTE_MARGIN],
        },
    ]
