"""How a cross-encoder is trained and used."""

from __future__ import annotations

from dataclasses import dataclass, field

from deixis.config import Config, setting
from deixis.neural.cross_encoder.pairs import PairConfig


@dataclass(frozen=True)
class CrossEncoderConfig(Config):
    """A cross-encoder and its training; the defaults are those of XMRED (section 3.1).

    Examples
    --------
    >>> CrossEncoderConfig(n_candidates=1)
    Traceback (most recent call last):
    deixis.errors.ConfigError: Setting n_candidates must be at least 2, got 1.
    """

    encoder: str = setting("minilm", "Start from: minilm, a transformer's folder, or a hub name.", cli="--encoder")
    pairs: PairConfig = field(default_factory=PairConfig)
    n_candidates: int = setting(20, "Candidates reranked for each mention (R).", low=2, cli="--candidates")
    n_taught: int = setting(15, "Candidates of each training mention (R').", low=2)
    max_mentions: int = setting(
        0, "Training mentions, drawn at random where there are more; 0: all.", low=0, cli="--max-mentions"
    )
    max_score: float = setting(
        1.0, "Mentions whose best candidate has a larger score by the ranking are neither learned from nor reranked.",
        above=0, high=1,
    )  # fmt: skip
    max_checked: int = setting(500, "Held-out mentions on which training is watched.", low=1)
    epochs: int = setting(10, "Epochs, unless training stops sooner.", low=1, cli="--epochs")
    learning_rate: float = setting(2e-5, "Step of AdamW at its largest.", above=0)
    weight_decay: float = setting(0.1, "Weight decay of AdamW.", low=0, is_fixed=True)
    batch_size: int = setting(32, "Pairs of a training step.", low=1)
    checks_per_epoch: int = setting(2, "Times an epoch that it is checked and saved.", low=1, is_fixed=True)
    patience: int = setting(4, "Checks without gain after which training stops.", low=1)
