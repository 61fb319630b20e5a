"""What the linker asks of a candidate ranker, whatever is inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from numpy.typing import NDArray
from scipy import sparse

from deixis.tables import CandidateTable
from deixis.types import MentionInContext


class CandidateRanker(Protocol):
    """Stage 3. Classes also have `build(kb, words, ...)` and `from_arrays(arrays, prefix, words=, n_entities=)`."""

    def rank(self, mentions: Sequence[MentionInContext], proposals: CandidateTable, k: int) -> sparse.csr_matrix:
        """mentions_by_entities: the best `k` of each mention's proposals, stored best first, scores in 0..1."""

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Everything it learned as arrays under names that begin with `prefix`, without the words of the entities."""
