"""Parts of a saved linker that need an extra and time to open: re-ranker and reader."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.model import Reader, TrainedReranker
from deixis.ranking import RERANKERS
from deixis.registry import Lazy, LazyRegistry
from deixis.store.declared import Arrays, is_stored

READERS = LazyRegistry("reader", {"retriever-reader": Lazy("deixis.neural.reader.run:Reader", extra="onnx")})


def open_reranker(kb: KnowledgeBase, n_threads: int = 0) -> Callable[[Arrays, str], Any]:
    """What opens a stored re-ranker over the knowledge base it was trained for."""
    return lambda arrays, prefix: RERANKERS["cross-encoder"].from_arrays(arrays, prefix, kb, n_threads)


def open_reader(kb: KnowledgeBase, n_threads: int = 0) -> Callable[[Arrays, str], Any]:
    """What opens a stored reader over the knowledge base it was trained for."""
    return lambda arrays, prefix: READERS["retriever-reader"].from_arrays(arrays, prefix, kb, n_threads)


def reranker_from(arrays: Arrays, kb: KnowledgeBase, n_threads: int) -> TrainedReranker | None:
    """The re-ranker of a model, not opened yet; None if it has none."""
    if not is_stored(arrays, "reranker"):
        return None
    return TrainedReranker.from_arrays(arrays, "reranker", open_reranker=open_reranker(kb, n_threads))


def reader_from(arrays: Arrays, kb: KnowledgeBase, n_threads: int) -> Reader | None:
    """The reader of a model, not opened yet; None if it has none."""
    if not is_stored(arrays, "reader"):
        return None
    return Reader.from_arrays(arrays, "reader", open_reader=open_reader(kb, n_threads))
