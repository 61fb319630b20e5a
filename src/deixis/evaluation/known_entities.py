"""What an evaluation asks of a knowledge base: which gold it holds, and what to show of an entity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from deixis.evaluation.linking.judge import CountOf, TypesOf
from deixis.gold import Resolve
from deixis.tables import EntityMask

EVERY_GOLD_ID = "no knowledge base was given: every gold entity counts as in the knowledge base"
N_IDS = 3  # that a warning shows


class Described(Protocol):
    """An entity, in a few words."""

    @property
    def gloss(self) -> str:
        """Its description, or its types if it has none."""


class Ids(Protocol):
    """The ids of entities, by their rows."""

    def __getitem__(self, row: int, /) -> str:
        """The id in a row."""


class Entities(Protocol):
    """What evaluation needs of a knowledge base."""

    @property
    def ids(self) -> Ids:
        """The id of each entity."""

    @property
    def counts(self) -> NDArray[np.int64]:
        """How often each entity is mentioned elsewhere; zeros where nobody counted."""

    @property
    def type_codes(self) -> NDArray[np.int32]:
        """The types of all entities; empty where there are none."""

    def __len__(self) -> int:
        """How many entities there are."""

    def row_of(self, identifier: str) -> int | None:
        """The row of an entity."""

    def own_id(self, identifier: str) -> str | None:
        """The entity's own id, also for an equivalent one."""

    def title(self, row: int) -> str:
        """The title of an entity."""

    def types(self, row: int) -> tuple[str, ...]:
        """The types of an entity."""

    def entity(self, row_or_id: int | str) -> Described:
        """An entity."""


@dataclass(frozen=True)
class KnownEntities:
    """A knowledge base as evaluation sees it; without one, every gold id counts as known.

    Examples
    --------
    >>> EVERY_ENTITY.resolve is None, EVERY_ENTITY.name_of("Q90")
    (True, ('', ''))
    """

    in_kb: str = EVERY_GOLD_ID
    """When gold counts as known, in words."""
    resolve: Resolve | None = None
    count_of: CountOf | None = None
    types_of: TypesOf | None = None
    name_of: Callable[[str], tuple[str, str]] = lambda name: ("", "")
    """An entity's id -> its title and a few words about it."""
    some_ids: tuple[str, ...] = ()
    """What ids look like here."""

    @classmethod
    def of(cls, kb: Entities, name: str = "", mask: EntityMask | None = None) -> KnownEntities:
        """The entities of a knowledge base, or those of the mask; counts and types only if it has any."""

        def own_id(name: str) -> str | None:
            row = kb.row_of(name)
            return None if row is None or (mask is not None and not mask[row]) else kb.ids[row]

        def count_of(name: str) -> int | None:
            row = kb.row_of(name)
            return None if row is None else int(kb.counts[row])

        def types_of(name: str) -> tuple[str, ...]:
            row = kb.row_of(name)
            return () if row is None else kb.types(row)

        def name_of(name: str) -> tuple[str, str]:
            row = kb.row_of(name)
            return ("", "") if row is None else (kb.title(row), kb.entity(row).gloss)

        size = f"{len(kb):,} entities" if mask is None else f"{mask.sum():,} of {len(kb):,} entities pass the filter"
        return cls(
            in_kb=f"in the knowledge base{f' of {name}' if name else ''} ({size})",
            resolve=kb.own_id if mask is None else own_id,
            count_of=count_of if kb.counts.any() else None,
            types_of=types_of if len(kb.type_codes) else None,
            name_of=name_of,
            some_ids=tuple(kb.ids[row] for row in range(min(N_IDS, len(kb)))),
        )


EVERY_ENTITY = KnownEntities()
"""Without a knowledge base every gold entity counts as known."""
