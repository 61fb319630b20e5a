"""What the linker asks of a candidate generator, whatever is inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from deixis.types import Candidate, MentionInContext


class CandidateGenerator(Protocol):
    """Station 1. Classes also have `build(kb, ...)` and `from_arrays(arrays, prefix, kb, config)`."""

    def generate(self, mentions: Sequence[MentionInContext], k: int) -> list[list[Candidate]]:
        """For each mention up to `k` different entities, best first, scores in 0..1; an empty list if none is found."""

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Everything it learned as arrays under names that begin with `prefix`, without the knowledge base."""
