"""The nearest rows: sparse, dense, by spelling, by key. Knows arrays, not mentions."""

from __future__ import annotations

from deixis.registry import Lazy, LazyRegistry

VECTOR_INDEXES = LazyRegistry(
    "vector index",
    {
        "exact": Lazy("deixis.nearest.vector_index:VectorIndex"),
        "graph": Lazy("deixis.nearest.graph_index:GraphIndex", extra="nearest"),
    },
)
