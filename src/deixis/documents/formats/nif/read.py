"""NIF 2.x in any syntax of RDF, in: contexts (texts) and the phrases in them, as GERBIL's datasets have them.

RDF has no order: a context may stand after its phrases. So the whole file is read before the first document comes out;
what is kept of it is texts, spans and identifiers.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from deixis.documents.formats.nif.iris import ITSRDF, NIF, document_id, from_iri, is_not_in_wiki
from deixis.documents.places import Place
from deixis.documents.spans import (
    Claim,
    Ruler,
    checked_span,
    checked_surface,
    in_text_order,
    unit_of,
    without_surrogates,
)
from deixis.rdf import RDF_TYPE, Statement, read_statements
from deixis.store.files import content_suffix
from deixis.types import Document, Mention

_SAME_AS = "http://www.w3.org/2002/07/owl#sameAs"
_MENTION_TYPES = frozenset({f"{NIF}Phrase", f"{NIF}EntityOccurrence"})
_WHOLE = re.compile(r"[0-9]{1,15}")
_KEYS = {
    f"{NIF}isString": "text",
    f"{NIF}beginIndex": "begin",
    f"{NIF}endIndex": "end",
    f"{NIF}anchorOf": "surface",
    f"{NIF}referenceContext": "context",
    f"{ITSRDF}taConfidence": "confidence",
}


@dataclass(slots=True)
class _Node:
    """What is said of a context or a phrase."""

    line: int
    is_phrase: bool = False
    lang: str | None = None
    idents: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)


def read_nif(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Document]:
    """One document per context, in the order in which their texts stand in the file.

    A phrase's `itsrdf:taIdentRef` is its entity; several, and what the file says is `owl:sameAs` them, are joined by
    `|`: any of them is right. One in `http://aksw.org/notInWiki/` means NIL, as in GERBIL's datasets; a phrase without
    one is undecided. NIF counts offsets in code points; where `nif:anchorOf` shows that a file counts otherwise, they
    are converted.

    Examples
    --------
    >>> turtle = '''@prefix nif: <http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#> .
    ... <http://x.org/1#char=0,5> a nif:Context ; nif:isString "Paris" .'''
    >>> [(document.id, document.text) for document in read_nif(enumerate(turtle.splitlines(), start=1), "x.ttl")]
    [('http://x.org/1', 'Paris')]
    """
    yield from nif_documents(nif_statements(lines, path), path)


def nif_statements(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Statement]:
    """The statements of a file's numbered lines."""
    encoded = ((number, without_surrogates(line).encode("utf-8")) for number, line in lines)
    return read_statements(encoded, path, content_suffix(path))


def nif_documents(statements: Iterable[Statement], path: str) -> Iterator[Document]:
    """The same from the statements of the file."""
    nodes: dict[str, _Node] = {}
    contexts: list[str] = []
    statement = None
    same: dict[str, list[str]] = {}
    for statement in statements:
        if statement.predicate == _SAME_AS:
            same.setdefault(statement.subject, []).append(statement.value)
        else:
            _add(statement, nodes, contexts, path)
    if statement is not None and not contexts:
        raise Place(path, 1).error(f"no nif:isString in the file (nif: is <{NIF}>), so there is no text to read")
    phrases = _phrases_of(nodes, path)
    for node in itertools.chain.from_iterable(phrases.values()):
        node.idents += [other for ident in node.idents for other in same.get(ident, ()) if other not in node.idents]
    for name in contexts:
        yield _document(name, nodes[name], phrases.pop(name, []), path)
    for name, unplaced in phrases.items():
        raise Place(path, unplaced[0].line).error(f"the phrase's context <{name}> has no nif:isString in this file")


def _add(statement: Statement, nodes: dict[str, _Node], contexts: list[str], path: str) -> None:
    key = _KEYS.get(statement.predicate)
    is_ident = statement.predicate == f"{ITSRDF}taIdentRef"
    is_phrase = statement.predicate == RDF_TYPE and statement.value in _MENTION_TYPES
    if key is None and not is_ident and not is_phrase:
        return
    node = nodes.setdefault(statement.subject, _Node(statement.line))
    value = statement.value
    if key is None:
        node.is_phrase = True
        if is_ident and value not in node.idents:
            node.idents.append(value)
        return
    if key == "text" and key not in node.values:
        contexts.append(statement.subject)
        node.lang = statement.lang or None
    if node.values.setdefault(key, value) != value:
        name = statement.predicate.rpartition("#")[2]
        raise Place(path, statement.line).error(f"<{statement.subject}> has two different values of {name}")


def _phrases_of(nodes: dict[str, _Node], path: str) -> dict[str, list[_Node]]:
    """The phrases by the name of their context."""
    phrases: dict[str, list[_Node]] = {}
    for name, node in nodes.items():
        if node.is_phrase and "text" not in node.values:
            context = node.values.get("context")
            if context is None:
                raise Place(path, node.line).error(f"the phrase <{name}> has no nif:referenceContext")
            phrases.setdefault(context, []).append(node)
    return phrases


def _document(name: str, context: _Node, phrases: list[_Node], path: str) -> Document:
    text = context.values["text"]
    claims = [
        Claim(text, _index(node, "begin", path), _index(node, "end", path), node.values.get("surface"))
        for node in phrases
    ]
    ruler = Ruler(text, unit_of(claims))
    mentions = [_mention(node, claim, ruler, path) for node, claim in zip(phrases, claims, strict=True)]
    return Document(document_id(name, len(text)), text, context.lang, in_text_order(mentions))


def _mention(node: _Node, claim: Claim, ruler: Ruler, path: str) -> Mention:
    error = Place(path, node.line).error
    start, end = checked_span(ruler.code_point(claim.start), ruler.code_point(claim.end), claim.text, error)
    if claim.surface is not None:
        checked_surface(claim.surface, start, end, claim.text, error)
    known = [ident for ident in node.idents if not is_not_in_wiki(ident)]
    return Mention(
        start,
        end,
        claim.text[start:end],
        entity="|".join(from_iri(ident, "entity") for ident in known) or None,
        score=_confidence(node, path),
        is_nil=bool(node.idents) and not known,
    )


def _index(node: _Node, key: str, path: str) -> int:
    word = node.values.get(key)
    if word is None or not _WHOLE.fullmatch(word.strip()):
        raise Place(path, node.line).error(f"a phrase needs a whole number nif:{key}Index, got {word!r}")
    return int(word)


def _confidence(node: _Node, path: str) -> float | None:
    word = node.values.get("confidence")
    if word is None:
        return None
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise Place(path, node.line).error(f"itsrdf:taConfidence must be a finite number, got {word!r}")
    return value
