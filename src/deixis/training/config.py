"""Settings of training on annotated documents."""

from __future__ import annotations

from dataclasses import dataclass, field

from deixis.config import Config, setting
from deixis.neural.bi_encoder.config import BiEncoderConfig
from deixis.neural.cross_encoder.config import CrossEncoderConfig
from deixis.neural.reader.config import ReaderConfig


@dataclass(frozen=True)
class TrainingConfig(Config):
    """How much is held out to judge by, and how a re-ranker, an encoder and a reader are trained."""

    held_out_share: float = setting(
        0.2, "Share of the documents held out where --dev has none.", above=0, below=1, cli="--held-out"
    )
    reranker: CrossEncoderConfig = field(default_factory=CrossEncoderConfig)
    encoder: BiEncoderConfig = field(default_factory=BiEncoderConfig)
    reader: ReaderConfig = field(default_factory=ReaderConfig)
