"""What ranking features know of each entity, whatever the mention."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import StoreError
from deixis.features.entity_words import EntityWords
from deixis.features.name_forms import NameForms, NameFormsConfig
from deixis.features.name_set import NameSet
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.store.checks import check_range, require
from deixis.store.string_hashes import hash_strings

MAX_LOG = 64  # ln(2^63) and more
_FORMS = NameForms(NameFormsConfig.loose())


@dataclass(frozen=True, eq=False)
class EntityFacts:
    """Words, popularity (0 to 1), sizes and names of all entities of a knowledge base.

    `log_sizes` has ln(1 + n) of the characters of each entity's description and of its aliases, `keys` hashes of its
    title and id. `seen_names` are the names that were seen annotated.
    """

    words: EntityWords
    popularity: NDArray[np.float32]
    log_sizes: NDArray[np.float32]
    keys: NDArray[np.uint64]
    seen_names: NameSet

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
        return cls(words, popularity, log_sizes, keys, seen_names or NameSet())

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Everything but the words as arrays under names that begin with `prefix`."""
        return {
            f"{prefix}.popularity": self.popularity, f"{prefix}.facts": self.log_sizes.ravel(),
            f"{prefix}.keys": self.keys.ravel(), f"{prefix}.learned": self.seen_names.hashes,
        }  # fmt: skip

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str, words: EntityWords) -> EntityFacts:
        """The facts `to_arrays` gave, with the words of the same entities."""
        popularity = require(arrays, f"{prefix}.popularity", np.float32)
        log_sizes, keys = require(arrays, f"{prefix}.facts", np.float32), require(arrays, f"{prefix}.keys", np.uint64)
        n_entities = len(words.title_scales)
        if not len(popularity) * 2 == len(log_sizes) == len(keys) == n_entities * 2:
            raise StoreError(
                f"The arrays '{prefix}.*' do not fit {n_entities} entities. The model is damaged or from another "
                "version; build it again."
            )
        for name, array in (("popularity", popularity), ("facts", log_sizes)):
            check_range(f"{prefix}.{name}", array, 0, MAX_LOG)
        seen_names = NameSet(require(arrays, f"{prefix}.learned", np.uint64))
        return cls(words, popularity, log_sizes.reshape(-1, 2), keys.reshape(-1, 2), seen_names)


def name_keys(names: Iterable[str], n_threads: int) -> NDArray[np.uint64]:
    """A hash of each name, the same for names that differ in case, accents or punctuation only."""
    return hash_strings(_FORMS.keys(names, n_threads=n_threads))
