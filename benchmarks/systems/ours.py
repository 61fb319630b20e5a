"""Our own systems, with the library's default settings: the label tree alone, and the whole linker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.systems.tree_and_names import TreeAndNames
from deixis.candidates.candidate_lists import candidate_lists
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.streams import rank_mentions
from deixis.types import Candidate, Document, MentionInContext


class TreeSystem:
    """Candidates of the label tree and of similar names, learned from the knowledge base alone."""

    needs = "nothing"

    @classmethod
    def build(cls, kb: KnowledgeBase, annotated: Sequence[Document] = (), n_threads: int = 1) -> TreeAndNames:
        """The tree and the names."""
        return TreeAndNames.build(kb, annotated, n_threads=n_threads)

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
