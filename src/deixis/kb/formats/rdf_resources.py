"""What SKOS and OWL have in common: resources of an RDF file with their labels, in several languages, and notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from deixis.kb.records import clean
from deixis.rdf import read_statements
from deixis.store.files import content_suffix

_DEPRECATED = "http://www.w3.org/2002/07/owl#deprecated"


class Value(NamedTuple):
    """What is said of a resource: a text and its language, which is None for the name of another resource."""

    text: str
    lang: str | None


Properties = dict[str, list[Value]]


def read_resources(
    lines: Iterable[tuple[int, bytes]], path: str, predicates: Collection[str]
) -> tuple[dict[str, Properties], dict[str, int]]:
    """What a file says by these predicates, `resources[subject][predicate]`, and the line that first names each."""
    wanted_predicates = {*predicates, _DEPRECATED}
    resources: dict[str, Properties] = {}
    first_lines: dict[str, int] = {}
    for subject, predicate, value, lang, line in read_statements(lines, path, content_suffix(path)):
        if predicate in wanted_predicates:
            properties = resources.get(subject)
            if properties is None:
                properties = resources[subject] = {}
                first_lines[subject] = line
            properties.setdefault(predicate, []).append(Value(value, lang))
    return resources, first_lines


def literals(properties: Properties, kind: str) -> list[Value]:
    """The literals of a property, without those that are blank or come again."""
    values = [value for value in properties.get(kind, ()) if value.lang is not None and clean(value.text)]
    return list(dict.fromkeys(values))


def is_deprecated(properties: Properties) -> bool:
    """Whether the resource is no longer to be used."""
    return any(value.text.lower() in ("true", "1") for value in properties.get(_DEPRECATED, ()))


def main_language(resources: Iterable[Properties], kinds: Sequence[str]) -> str:
    """The language that most resources have a label of these kinds in; of several the first by the alphabet."""
    counts: Counter[str] = Counter()
    for properties in resources:
        counts.update({label.lang or "" for kind in kinds for label in literals(properties, kind)})
    return min(counts, key=lambda language: (-counts[language], language), default="")


def title(resource: str, properties: Properties, kinds: Sequence[str], language: str) -> str:
    """The first kind of label in the language, or else in another, or another label, or the end of the address."""
    for kind in kinds:
        labels = literals(properties, kind)
        if labels:
            return min(labels, key=lambda label: label.lang != language).text
    return resource.rstrip("/#").rpartition("/")[2].rpartition("#")[2] or resource


def descriptions(properties: Properties, kinds: Sequence[str]) -> dict[str, str]:
    """The texts of these kinds by language, joined by a space."""
    texts: dict[str, list[str]] = {}
    for kind in kinds:
        for note in literals(properties, kind):
            texts.setdefault(note.lang or "", []).append(clean(note.text))
    return {language: " ".join(parts) for language, parts in texts.items()}
