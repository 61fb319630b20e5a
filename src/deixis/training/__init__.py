"""Model in, better model out: build, fit, calibrate, correct. `TRAINERS` are what `fit` can train.

What makes a model is imported when it is first called: who only links need not wait for it.
"""

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

MAKERS = LazyRegistry(
    "way to make a model",
    {
        "build": Lazy("deixis.training.build:build_model"),
        "fit": Lazy("deixis.training.fit:fit"),
        "calibrate": Lazy("deixis.training.calibrate:calibrate"),
        "calibrate-detected": Lazy("deixis.training.detector:fit_detected"),
        "correct": Lazy("deixis.training.correct:correct"),
        "corrections": Lazy("deixis.training.correct:corrected_by"),
    },
)
"""Each gives a model, or a record with a model in it."""
