"""OWL ontologies to records, in any of RDF's syntaxes (extra `rdf`).

An entity is an `owl:Class` with a name and a label that is not deprecated. Its title is the `rdfs:label` in the
language that most classes have one in; labels in other languages, SKOS's labels and oboInOwl's synonyms are aliases.
Definitions (IAO's, SKOS's, or else `rdfs:comment`) are descriptions. The OBO namespace is the type or, where there is
none, the titles of direct superclasses. oboInOwl's ids and cross-references are equivalent ids.
"""

from __future__ import annotations

import logging
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

logger = logging.getLogger(__name__)
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_OBO = "http://www.geneontology.org/formats/oboInOwl#"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_CLASS = Value("http://www.w3.org/2002/07/owl#Class", None)
_TITLES = (f"{_RDFS}label", f"{_SKOS}prefLabel")
_SYNONYMS = tuple(f"{_OBO}has{scope}Synonym" for scope in ("Exact", "Narrow", "Broad", "Related"))
_LABELS = (*_TITLES, *_SYNONYMS, f"{_SKOS}altLabel", f"{_SKOS}hiddenLabel")
_DEFINITIONS = ("http://purl.obolibrary.org/obo/IAO_0000115", f"{_SKOS}definition")
_COMMENT, _SUPERCLASS, _NAMESPACE = f"{_RDFS}comment", f"{_RDFS}subClassOf", f"{_OBO}hasOBONamespace"
_ALT_IDS = (f"{_OBO}id", f"{_OBO}hasAlternativeId", f"{_OBO}hasDbXref")
_KEPT = {RDF_TYPE, *_LABELS, *_DEFINITIONS, _COMMENT, _SUPERCLASS, _NAMESPACE, *_ALT_IDS}


def read_owl(lines: Iterable[tuple[int, bytes]], path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    r"""The records of an ontology, each with the line that first says something of its class.

    Examples
    --------
    >>> turtle = b'''@prefix owl: <http://www.w3.org/2002/07/owl#> .
    ... @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    ... <u:1> a owl:Class ; rdfs:label "cat" .
    ... <u:2> a owl:Class ; rdfs:label "Siamese cat" ; rdfs:subClassOf <u:1> .'''
    >>> for _, record in read_owl(enumerate(turtle.splitlines()), "cats.ttl"):
    ...     print(record["id"], record["title"], record["types"])
    u:1 cat []
    u:2 Siamese cat ['cat']
    """
    resources, first_lines = read_resources(lines, path, _KEPT)
    classes = {
        resource: properties
        for resource, properties in resources.items()
        if not resource.startswith("_:")
        and _CLASS in properties.get(RDF_TYPE, ())
        and any(literals(properties, kind) for kind in _LABELS)
    }
    current = {name: properties for name, properties in classes.items() if not is_deprecated(properties)}
    if not current:
        raise DataError(
            "no owl:Class with a label in the file; of RDF, only classes of OWL and (format 'skos') SKOS vocabularies "
            "are read",
            path=path,
        )
    language = main_language(current.values(), _TITLES)
    titles = {name: title(name, properties, _LABELS, language) for name, properties in current.items()}
    for name, properties in current.items():
        yield first_lines[name], _record(name, properties, titles)
    if len(classes) > len(current):
        logger.warning("%s: deprecated classes left out: %d", path, len(classes) - len(current))


def _record(name: str, properties: Properties, titles: dict[str, str]) -> dict[str, Any]:
    labels = dict.fromkeys(label for kind in _LABELS for label in literals(properties, kind))
    namespaces = [each.text for each in literals(properties, _NAMESPACE)]
    superclasses = [titles[each.text] for each in properties.get(_SUPERCLASS, ()) if each.text in titles]
    return {
        "id": name,
        "title": titles[name],
        "aliases": [{"text": each.text, "lang": each.lang or ""} for each in labels if _is_other(each, titles[name])],
        "descriptions": descriptions(properties, _DEFINITIONS) or descriptions(properties, [_COMMENT]),
        "types": namespaces or superclasses,
        "alt_ids": list(dict.fromkeys(each.text for kind in _ALT_IDS for each in literals(properties, kind))),
    }


def _is_other(label: Value, title: str) -> bool:
    """Whether a label says more than the title: another name, or the language of this one."""
    return bool(label.lang) or label.text != title
