"""What ranking features know of each entity, whatever the mention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from deixis.features.entity_words import EntityWords
from deixis.features.name_set import NameSet
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.native import _core
from deixis.ranking.own_names import OwnNames, name_keys
from deixis.store.part import GIVEN, Part, array, nested
from deixis.store.row_parts import ColumnParts, RowParts, column_parts

MAX_LOG = 64  # ln(2^63) and more


@dataclass(frozen=True, eq=False)
class EntityFacts(Part):
    """Words, popularity (0 to 1), sizes and names of all entities of a knowledge base.

    `log_sizes` has ln(1 + n) of the characters of each entity's description and of its aliases, `keys` hashes of its
    title and id. `seen_names` are the names that were seen annotated.
    """

    words: Annotated[EntityWords, GIVEN]
    popularity: Annotated[NDArray[np.float32], array(low=0, high=MAX_LOG, length="n_entities")]
    log_sizes: Annotated[NDArray[np.float32], array(columns=2, low=0, high=MAX_LOG, length="n_entities")]
    keys: Annotated[NDArray[np.uint64], array(columns=2, length="n_entities")]
    seen_names: NameSet
    own_names: Annotated[OwnNames | None, nested(n_entities="n_entities")] = None

    @classmethod
    def of(
        cls,
        kb: KnowledgeBase,
        words: EntityWords,
        popularity: NDArray[np.float32],
        seen_names: NameSet | None = None,
        n_threads: int = 0,
    ) -> EntityFacts:
        """The facts of the entities of `kb`."""
        lengths = np.diff(kb.description_texts().offsets)
        log_sizes = np.log1p(np.stack([lengths, np.diff(kb.alias_indptr)], axis=1)).astype(np.float32)
        keys = np.stack([name_keys(kb.titles, n_threads), name_keys(kb.ids, n_threads)], axis=1)
        own_names = OwnNames.of(kb, words.stated, n_threads)
        return cls(words, popularity, log_sizes, keys, seen_names or NameSet(), own_names)

    @classmethod
    def joined(cls, facts: Sequence[EntityFacts], words: EntityWords, parts: RowParts) -> EntityFacts:
        """The facts of entities in several parts; `words` are those of all."""
        columns: dict[str, Any] = {
            name: ColumnParts([getattr(each, name) for each in facts], parts)
            for name in ("popularity", "log_sizes", "keys")
        }
        own_names = [each.own_names for each in facts if each.own_names is not None]
        columns["own_names"] = OwnNames.joined(own_names) if len(own_names) == len(facts) else None
        return cls(words=words, seen_names=facts[0].seen_names, **columns)

    @cached_property
    def names(self) -> _core.EntityNames:
        """What is compared with the names of mentions, where the core finds it."""
        keys, log_sizes = ([part.reshape(-1) for part in column_parts(each)] for each in (self.keys, self.log_sizes))
        own = self.own_names
        further = [[]] * 6 if own is None else [column_parts(column) for column in own.columns]
        return _core.EntityNames(keys, column_parts(self.popularity), log_sizes, *further)
