"""How a cross-encoder is trained and used."""

from __future__ import annotations

from dataclasses import dataclass, field

from deixis.errors import ConfigError
from deixis.neural.cross_encoder.pairs import PairConfig


@dataclass(frozen=True)
class CrossEncoderConfig:
    """A cross-encoder and its training; the defaults are those of XMRED (section 3.1).

    Examples
    --------
    >>> CrossEncoderConfig(n_candidates=1)
    Traceback (most recent call last):
    deixis.errors.ConfigError: n_candidates must be at least 2, got 1.
    """

    encoder: str = field(
        default="minilm",
        metadata={"help": "What to start from: minilm, a folder of a transformer, or a name on the model hub."},
    )
    pairs: PairConfig = field(default_factory=PairConfig)
    n_candidates: int = field(default=20, metadata={"help": "Candidates re-ranked for each mention (R)."})
    n_taught: int = field(default=15, metadata={"help": "Candidates of each training mention (R')."})
    max_mentions: int = field(
        default=0, metadata={"help": "Training mentions, drawn at random where there are more; 0: all."}
    )
    max_checked: int = field(default=500, metadata={"help": "Held-out mentions on which training is watched."})
    epochs: int = field(default=10, metadata={"help": "Times each pair is seen, unless training stops sooner."})
    learning_rate: float = field(default=2e-5, metadata={"help": "Step of AdamW at its largest."})
    weight_decay: float = field(default=0.1, metadata={"help": "Weight decay of AdamW."})
    batch_size: int = field(default=32, metadata={"help": "Pairs of a training step."})
    checks_per_epoch: int = field(default=2, metadata={"help": "Times an epoch that it is checked and saved."})
    patience: int = field(default=4, metadata={"help": "Checks without gain after which training stops."})

    def __post_init__(self) -> None:
        least = {"n_candidates": 2, "n_taught": 2, "max_mentions": 0, "max_checked": 1, "epochs": 1, "batch_size": 1,
                 "checks_per_epoch": 1, "patience": 1}  # fmt: skip
        for name, smallest in least.items():
            if getattr(self, name) < smallest:
                raise ConfigError(f"{name} must be at least {smallest}, got {getattr(self, name)}.")
        if self.learning_rate <= 0 or self.weight_decay < 0:
            raise ConfigError(
                f"learning_rate must be above 0 and weight_decay at least 0, got {self.learning_rate}, "
                f"{self.weight_decay}."
            )
