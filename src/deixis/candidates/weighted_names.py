"""The names an alias table is made of, and the weight of each for its entity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.annotated import known_mentions
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.store.strings import StringTable
from deixis.types import Document


@dataclass(frozen=True)
class AliasNames:
    """Names one by one: titles, aliases, then annotated mentions, all that differ in text, language or entity.

    `weights` are the knowledge base's, `counts` those of annotated mentions; the first `n_of_kb` are its names.
    """

    names: StringTable
    langs: list[str]
    rows: NDArray[np.int32]
    weights: NDArray[np.float32]
    counts: NDArray[np.float32]
    n_of_kb: int

    @classmethod
    def collect(cls, kb: KnowledgeBase, annotated: Iterable[Document], title_weight: float) -> AliasNames:
        """The names of a knowledge base and of annotated mentions whose entity it holds."""
        known = ((mention, row) for mention, rows in known_mentions(kb, annotated) for row in rows)
        seen = Counter((mention.text, mention.lang or "", row) for mention, row in known)
        seen_rows = np.fromiter((row for _, _, row in seen), np.int64, len(seen))
        seen_counts = np.fromiter(seen.values(), np.int64, len(seen))
        entity_counts = kb.counts + np.bincount(seen_rows, weights=seen_counts, minlength=len(kb))
        weights = np.concatenate(name_weights(kb, entity_counts, title_weight))
        alias_rows = np.repeat(np.arange(len(kb)), np.diff(kb.alias_indptr))
        alias_langs = ("" if code < 0 else kb.langs[code] for code in kb.alias_langs.tolist())
        return cls(
            names=kb.titles.joined(kb.aliases).joined(StringTable.from_strings(text for text, _, _ in seen)),
            langs=[*[""] * len(kb), *alias_langs, *(lang for _, lang, _ in seen)],
            rows=np.concatenate([np.arange(len(kb)), alias_rows, seen_rows]).astype(np.int32),
            weights=np.concatenate([weights, np.zeros(len(seen))]).astype(np.float32),
            counts=np.concatenate([np.zeros(len(weights)), seen_counts]).astype(np.float32),
            n_of_kb=len(weights),
        )


def name_weights(
    kb: KnowledgeBase, entity_counts: NDArray[np.integer | np.floating], title_weight: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """One weight per title and one per alias, in the order of the knowledge base.

    A counted alias weighs its count. What an entity's own count has left beyond that is spread over its names without
    a count, and each of those weighs one more, so that none is impossible; a title has `title_weight` times the share
    of an alias.

    Examples
    --------
    >>> aliases = ["City of Light", {"text": "Parigi", "count": 40}]
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris", "aliases": aliases, "count": 100}])
    >>> titles, aliases = name_weights(kb, kb.counts, title_weight=2.0)
    >>> titles.tolist(), aliases.tolist()
    ([42.0], [21.0, 40.0])
    """
    row_of_alias = np.repeat(np.arange(len(kb)), np.diff(kb.alias_indptr))
    is_counted = kb.alias_counts > 0
    counted = np.bincount(row_of_alias, weights=kb.alias_counts, minlength=len(kb))
    n_uncounted = np.bincount(row_of_alias[~is_counted], minlength=len(kb))
    share = 1 + np.maximum(0, entity_counts - counted) / (title_weight + n_uncounted)
    return title_weight * share, np.where(is_counted, kb.alias_counts, share[row_of_alias])
