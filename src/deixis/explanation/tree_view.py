"""A view of the label tree (XMRED, Figure 4): the children of a node, and the topics of each branch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.filters import unknown_ids
from deixis.candidates.sources.label_tree import LabelTreeSource
from deixis.errors import DataError
from deixis.features.stop_words import filler_words
from deixis.xmr.tree_paths import labels_below, nodes_to

N_TOPICS, N_TITLES = 5, 3
MAX_TITLES = 1000  # titles that name a branch


@dataclass(frozen=True)
class Branch:
    """A node of the tree, or an entity (a leaf; `entity` is its id).

    `topics` are the words that titles below it have in common, `titles` those of some entities.
    """

    level: int
    node: int
    n_entities: int
    topics: tuple[str, ...]
    titles: tuple[str, ...]
    entity: str | None = None


class TreeView:
    """The nodes of a label tree, identified by level and number; the root is (0, 0).

    Examples
    --------
    >>> from deixis.candidates.source import SourceInputs
    >>> from deixis.kb.knowledge_base import KnowledgeBase
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q22889", "title": "Troy"}])
    >>> view = TreeView(LabelTreeSource.build(SourceInputs(kb)))
    >>> sorted(branch.entity for branch in view.below(0, 0))
    ['Q22889', 'Q90']
    """

    def __init__(self, source: LabelTreeSource, tree: int = 0) -> None:
        trees = source.ranker.trees
        if not 0 <= tree < len(trees):
            raise DataError(f"The model has {len(trees)} trees, numbered from 0; there is no tree {tree}.")
        self._source, self._kb, self._tree = source, source.kb, trees[tree]

    @property
    def n_levels(self) -> int:
        """Steps from the root to an entity."""
        return self._tree.tree.n_levels

    def below(self, level: int, node: int) -> list[Branch]:
        """The children of a node, in the order of the tree."""
        levels = self._tree.levels
        if not 0 <= level < len(levels):
            raise DataError(f"Nodes with something below lie on levels 0..{len(levels) - 1}, got {level}.")
        starts = levels[level].child_starts
        if not 0 <= node < len(starts) - 1:
            raise DataError(f"Level {level} has {len(starts) - 1:,} nodes, numbered from 0; there is no node {node}.")
        return [self._branch(level, child) for child in range(*starts[node : node + 2].tolist())]

    def way_to(self, entity_id: str) -> list[tuple[int, int]]:
        """Level and number of each node from the root to the one above an entity."""
        row = self._kb.row_of(entity_id)
        if row is None:
            raise DataError(unknown_ids(self._kb, [entity_id], 1))
        return [(level, parent) for level, parent, _ in nodes_to(self._tree, row)]

    def _branch(self, level: int, node: int) -> Branch:
        rows = labels_below(self._tree, level, node)
        entity = self._kb.ids[int(rows[0])] if level + 1 == self.n_levels else None
        return Branch(
            level + 1,
            node,
            len(rows),
            topics_of(self._source, rows),
            tuple(self._kb.titles.strings(rows[:N_TITLES])),
            entity,
        )


def topics_of(source: LabelTreeSource, rows: NDArray[np.int32]) -> tuple[str, ...]:
    """The words and phrases that the titles of these entities have in common most, by TF-IDF, strongest first.

    Of very many entities an evenly spaced sample is used.
    """
    step = max(1, len(rows) // MAX_TITLES)
    words = source.features.mention
    titles = words.transform(source.kb.titles.take(rows[::step]), n_threads=1)
    columns, positions = np.unique(titles.indices, return_inverse=True)
    together = np.bincount(positions, weights=titles.data)[columns < words.n_words]  # without n-grams of characters
    strongest = np.argsort(-together, kind="stable")[: 3 * N_TOPICS]
    return tuple(_apart(words.feature_names(columns[strongest])))[:N_TOPICS]


def _apart(names: list[str]) -> Iterator[str]:
    """The names in order, without those whose words have all come already; names of stop words come last."""
    seen: set[str] = set()
    for name in sorted(names, key=lambda each: _fillers().issuperset(each.split())):
        words = set(name.split())
        if not words <= seen:
            seen |= words
            yield name


@cache
def _fillers() -> frozenset[str]:
    return frozenset(filler_words())
