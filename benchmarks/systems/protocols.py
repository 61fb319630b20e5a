"""What the runner asks of a system under test, ours or a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Candidate, Document, MentionInContext


class Proposer(Protocol):
    """Mentions in, entities out: the shape of a candidate generator, without the duty to be saved."""

    def generate(self, mentions: Sequence[MentionInContext], k: int) -> list[list[Candidate]]:
        """For each mention up to `k` different entities, best first; an empty list if none is found."""


class System(Protocol):
    """A class of proposers, left out of a run that has not what it needs.

    `mentions` are annotated documents to learn from; for `counts` those will do, or a knowledge base with counts.
    """

    needs: Literal["nothing", "mentions", "counts"]

    @classmethod
    def build(cls, kb: KnowledgeBase, annotated: Sequence[Document], n_threads: int) -> Proposer:
        """A proposer that knows the entities of `kb`; `annotated` is empty unless it needs mentions or counts."""

    @classmethod
    def settings(cls) -> dict[str, Any]:
        """What a reader of its figures must know about it."""
