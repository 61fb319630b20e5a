"""Settings of training on annotated documents."""

from __future__ import annotations

from dataclasses import dataclass, field

from deixis.config import Config, setting
from deixis.neural.bi_encoder.config import BiEncoderConfig
from deixis.neural.cross_encoder.config import CrossEncoderConfig
from deixis.neural.reader.config import ReaderConfig


@dataclass(frozen=True)
class TrainingConfig(Config):
    """The fraction of held-out documents, and the training of re-ranker, encoder and reader."""

    held_out_share: float = setting(
        0.2, "Share of the documents held out where --dev has none.", above=0, below=1, cli="--held-out"
    )
    rerank: CrossEncoderConfig = field(default_factory=CrossEncoderConfig)
    bi_encoder: BiEncoderConfig = field(default_factory=BiEncoderConfig)
    reader: ReaderConfig = field(default_factory=ReaderConfig)
