"""Stages 3 and 5: candidates to ranked candidates, by weighted features; and re-rankers."""

from __future__ import annotations

from deixis.registry import Lazy, LazyRegistry

RERANKERS = LazyRegistry(
    "re-ranker", {"cross-encoder": Lazy("deixis.ranking.rerankers.cross_encoder:CrossEncoderRanker", extra="onnx")}
)
