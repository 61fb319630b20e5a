"""Queries of the reconciliation dialect, and their candidates."""

from __future__ import annotations

import itertools
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from deixis.documents.json_lines import short_score
from deixis.kb.entity import Entity
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.inputs import named_documents
from deixis.linking.options import LinkOptions
from deixis.service.dialects.forms import bad
from deixis.types import Candidate, Document, Mention

LIMIT, MAX_LIMIT = 10, 100
MAX_QUERY = 10_000
FULL_SCORE = 100.0

Strictness = Literal["any", "all", "should"]
"""Whether an entity must have one of the types, or all of them, or is only preferred if it has one."""


@dataclass(frozen=True)
class ReconciliationQuery:
    """A name to reconcile; `context` is the rest of its row, which helps to distinguish namesakes.

    A query without a name, such as one with properties only, has no candidates.
    """

    name: str
    context: str = ""
    types: tuple[str, ...] = ()
    limit: int = LIMIT
    strictness: Strictness = "any"

    def document(self) -> Document:
        """The name as a mention, followed by its context, as in `Linker.link_names`."""
        return named_documents([self.name], [self.context])[0]

    def options(self, type_names: Collection[str]) -> list[LinkOptions]:
        """The options to link it with, for a knowledge base with these types; queries with equal options share a batch.

        Filters by type come first. The list is empty if no entity can have the required types.
        """
        known = tuple(each for each in self.types if each in type_names)
        if not self.name or (self.strictness == "all" and len(known) < len(self.types)):
            return []
        filters = [known] if known else []
        is_open = not self.types or self.strictness == "should"
        # More than requested: several candidates are needed to see whether a name is unique.
        return [LinkOptions(types=each, top_k=max(self.limit, LIMIT)) for each in [*filters, *([()] * is_open)]]

    def fits(self, entity: Entity) -> bool:
        """Whether an entity has the requested types."""
        of_type = set(self.types) & set(entity.types)
        return len(of_type) == len(set(self.types)) if self.strictness == "all" else bool(of_type) or not self.types


def queries_from(text: str) -> dict[str, ReconciliationQuery]:
    """The queries of a batch by their keys."""
    try:
        batch = json.loads(text)
    except (ValueError, RecursionError):
        raise bad("'queries' must be JSON: an object with a query under each key.") from None
    if not isinstance(batch, dict):
        raise bad(f"'queries' must be an object of queries, got {type(batch).__name__}.")
    return {key: _query(key, query) for key, query in batch.items()}


def _query(key: str, record: object) -> ReconciliationQuery:
    where = f"The query {key[:50]!r}"
    if not isinstance(record, dict):
        raise bad(f"{where} must be an object with 'query', got {type(record).__name__}.")
    name = record.get("query", "" if record.get("properties") else None)
    if not isinstance(name, str):
        raise bad(f"{where} needs 'query', the name to search for, as a string.")
    if len(name) > MAX_QUERY:
        raise bad(f"{where} is {len(name):,} characters long; at most {MAX_QUERY:,} are allowed.")
    limit = record.get("limit", LIMIT)
    if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not limit >= 1:
        raise bad(f"{where} has the limit {str(limit)[:50]!r}; it must be a number of at least 1.")
    return ReconciliationQuery(
        name=name.strip(),
        context=", ".join(_values(record.get("properties"), where))[:MAX_QUERY],
        types=_types(record.get("type"), where),
        limit=int(min(limit, MAX_LIMIT)),
        strictness=next((each for each in get_args(Strictness) if each == record.get("type_strict")), "any"),
    )


def _types(value: object, where: str) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value] if value else []
    ids = [each.get("id") if isinstance(each, dict) else each for each in values]
    if not all(isinstance(each, str) and each for each in ids):
        raise bad(f"{where} has a 'type' that is neither a type id nor a list of type ids.")
    return tuple(str(each) for each in ids)


def _values(properties: object, where: str) -> list[str]:
    """The values of all properties, as strings."""
    if properties is None:
        return []
    if not isinstance(properties, list) or not all(isinstance(each, dict) for each in properties):
        raise bad(f"{where} has 'properties' that are not a list of objects with 'pid' and 'v'.")
    words = []
    for each in properties:
        values = each.get("v")
        for value in values if isinstance(values, list) else [values]:
            named = value.get("name") or value.get("id") if isinstance(value, dict) else value
            if named is not None and str(named).strip():
                words.append(str(named).strip())
    return words


def candidates(
    kb: KnowledgeBase, query: ReconciliationQuery, linked: Sequence[Mention], is_calibrated: bool
) -> list[dict[str, Any]]:
    """The candidates of a query, best first, merged over its options.

    The best candidate is a match if it has the type, the query is its id, and no other candidate has that name.
    Otherwise it is a match if the linker links it and, where scores are not calibrated, the query is one of its names
    and no other candidate's name or id. Only candidates of the type are compared.
    """
    row = kb.row_of(query.name)
    own = None if row is None else kb.entity(row)
    scored = _scored_entities(kb, query, linked, own)
    is_named = [_has_name(entity, query.name) for entity, _ in scored]
    # The name is compared with the same candidates, however many are shown.
    first = {candidate.id for mention in linked for candidate in mention.candidates[:LIMIT]}
    exact = [
        entity
        for named, (entity, _) in zip(is_named, scored, strict=True)
        if entity is own or (named and entity.id in first)
    ]
    n_exact = sum(map(query.fits, exact))
    best = linked[0].entity if linked else None

    def is_match(entity: Entity) -> bool:
        is_only = n_exact == 1 and entity in exact
        is_linked = best == entity.id and (is_calibrated or is_only)
        return query.fits(entity) and (is_linked or (is_only and entity is own))

    return [
        entity_result(entity)
        | {
            "score": score,
            "match": rank == 0 and is_match(entity),
            "features": [{"id": "name_match", "value": is_named[rank]}],
            "type": type_records(entity.types),
        }
        for rank, (entity, score) in enumerate(scored[: query.limit])
    ]


def _scored_entities(
    kb: KnowledgeBase, query: ReconciliationQuery, linked: Sequence[Mention], own: Entity | None
) -> list[tuple[Entity, float]]:
    """Entities and scores, best first: those of the type, then others if the type is only preferred.

    An entity whose id is the query has the full score, unless the id is also a name of others: then it has theirs.
    """
    id_to_scored: dict[str, tuple[Entity, float]] = {}
    for each in (candidate for mention in linked for candidate in mention.candidates):
        if kb.row_of(each.id) is not None:
            entity = kb.entity(each.id)
            id_to_scored.setdefault(entity.id, (entity, _percent(each)))
    if own is not None:
        _, score = id_to_scored.pop(own.id, (own, 0.0))
        namesakes = [
            other for entity, other in id_to_scored.values() if query.fits(entity) and _has_name(entity, query.name)
        ]
        id_to_scored[own.id] = own, max(score, *namesakes) if namesakes else FULL_SCORE
    scored = [each for each in id_to_scored.values() if query.strictness == "should" or query.fits(each[0])]
    scored.sort(key=lambda each: (not query.fits(each[0]), -each[1]))
    lowest = itertools.accumulate((score for _, score in scored), min)  # others never score above those of the type
    return [(entity, score) for (entity, _), score in zip(scored, lowest, strict=True)]


def entity_result(entity: Entity) -> dict[str, Any]:
    """The record of an entity in a list of results."""
    return {"id": entity.id, "name": entity.title or entity.id, "description": entity.gloss}


def type_records(names: Sequence[str]) -> list[dict[str, str]]:
    """Types as records; their names are their ids."""
    return [{"id": name, "name": name} for name in names]


def _percent(candidate: Candidate) -> float:
    return short_score(FULL_SCORE * candidate.score)


def _has_name(entity: Entity, name: str) -> bool:
    folded = name.casefold()
    return any(each.casefold() == folded for each in (entity.title, *(alias.text for alias in entity.aliases)))


def entity_facts(entity: Entity) -> Mapping[str, str]:
    """The facts of a preview besides the title."""
    facts = {
        "id": entity.id,
        "types": ", ".join(entity.types),
        "also called": ", ".join(dict.fromkeys(alias.text for alias in entity.aliases[:20])),
    }
    return {name: value for name, value in facts.items() if value}
