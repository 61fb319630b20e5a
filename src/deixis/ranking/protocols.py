"""What the linker asks of a candidate ranker, whatever is inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from deixis.types import Candidate, MentionInContext


class CandidateRanker(Protocol):
    """Station 2. Classes also have `build(kb, ...)` and `from_arrays(arrays, prefix, kb, config)`."""

    def rank(
        self, mentions: Sequence[MentionInContext], candidates: Sequence[Sequence[Candidate]]
    ) -> list[list[Candidate]]:
        """The same candidates for each mention, best first, with new scores in 0..1; none is added or lost."""

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Everything it learned as arrays under names that begin with `prefix`, without the knowledge base."""
