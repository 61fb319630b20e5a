"""Queries of the reconciliation dialect, and their candidates."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deixis.documents.json_lines import short_score
from deixis.kb.entity import Entity
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.name_column import named_documents
from deixis.service.dialects.forms import bad
from deixis.service.state import LinkChoices
from deixis.types import Candidate, Document, Mention

LIMIT, MAX_LIMIT = 10, 100
MAX_QUERY = 10_000
FULL_SCORE = 100.0


@dataclass(frozen=True)
class ReconciliationQuery:
    """A name to reconcile; `context` is what else its row says, which helps to tell namesakes apart.

    Without a name, as when only properties are given, nothing is found.
    """

    name: str
    context: str = ""
    types: tuple[str, ...] = ()
    limit: int = LIMIT
    is_all_types: bool = False

    def document(self) -> Document:
        """The name as a mention, followed by its context: what `Linker.link_names` makes of a row."""
        return named_documents([self.name], [self.context])[0]

    def choices(self) -> LinkChoices:
        """How to link it; queries that choose the same are linked together."""
        return LinkChoices(types=self.types or None, top_k=self.limit)


def queries_from(written: str) -> dict[str, ReconciliationQuery]:
    """The queries of a batch by their keys."""
    try:
        batch = json.loads(written)
    except (ValueError, RecursionError):
        raise bad("'queries' must be JSON: an object of queries, each under a key of your choice.") from None
    if not isinstance(batch, dict):
        raise bad(f"'queries' must be an object of queries, got {type(batch).__name__}.")
    return {key: _query(key, told) for key, told in batch.items()}


def _query(key: str, told: object) -> ReconciliationQuery:
    where = f"The query {key[:50]!r}"
    if not isinstance(told, dict):
        raise bad(f"{where} must be an object with 'query', got {type(told).__name__}.")
    name = told.get("query", "" if told.get("properties") else None)
    if not isinstance(name, str):
        raise bad(f"{where} needs 'query', the name to look for, as a text.")
    if len(name) > MAX_QUERY:
        raise bad(f"{where} is {len(name):,} characters long; at most {MAX_QUERY:,} are taken.")
    limit = told.get("limit", LIMIT)
    if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not limit >= 1:
        raise bad(f"{where} has the limit {str(limit)[:50]!r}; it must be a number of at least 1.")
    return ReconciliationQuery(
        name=name.strip(),
        context=", ".join(_values(told.get("properties"), where))[:MAX_QUERY],
        types=_types(told.get("type"), where),
        limit=int(min(limit, MAX_LIMIT)),
        is_all_types=told.get("type_strict") == "all",
    )


def _types(told: object, where: str) -> tuple[str, ...]:
    listed = told if isinstance(told, list) else [told] if told else []
    ids = [each.get("id") if isinstance(each, dict) else each for each in listed]
    if not all(isinstance(each, str) and each for each in ids):
        raise bad(f"{where} has a 'type' that is neither the id of a type nor a list of such.")
    return tuple(str(each) for each in ids)


def _values(properties: object, where: str) -> list[str]:
    """The values of all properties, as words."""
    if properties is None:
        return []
    if not isinstance(properties, list) or not all(isinstance(each, dict) for each in properties):
        raise bad(f"{where} has 'properties' that are no list of objects with 'pid' and 'v'.")
    words = []
    for each in properties:
        given = each.get("v")
        for value in given if isinstance(given, list) else [given]:
            named = value.get("name") or value.get("id") if isinstance(value, dict) else value
            if named is not None and str(named).strip():
                words.append(str(named).strip())
    return words


def candidates(
    kb: KnowledgeBase, query: ReconciliationQuery, linked: Mention, is_calibrated: bool
) -> list[dict[str, Any]]:
    """The candidates for a query, best first.

    The best one is a match if its id was asked for. Otherwise, if the scores are calibrated, when the linker would link
    it; if they are not, when the name is one of its names and no other candidate's.
    """
    row = kb.row_of(query.name)
    own = None if row is None else kb.entity(row)
    if own is not None and query.types and not set(own.types) & set(query.types):
        own = None
    listed = [(kb.entity(each.id), _percent(each)) for each in linked.candidates if kb.row_of(each.id) is not None]
    if own is not None:
        listed = [(own, FULL_SCORE), *((entity, score) for entity, score in listed if entity.id != own.id)]
    if query.is_all_types:
        listed = [(entity, score) for entity, score in listed if set(query.types) <= set(entity.types)]
    listed = listed[: query.limit]
    is_named = [_has_name(entity, query.name) for entity, _ in listed]
    is_sure = linked.entity is not None and (is_calibrated or sum(is_named) == 1)
    return [
        entity_result(entity)
        | {
            "score": score,
            "match": place == 0 and (entity is own or (is_sure and (is_calibrated or is_named[0]))),
            "features": [{"id": "name_match", "value": is_named[place]}],
            "type": type_records(entity.types),
        }
        for place, (entity, score) in enumerate(listed)
    ]


def entity_result(entity: Entity) -> dict[str, Any]:
    """What any list of entities says of one."""
    return {"id": entity.id, "name": entity.title or entity.id, "description": entity.gloss}


def type_records(names: Sequence[str]) -> list[dict[str, str]]:
    """Types, whose names are their ids."""
    return [{"id": name, "name": name} for name in names]


def _percent(candidate: Candidate) -> float:
    return short_score(FULL_SCORE * candidate.score)


def _has_name(entity: Entity, name: str) -> bool:
    wanted = name.casefold()
    return any(each.casefold() == wanted for each in (entity.title, *(alias.text for alias in entity.aliases)))


def entity_facts(entity: Entity) -> Mapping[str, str]:
    """What a preview tells beside the title."""
    facts = {
        "id": entity.id,
        "types": ", ".join(entity.types),
        "also called": ", ".join(dict.fromkeys(alias.text for alias in entity.aliases[:20])),
    }
    return {name: value for name, value in facts.items() if value}
