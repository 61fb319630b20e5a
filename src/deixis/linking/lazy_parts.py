"""Parts of a saved linker that need an extra and time to open: re-ranker and reader."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.ranking import RERANKERS
from deixis.registry import Lazy, LazyRegistry
from deixis.store.lazy_part import Arrays

READERS = LazyRegistry("reader", {"retriever-reader": Lazy("deixis.neural.reader.run:Reader", extra="onnx")})


def open_reranker(kb: KnowledgeBase, n_threads: int = 0) -> Callable[[Arrays, str], Any]:
    """What opens a stored re-ranker over the knowledge base it was trained for."""
    return lambda arrays, prefix: RERANKERS["cross-encoder"].from_arrays(arrays, prefix, kb, n_threads)


def open_reader(kb: KnowledgeBase, n_threads: int = 0) -> Callable[[Arrays, str], Any]:
    """What opens a stored reader over the knowledge base it was trained for."""
    return lambda arrays, prefix: READERS["retriever-reader"].from_arrays(arrays, prefix, kb, n_threads)
