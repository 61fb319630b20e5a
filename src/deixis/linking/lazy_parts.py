"""Parts of a saved linker that need an extra and time to open: re-ranker and reader."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.ranking import RERANKERS
from deixis.registry import Lazy, LazyRegistry
from deixis.store.lazy_part import LazyPart

READERS = LazyRegistry("reader", {"retriever-reader": Lazy("deixis.neural.reader.run:Reader", extra="onnx")})


def lazy_reranker(arrays: Mapping[str, NDArray[Any]], prefix: str, kb: KnowledgeBase, n_threads: int = 0) -> LazyPart:
    """A stored re-ranker over the knowledge base it was trained for."""
    return LazyPart(arrays, prefix, lambda own, at: RERANKERS["cross-encoder"].from_arrays(own, at, kb, n_threads))


def lazy_reader(arrays: Mapping[str, NDArray[Any]], prefix: str, kb: KnowledgeBase, n_threads: int = 0) -> LazyPart:
    """A stored reader over the knowledge base it was trained for."""
    return LazyPart(arrays, prefix, lambda own, at: READERS["retriever-reader"].from_arrays(own, at, kb, n_threads))
