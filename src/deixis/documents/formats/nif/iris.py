"""Deixis' ids as IRIs and back: what is an IRI stays one, what is not gets a prefix that reading takes off again."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

NIF = "http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#"
ITSRDF = "http://www.w3.org/2005/11/its/rdf#"
NOT_IN_WIKI = "http://aksw.org/notInWiki/"
"""Where GERBIL's datasets put entities that no knowledge base has."""

_OURS = "urn:deixis:"
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|\\^`]+")
_WHOLE_TEXT = re.compile(r"#(?:char=0,|offset_0_)([0-9]{1,15})\Z")


def is_not_in_wiki(iri: str) -> bool:
    """Whether the IRI says that the entity is in no knowledge base.

    Examples
    --------
    >>> is_not_in_wiki("http://aksw.org/notInWiki/Home_Intensive_Care"), is_not_in_wiki("http://aksw.org/Paris")
    (True, False)
    """
    return f"{iri}/".lower().startswith(NOT_IN_WIKI.lower())


def to_iri(name: str, kind: str) -> str:
    """The id as an IRI.

    Examples
    --------
    >>> to_iri("http://dbpedia.org/resource/Paris", "entity"), to_iri("New York", "entity")
    ('http://dbpedia.org/resource/Paris', 'urn:deixis:entity:New%20York')
    """
    if _IRI.fullmatch(name) and not name.startswith(_OURS):
        return name
    return f"{_OURS}{kind}:{quote(name, safe='', errors='replace')}"


def from_iri(iri: str, kind: str) -> str:
    """The id that `to_iri` made the IRI of, or the IRI itself."""
    ours = f"{_OURS}{kind}:"
    return unquote(iri[len(ours) :]) if iri.startswith(ours) else iri


def alternatives(entity: str) -> list[str]:
    """The ids that `|` joins, any of which is right; the whole as one id if it is no such list.

    Examples
    --------
    >>> alternatives("D001|D002"), alternatives("a||b")
    (['D001', 'D002'], ['a||b'])
    """
    parts = entity.split("|")
    return parts if all(parts) and len(set(parts)) == len(parts) else [entity]


def entity_iris(entity: str) -> list[str]:
    """The IRIs of what a mention is linked to: one, or one for each alternative.

    Examples
    --------
    >>> entity_iris("http://dbpedia.org/resource/Paris|Q90")
    ['http://dbpedia.org/resource/Paris', 'urn:deixis:entity:Q90']
    """
    return [to_iri(part, "entity") for part in alternatives(entity)]


def context_iri(document_id: str, length: int) -> str:
    """The IRI of a document's context, which by NIF's custom ends in the span of the whole text.

    Examples
    --------
    >>> context_iri("http://example.org/letter", 41), context_iri("d1", 41)
    ('http://example.org/letter#char=0,41', 'urn:deixis:document:d1#char=0,41')
    """
    base = to_iri(document_id, "document")
    if "#" in base:
        base = f"{_OURS}document:{quote(document_id, safe='', errors='replace')}"
    return f"{base}#char=0,{length}"


def document_id(context: str, length: int) -> str:
    """The document's id: its context's IRI without the span of the whole text."""
    match = _WHOLE_TEXT.search(context)
    base = context[: match.start()] if match is not None and int(match.group(1)) == length else context
    return from_iri(base, "document")
