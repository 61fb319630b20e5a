"""Model in, better model out: build, fit, calibrate, correct. `TRAINERS` are what `fit` can train."""

from __future__ import annotations

from deixis.registry import Lazy, LazyRegistry

TRAINERS = LazyRegistry(
    "trainer",
    {
        "weights": Lazy("deixis.training.weights:train_weights"),
        "reranker": Lazy("deixis.training.reranker:train_reranker", extra="neural"),
        "encoder": Lazy("deixis.training.encoder:train_encoder", extra="neural"),
        "reader": Lazy("deixis.training.reader:train_reader", extra="neural"),
    },
)
"""Each takes a model, documents, dev documents, the settings, a folder for checkpoints, a seed and threads."""
