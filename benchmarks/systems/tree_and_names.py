"""Candidates of the label tree blended with those of similar names: the system `deixis-tree`, which no linker uses.

The score is `share * tree + (1 - share) * names`; mentions that were seen annotated have a larger share of the tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.candidates.annotated import known_mentions
from deixis.candidates.candidate_lists import candidates_of
from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.label_tree import LabelTreeSource, LabelTreeSourceConfig
from deixis.candidates.sources.names import NameConfig, NameSource
from deixis.features.name_set import NameSet
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.nearest.best_rows import best_rows
from deixis.nearest.merging import merged
from deixis.tables import EntityMask, FlatRows
from deixis.types import Candidate, Document, MentionInContext

TREE_SHARE = 0.15
SEEN_TREE_SHARE = 0.9
MIN_EACH = 50  # what tree and names propose, at least: the best of both together are not the best of each


Rows = FlatRows | sparse.csr_matrix


@dataclass(frozen=True, eq=False)
class TreeAndNames:
    """A label tree, the names beside it, and the mentions that were seen annotated.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q22889", "title": "Troy"}])
    >>> mention = MentionInContext("Paris", "Paris had to be sacrificed.", 0, 5)
    >>> [candidate.id for candidate in TreeAndNames.build(kb).generate([mention], k=1)[0]]
    ['Q90']
    """

    tree: LabelTreeSource
    names: NameSource
    seen: NameSet
    tree_share: float = TREE_SHARE

    @classmethod
    def build(
        cls,
        kb: KnowledgeBase,
        annotated: Sequence[Document] = (),
        tree: LabelTreeSourceConfig | None = None,
        names: NameConfig | None = None,
        seed: int = 0,
        n_threads: int = 0,
    ) -> TreeAndNames:
        """Both over the entities of `kb`, in which popularity does not count."""
        configs = {"label_tree": tree or LabelTreeSourceConfig(), "names": names or NameConfig()}
        inputs = SourceInputs(kb, annotated, np.zeros(len(kb)), configs, seed, n_threads)
        seen = NameSet.of(mention.text for mention, _ in known_mentions(kb, annotated))
        return cls(inputs.source("label_tree"), inputs.source("names"), seen)  # type: ignore[arg-type]

    def with_names(self, config: NameConfig) -> TreeAndNames:
        """The same tree with names that are compared in another way."""
        kb, n_threads, configs = self.tree.kb, self.tree.ranker.n_threads, {"label_tree": self.tree.config}
        inputs = SourceInputs(kb, (), np.zeros(len(kb)), configs, n_threads=n_threads, built={"label_tree": self.tree})
        return replace(self, names=NameSource.build(inputs, config))

    def search(self, mentions: Sequence[MentionInContext], k: int, mask: EntityMask | None = None) -> FlatRows:
        """mentions_by_entities: the best `k` by the weighted sum of both scores, stored best first."""
        n_each = max(k, MIN_EACH)
        is_seen = self.seen.holds([mention.text for mention in mentions])
        shares = np.where(is_seen, SEEN_TREE_SHARE, self.tree_share).astype(np.float32)
        return blended(self.tree.search(mentions, n_each, mask), self.names.search(mentions, n_each, mask), shares, k)

    def generate(
        self, mentions: Sequence[MentionInContext], k: int, mask: EntityMask | None = None
    ) -> list[list[Candidate]]:
        """The same as records."""
        return candidates_of(self.tree.kb, self.search(mentions, k, mask)) if mentions else []


def blended(first: Rows, second: Rows, first_shares: NDArray[np.float32], k: int) -> FlatRows:
    """The best `k` of each row by `share * first + (1 - share) * second`, best first; what one lacks has 0 there.

    Examples
    --------
    >>> first = sparse.csr_matrix(np.array([[0.9, 0.1, 0.0]], dtype=np.float32))
    >>> second = sparse.csr_matrix(np.array([[0.0, 0.5, 0.6]], dtype=np.float32))
    >>> blended(first, second, np.array([0.25], dtype=np.float32), k=2).indices.tolist()
    [2, 1]
    """
    both = merged({"first": first, "second": second})
    shares = first_shares[both.mention_numbers]
    scores = shares * both.column("first") + (1 - shares) * both.column("second")
    return best_rows(both, scores, k, first.shape[1])
