"""Entity search: by the beginning of a name, and by the linker's candidates for a name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deixis.candidates.candidate_lists import candidate_lists
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.options import LinkOptions
from deixis.linking.streams import rank_mentions
from deixis.service.served import Served
from deixis.types import Candidate, MentionInContext


def search(
    served: Served, names: Sequence[str], match: str, types: Sequence[str] | None, limit: int
) -> list[list[dict[str, Any]]]:
    """Up to `limit` entities for each name: those with a name that begins with it, then those with a similar name.

    `match` is "prefix" or "alike" for only one of the two. A labeller's vocabulary is searched by prefix only.
    """
    mask = LinkOptions(types=tuple(types or ())).only.cached_mask(served.kb)
    ranked_lists: list[list[Candidate]] = [[] for _ in names]
    if match != "prefix" and isinstance(served.model, Linker):
        typed = [MentionInContext(name, name, 0, len(name)) for name in names]
        ranked_lists = candidate_lists(served.kb, rank_mentions(served.linker.model, typed, limit, mask=mask))
    results = []
    for name, ranked in zip(names, ranked_lists, strict=True):
        scores = {each.id: each.score for each in ranked}
        begun = served.prefixes.find(name, limit, mask).tolist() if match != "alike" else []
        ids = dict.fromkeys((*served.kb.ids.strings(begun), *scores))
        results.append([_match_record(served.kb, each, scores.get(each)) for each in list(ids)[:limit]])
    return results


def _match_record(kb: KnowledgeBase, identifier: str, score: float | None) -> dict[str, Any]:
    entity = kb.entity(identifier)
    return {
        "id": entity.id,
        "title": entity.title,
        "description": entity.gloss,
        "types": list(entity.types),
        "score": None if score is None else round(float(score), 6),
    }


def entity_record(kb: KnowledgeBase, identifier: str) -> dict[str, Any] | None:
    """The record of an entity, by its id or an alternative id; None if there is no such entity."""
    row = kb.row_of(identifier)
    if row is None:
        return None
    entity = kb.entity(row)
    return {
        "id": entity.id,
        "title": entity.title,
        "description": entity.gloss,
        "descriptions": dict(entity.descriptions),
        "aliases": [{"text": alias.text, "lang": alias.lang, "count": alias.count} for alias in entity.aliases],
        "types": list(entity.types),
        "count": entity.count,
        "url": entity.url,
        "alt_ids": list(entity.alt_ids),
    }
