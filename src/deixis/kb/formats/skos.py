"""SKOS vocabularies to records, in any of RDF's syntaxes: Turtle, RDF/XML, N-Triples, JSON-LD.

An entity is a `skos:Concept` that is not deprecated. Its title is the `prefLabel` in the language that most concepts
have one in; every label in every language is an alias, the preferred ones first. `definition` and `scopeNote` are
descriptions, titles of direct broader concepts are types, `notation` and the ids of deprecated concepts that it
replaces are equivalent ids. Collections, schemes, and concepts that are blank nodes are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from deixis.errors import DataError
from deixis.kb.formats.rdf_resources import (
    Properties,
    Value,
    descriptions,
    is_deprecated,
    literals,
    main_language,
    read_resources,
    title,
)
from deixis.rdf import RDF_TYPE

_SKOS = "http://www.w3.org/2004/02/skos/core#"
_LABELS = (f"{_SKOS}prefLabel", f"{_SKOS}altLabel", f"{_SKOS}hiddenLabel")
_NOTES = (f"{_SKOS}definition", f"{_SKOS}scopeNote")
_BROADER, _NARROWER, _NOTATION = f"{_SKOS}broader", f"{_SKOS}narrower", f"{_SKOS}notation"
_REPLACED_BY = "http://purl.org/dc/terms/isReplacedBy"
_KEPT = {RDF_TYPE, *_LABELS, *_NOTES, _BROADER, _NARROWER, _NOTATION, _REPLACED_BY}


def read_skos(lines: Iterable[tuple[int, bytes]], path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    r"""The records of a vocabulary, each with the line that first says something of its concept.

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
    resources, first_lines = read_resources(lines, path, _KEPT)
    concepts = {
        resource: properties
        for resource, properties in resources.items()
        if not resource.startswith("_:")
        and Value(f"{_SKOS}Concept", None) in properties.get(RDF_TYPE, ())
        and not is_deprecated(properties)
    }
    if not concepts:
        raise DataError(
            "no skos:Concept in the file; of RDF, only SKOS vocabularies and (format 'owl') classes of OWL are read",
            path=path,
        )
    language = main_language(concepts.values(), _LABELS[:1])
    titles = {concept: title(concept, properties, _LABELS, language) for concept, properties in concepts.items()}
    broader, replaced = _broader(concepts), _replaced(resources, concepts)
    for concept, properties in concepts.items():
        record: dict[str, Any] = {"id": concept, "title": titles[concept]}
        labels = [label for kind in _LABELS for label in literals(properties, kind)]
        record["aliases"] = [{"text": label.text, "lang": label.lang or ""} for label in labels]
        record["descriptions"] = descriptions(properties, _NOTES)
        record["types"] = [titles[each] for each in broader.get(concept, ())]
        record["alt_ids"] = [each.text for each in literals(properties, _NOTATION)] + replaced.get(concept, [])
        yield first_lines[concept], record


def _broader(concepts: dict[str, Properties]) -> dict[str, list[str]]:
    """Each concept's broader ones, whichever of the two the file says it of."""
    pairs = [(concept, each.text) for concept, statements in concepts.items() for each in statements.get(_BROADER, ())]
    pairs += [
        (each.text, concept) for concept, statements in concepts.items() for each in statements.get(_NARROWER, ())
    ]
    broader: dict[str, list[str]] = {}
    for concept, above in dict.fromkeys(pairs):
        if concept in concepts and above in concepts and concept != above:
            broader.setdefault(concept, []).append(above)
    return broader


def _replaced(resources: dict[str, Properties], concepts: dict[str, Properties]) -> dict[str, list[str]]:
    """The ids of deprecated concepts that have just one successor, by that successor."""
    replaced: dict[str, list[str]] = {}
    for resource, properties in resources.items():
        successors = {each.text for each in properties.get(_REPLACED_BY, ()) if each.text in concepts}
        if len(successors) == 1 and resource not in concepts and not resource.startswith("_:"):
            replaced.setdefault(successors.pop(), []).append(resource)
    return replaced
