"""The protocol of an index of dense vectors, exact or not."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from deixis.nearest.vector_index import VectorIndex
from deixis.tables import FlatRows


class VectorSearch(Protocol):
    """Vectors that stand for groups. Classes also have `build(blocks, groups, n_groups)`, `over` and `from_arrays`."""

    @property
    def exact(self) -> VectorIndex:
        """The same vectors, all of which are compared; they score what an approximate index finds."""

    @property
    def groups(self) -> NDArray[np.int32]:
        """What each vector stands for, in rising order."""

    def search(self, queries: NDArray[np.float32], k: int, is_open: NDArray[np.bool_] | None = None) -> FlatRows:
        """queries_by_groups: the best `k` groups of each query, stored best first; only open vectors are compared."""

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Everything as arrays under names that begin with `prefix`."""
