"""NIF 2.x in Turtle, out: what `read_nif` reads back, and what GERBIL takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TextIO
from urllib.parse import quote

from deixis.documents.formats.nif.iris import ITSRDF, NIF, NOT_IN_WIKI, context_iri, entity_iris
from deixis.types import Document, Mention

_HEAD = f"""@prefix nif: <{NIF}> .
@prefix itsrdf: <{ITSRDF}> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
_LANG = re.compile(r"[A-Za-z]+(?:-[A-Za-z0-9]+)*")
_SPECIAL = re.compile('[\x00-\x1f\x7f"\\\\\u0085\u2028\u2029\ud800-\udfff]')
_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def write_nif(
    documents: Iterable[Document],
    stream: TextIO,
    path: str = "-",
    contexts: Mapping[str, str] | None = None,
    iris_of: Callable[[str], Sequence[str]] = entity_iris,
) -> int:
    """Writes a context per document and a phrase per mention, and returns how many documents there were.

    Ids that are no IRIs are written as `urn:deixis:entity:...` and `urn:deixis:document:...`, and NIL as an IRI in
    `http://aksw.org/notInWiki/`. A language goes out as the text's language tag. Candidates have no place in NIF.
    `contexts` has IRIs by the ids of documents, for those whose context is not to be named after the id.
    `iris_of` makes of an entity the IRIs that are written for it, as they are.
    """
    stream.write(_HEAD)
    n_documents = 0
    for document in documents:
        stream.write("\n" + "\n".join(_statements(document, (contexts or {}).get(document.id), iris_of)) + "\n")
        n_documents += 1
    return n_documents


def _statements(document: Document, context: str | None, iris_of: Callable[[str], Sequence[str]]) -> Iterator[str]:
    context = context or context_iri(document.id, len(document.text))
    base = context.partition("#")[0]
    lang = f"@{document.lang}" if document.lang is not None and _LANG.fullmatch(document.lang) else ""
    yield (
        f"<{context}> a nif:Context , nif:RFC5147String ;\n"
        f"  nif:beginIndex {_index(0)} ; nif:endIndex {_index(len(document.text))} ;\n"
        f"  nif:isString {_literal(document.text)}{lang} ."
    )
    taken = {context}
    for number, mention in enumerate(document.mentions, start=1):
        name = f"{base}#char={mention.start},{mention.end}"
        if name in taken:  # two phrases of one name would be one phrase
            name += f";mention={number}"
        taken.add(name)
        yield _phrase(name, context, mention, iris_of)


def _phrase(name: str, context: str, mention: Mention, iris_of: Callable[[str], Sequence[str]]) -> str:
    lines = [
        f"<{name}> a nif:Phrase , nif:RFC5147String ;",
        f"  nif:referenceContext <{context}> ;",
        f"  nif:beginIndex {_index(mention.start)} ; nif:endIndex {_index(mention.end)} ;",
        f"  nif:anchorOf {_literal(mention.text)}",
    ]
    if mention.entity is not None:
        idents = " , ".join(f"<{iri}>" for iri in iris_of(mention.entity))
        lines[-1] += f" ;\n  itsrdf:taIdentRef {idents}"
    elif mention.is_nil:
        lines[-1] += f" ;\n  itsrdf:taIdentRef <{NOT_IN_WIKI}{quote(mention.text, safe='', errors='replace')}>"
    if mention.score is not None:
        lines[-1] += f' ;\n  itsrdf:taConfidence "{mention.score:.6g}"^^xsd:double'
    return "\n".join(lines) + " ."


def _index(value: int) -> str:
    return f'"{value}"^^xsd:nonNegativeInteger'


def _literal(text: str) -> str:
    return '"' + _SPECIAL.sub(_escaped, text) + '"'


def _escaped(match: re.Match[str]) -> str:
    character = match.group()
    if "\ud800" <= character <= "\udfff":
        return "\ufffd"
    return _SHORT.get(character) or f"\\u{ord(character):04X}"
