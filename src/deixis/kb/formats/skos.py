"""SKOS vocabularies to records, in any of RDF's spellings that rdflib reads: Turtle, RDF/XML, N-Triples, JSON-LD.

An entity is a `skos:Concept` that is not deprecated. Its title is the `prefLabel` in the language that most concepts
have one in; every label in every language is an alias, the preferred ones first. `definition` and `scopeNote` are
descriptions, titles of direct broader concepts are types, `notation` and the ids of deprecated concepts that it
replaces are equivalent ids. Collections, schemes, and concepts that are blank nodes are left out.
"""

from __future__ import annotations

import json
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any
from xml.sax import SAXException

import rdflib
from rdflib.exceptions import Error as RdfError
from rdflib.namespace import DCTERMS, OWL, RDF, SKOS
from rdflib.plugins.parsers.notation3 import BadSyntax
from rdflib.store import Store
from rdflib.term import BNode, Literal, Node, URIRef

from deixis.errors import DataError
from deixis.kb.records import clean
from deixis.store.files import content_suffix

_SUFFIX_TO_SYNTAX = {".ttl": "turtle", ".nt": "nt11", ".rdf": "xml", ".owl": "xml", ".xml": "xml", ".jsonld": "json-ld"}
_LABELS = (SKOS.prefLabel, SKOS.altLabel, SKOS.hiddenLabel)
_NOTES = (SKOS.definition, SKOS.scopeNote)
_KEPT = {RDF.type, *_LABELS, *_NOTES, SKOS.broader, SKOS.narrower, SKOS.notation, OWL.deprecated, DCTERMS.isReplacedBy}
_ELSEWHERE = (
    "its '@context' is at another address, {address!r}, and nothing is fetched; write the context into the file"
)

Properties = dict[Node, list[Any]]


def read_skos(lines: Iterable[tuple[int, bytes]], path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    r"""The records of a vocabulary, numbered in the order in which the file first names the concepts.

    Examples
    --------
    >>> turtle = b'''@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
    ... <u:1> a skos:Concept ; skos:prefLabel "cats"@en, "Katzen"@de ; skos:notation "636.8" .
    ... <u:2> a skos:Concept ; skos:prefLabel "Siamese cat"@en ; skos:broader <u:1> .'''
    >>> for _, record in read_skos(enumerate(turtle.splitlines()), "cats.ttl"):
    ...     print(record["id"], record["title"], [alias["text"] for alias in record["aliases"]], record["types"])
    u:1 cats ['cats', 'Katzen'] []
    u:2 Siamese cat ['Siamese cat'] ['cats']
    """
    resources = _parse(b"\n".join(raw for _, raw in lines), path)
    concepts = {
        resource: properties
        for resource, properties in resources.items()
        if isinstance(resource, URIRef)
        and SKOS.Concept in properties.get(RDF.type, ())
        and not _is_deprecated(properties)
    }
    if not concepts:
        raise DataError("no skos:Concept in the file; only SKOS vocabularies are read from RDF", path=path)
    language = _main_language(concepts.values())
    titles = {concept: _title(concept, properties, language) for concept, properties in concepts.items()}
    broader, replaced = _broader(concepts), _replaced(resources, concepts)
    for number, (concept, properties) in enumerate(concepts.items(), start=1):
        record: dict[str, Any] = {"id": str(concept), "title": titles[concept]}
        labels = [label for kind in _LABELS for label in _literals(properties, kind)]
        record["aliases"] = [{"text": str(label), "lang": label.language or ""} for label in labels]
        record["descriptions"] = _descriptions(properties)
        record["types"] = [titles[each] for each in broader.get(concept, ())]
        record["alt_ids"] = [str(each) for each in _literals(properties, SKOS.notation)] + replaced.get(concept, [])
        yield number, record


class _Resources(Store):
    """Keeps of each triple what a vocabulary needs, and no index: `properties[subject][predicate]` are the objects."""

    context_aware = True  # the reader of JSON-LD asks for it

    def __init__(self) -> None:
        super().__init__()
        self.properties: dict[Node, Properties] = {}

    def add(self, triple: Any, context: Any, quoted: bool = False) -> None:  # noqa: ANN401 - as rdflib has it
        """Takes a triple from the parser."""
        subject, predicate, value = triple
        if predicate in _KEPT:
            self.properties.setdefault(subject, {}).setdefault(predicate, []).append(value)


def _parse(data: bytes, path: str) -> dict[Node, Properties]:
    syntax = _SUFFIX_TO_SYNTAX.get(content_suffix(path)) or _syntax_of(data)
    store = _Resources()
    try:
        if syntax == "json-ld":
            _check_contexts(json.loads(data), path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # rdflib's reader of JSON-LD uses what rdflib gives up
            rdflib.Graph(store=store, bind_namespaces="none").parse(data=data, format=syntax)
    except BadSyntax as error:
        reason = str(error).partition(": at line")[0] if error.message is None else error.message
        raise DataError(f"not Turtle: {reason}", path=path, line=error.lines + 1) from error
    except SAXException as error:
        line = error.getLineNumber() if hasattr(error, "getLineNumber") else None
        raise DataError(f"not RDF/XML: {error.getMessage()}", path=path, line=line) from error
    except (RdfError, ValueError, SyntaxError) as error:
        raise DataError(f"cannot be read as {syntax}: {str(error)[:200]}", path=path) from error
    except (LookupError, TypeError, AssertionError, AttributeError, RecursionError) as error:  # rdflib lost its way
        reason = f"cannot be read as {syntax} ({type(error).__name__}: {error}); is the file cut off or damaged?"
        raise DataError(reason, path=path) from error
    return store.properties


def _syntax_of(data: bytes) -> str:
    start = data[:1000].lstrip()
    if start.startswith((b"<?xml", b"<rdf:RDF", b"<!DOCTYPE", b"<!--")):
        return "xml"
    return "json-ld" if re.match(rb"(\[\s*)?\{", start) else "turtle"  # N-Triples is Turtle


def _check_contexts(value: object, path: str) -> None:
    """Refuses JSON-LD that would have rdflib fetch a context from the network."""
    if isinstance(value, list):
        for item in value:
            _check_contexts(item, path)
    elif isinstance(value, dict):
        contexts = value.get("@context")
        for context in contexts if isinstance(contexts, list) else [contexts]:
            address = context.get("@import") if isinstance(context, dict) else context
            if isinstance(address, str):
                raise DataError(_ELSEWHERE.format(address=address), path=path)
        for item in value.values():
            _check_contexts(item, path)


def _literals(properties: Properties, kind: Node) -> list[Literal]:
    """The literals of a property, without those that are blank or come again."""
    values = [value for value in properties.get(kind, ()) if isinstance(value, Literal) and clean(str(value))]
    return list(dict.fromkeys(values))


def _is_deprecated(properties: Properties) -> bool:
    return any(str(value).lower() in ("true", "1") for value in properties.get(OWL.deprecated, ()))


def _main_language(concepts: Iterable[Properties]) -> str:
    """The language that most concepts have a preferred label in; of several the first by the alphabet."""
    counts: Counter[str] = Counter()
    for properties in concepts:
        counts.update({label.language or "" for label in _literals(properties, SKOS.prefLabel)})
    return min(counts, key=lambda language: (-counts[language], language), default="")


def _title(concept: URIRef, properties: Properties, language: str) -> str:
    """The preferred label in the language, or else in another, or another label, or the end of the address."""
    for kind in _LABELS:
        labels = _literals(properties, kind)
        if labels:
            return str(min(labels, key=lambda label: (label.language or "") != language))
    return str(concept).rstrip("/#").rpartition("/")[2].rpartition("#")[2] or str(concept)


def _descriptions(properties: Properties) -> dict[str, str]:
    texts: dict[str, list[str]] = {}
    for kind in _NOTES:
        for note in _literals(properties, kind):
            texts.setdefault(note.language or "", []).append(clean(str(note)))
    return {language: " ".join(parts) for language, parts in texts.items()}


def _broader(concepts: dict[URIRef, Properties]) -> dict[URIRef, list[URIRef]]:
    """Each concept's broader ones, whichever of the two the file says it of."""
    pairs = [(concept, each) for concept, found in concepts.items() for each in found.get(SKOS.broader, ())]
    pairs += [(each, concept) for concept, found in concepts.items() for each in found.get(SKOS.narrower, ())]
    broader: dict[URIRef, list[URIRef]] = {}
    for concept, above in dict.fromkeys(pairs):
        if concept in concepts and above in concepts and concept != above:
            broader.setdefault(concept, []).append(above)
    return broader


def _replaced(resources: dict[Node, Properties], concepts: dict[URIRef, Properties]) -> dict[URIRef, list[str]]:
    """The ids of deprecated concepts that have just one successor, by that successor."""
    replaced: dict[URIRef, list[str]] = {}
    for resource, properties in resources.items():
        successors = {each for each in properties.get(DCTERMS.isReplacedBy, ()) if each in concepts}
        if len(successors) == 1 and resource not in concepts and not isinstance(resource, BNode):
            replaced.setdefault(successors.pop(), []).append(str(resource))
    return replaced
