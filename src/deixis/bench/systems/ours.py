"""Our own systems, with the library's default settings: the label tree alone, and the whole linker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deixis.candidates.label_tree import LabelTreeCandidates
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.config import LinkerConfig
from deixis.linking.linker import Linker
from deixis.types import Candidate, Document, MentionInContext


class TreeSystem:
    """The label tree's candidates in the tree's own order, learned from the knowledge base alone."""

    needs = "nothing"

    @classmethod
    def build(cls, kb: KnowledgeBase, annotated: Sequence[Document] = (), n_threads: int = 1) -> LabelTreeCandidates:
        """The tree."""
        return LabelTreeCandidates.build(kb, annotated, n_threads=n_threads)

    @classmethod
    def settings(cls) -> dict[str, Any]:
        """The settings it was built with."""
        return {"settings": "library defaults"}


class TaughtTreeSystem(TreeSystem):
    """The same, taught by annotated mentions."""

    needs = "mentions"


class LinkerSystem:
    """The linker: the tree's candidates as its ranking orders them.

    The linker ranks as many candidates as its settings say; when more are asked for, the tree's next ones follow.
    """

    needs = "nothing"

    def __init__(self, linker: Linker) -> None:
        self.linker = linker

    @classmethod
    def build(cls, kb: KnowledgeBase, annotated: Sequence[Document] = (), n_threads: int = 1) -> LinkerSystem:
        """The linker with all its stations."""
        return cls(Linker.build(kb, annotated or None, n_threads=n_threads))

    @classmethod
    def settings(cls) -> dict[str, Any]:
        """The settings it was built with."""
        return {"settings": "library defaults", "n_ranked": LinkerConfig().n_candidates}

    def generate(self, mentions: Sequence[MentionInContext], k: int) -> list[list[Candidate]]:
        """Ranked candidates, then unranked ones up to `k`."""
        n_ranked = self.linker.config.n_candidates
        proposed = self.linker.generator.generate(mentions, max(k, n_ranked))
        ranked = self.linker.ranker.rank(mentions, [listed[:n_ranked] for listed in proposed])
        return [(best + listed[n_ranked:])[:k] for best, listed in zip(ranked, proposed, strict=True)]


class TaughtLinkerSystem(LinkerSystem):
    """The same, taught by annotated mentions."""

    needs = "mentions"
