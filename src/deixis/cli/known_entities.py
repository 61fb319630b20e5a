"""What an evaluation asks of a knowledge base: which gold it holds, and what to show of an entity."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from deixis.cli.models import gloss_of
from deixis.evaluation.linking.judge import CountOf, TypesOf
from deixis.gold import Resolve
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.tables import EntityMask

EVERY_GOLD_ID = "no knowledge base was given: every gold entity counts as in the knowledge base"


@dataclass(frozen=True)
class KnownEntities:
    """A knowledge base as evaluation sees it; without one, every gold id counts as known.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris", "types": ["city"]}])
    >>> known = KnownEntities.of(kb, "places.csv")
    >>> known.resolve("Q90"), known.resolve("Q1"), known.name_of("Q90")
    ('Q90', None, ('Paris', 'city'))
    >>> KnownEntities.every().resolve is None
    True
    """

    in_kb: str
    resolve: Resolve | None = None
    count_of: CountOf | None = None
    types_of: TypesOf | None = None
    name_of: Callable[[str], tuple[str, str]] = lambda name: ("", "")
    """An entity's id -> its title and a few words about it."""
    some_ids: tuple[str, ...] = ()
    """What ids look like here."""

    @classmethod
    def every(cls) -> KnownEntities:
        """What is known without a knowledge base."""
        return cls(in_kb=EVERY_GOLD_ID)

    @classmethod
    def load(cls, path: str, name: str) -> KnownEntities:
        """The knowledge base in a model folder, or in a file."""
        return cls.of(read_entities(path), name)

    @classmethod
    def of(cls, kb: KnowledgeBase, name: str, allowed: EntityMask | None = None) -> KnownEntities:
        """What this knowledge base knows, of the allowed entities only; counts and types only if it has any."""

        def own_allowed_id(name: str) -> str | None:
            row = kb.row_of(name)
            return None if row is None or (allowed is not None and not allowed[row]) else kb.ids[row]

        def count_of(name: str) -> int | None:
            row = kb.row_of(name)
            return None if row is None else int(kb.counts[row])

        def types_of(name: str) -> tuple[str, ...]:
            row = kb.row_of(name)
            return () if row is None else kb.types(row)

        gloss = gloss_of(kb)

        def name_of(name: str) -> tuple[str, str]:
            row = kb.row_of(name)
            return ("", "") if row is None else (kb.title(row), gloss(name))

        return cls(
            in_kb=f"in the knowledge base of {name} ({_counted(kb, allowed)})",
            resolve=kb.own_id if allowed is None else own_allowed_id,
            count_of=count_of if kb.counts.any() else None,
            types_of=types_of if len(kb.type_codes) else None,
            name_of=name_of,
            some_ids=tuple(kb.ids[row] for row in range(min(3, len(kb)))),
        )


def _counted(kb: KnowledgeBase, allowed: EntityMask | None) -> str:
    if allowed is None:
        return f"{len(kb):,} entities"
    return f"{allowed.sum():,} of {len(kb):,} entities pass the filter"


def read_entities(path: str) -> KnowledgeBase:
    """The knowledge base in a model folder, or in a file."""
    return Linker.load(path).kb if os.path.isdir(path) else KnowledgeBase.read(path)
