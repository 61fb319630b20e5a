"""Settings of training on annotated documents."""

from __future__ import annotations

from dataclasses import dataclass, field

from deixis.errors import ConfigError
from deixis.neural.bi_encoder.config import BiEncoderConfig
from deixis.neural.cross_encoder.config import CrossEncoderConfig
from deixis.neural.reader.config import ReaderConfig


@dataclass(frozen=True)
class TrainingConfig:
    """How much is held out to judge by, and how a re-ranker, an encoder and a reader are trained."""

    held_out_share: float = field(
        default=0.2, metadata={"help": "Share of the documents held out where none are given for that."}
    )
    rerank: CrossEncoderConfig = field(default_factory=CrossEncoderConfig)
    bi_encoder: BiEncoderConfig = field(default_factory=BiEncoderConfig)
    reader: ReaderConfig = field(default_factory=ReaderConfig)

    def __post_init__(self) -> None:
        if not 0 < self.held_out_share < 1:
            raise ConfigError(f"held_out_share must lie between 0 and 1, got {self.held_out_share}.")
