"""Our own systems, with the library's default settings: the label tree alone, and the whole linker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deixis.candidates.candidate_lists import candidate_lists
from deixis.candidates.sources.label_tree import LabelTreeCandidates
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.streams import rank_mentions
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
    """The linker: candidates of all lists as its ranking orders them."""

    needs = "nothing"

    def __init__(self, linker: Linker) -> None:
        self.linker = linker

    @classmethod
    def build(cls, kb: KnowledgeBase, annotated: Sequence[Document] = (), n_threads: int = 1) -> LinkerSystem:
        """The linker with all its stages."""
        return cls(Linker.build(kb, annotated or None, n_threads=n_threads))

    @classmethod
    def settings(cls) -> dict[str, Any]:
        """The settings it was built with."""
        return {"settings": "library defaults"}

    def generate(self, mentions: Sequence[MentionInContext], k: int) -> list[list[Candidate]]:
        """Ranked candidates, as many as are asked for."""
        return candidate_lists(self.linker.kb, rank_mentions(self.linker.model, mentions, k))


class TaughtLinkerSystem(LinkerSystem):
    """The same, taught by annotated mentions."""

    needs = "mentions"
