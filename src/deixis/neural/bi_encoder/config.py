"""Settings of a bi-encoder's training; needs no torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from deixis.config import Config, setting
from deixis.errors import ConfigError


@dataclass(frozen=True)
class BiEncoderConfig(Config):
    """How an encoder learns to put mentions near the entities they mean.

    Examples
    --------
    >>> BiEncoderConfig(scale=0)
    Traceback (most recent call last):
    deixis.errors.ConfigError: Setting scale must be above 0, got 0.
    """

    encoder: str = setting(
        "minilm", "Start from: minilm, a SentenceTransformer's folder, or a hub name.", cli="--encoder"
    )
    n_layers: int = setting(0, "Layers of it that are kept, from the first on; 0: all.", low=0, cli="--layers")
    n_tokens: int = setting(64, "Tokens of a mention's window and of a description.", low=8)
    n_rounds: int = setting(3, "Rounds; each mines negatives anew.", low=1, cli="--rounds")
    n_steps: int = setting(200, "Training steps in a round.", low=1, cli="--steps")
    batch_size: int = setting(32, "Mentions in a step.", low=1)
    n_negatives: int = setting(7, "Negatives mined for a mention.", low=0)
    k: int = setting(100, "Nearest entities among which negatives are drawn.", low=1)
    first_round: Literal["mention", "context"] = setting(
        "mention", "What the first round mines by: the mention alone, or in context."
    )
    scale: float = setting(20.0, "What cosines are multiplied by before the softmax.", above=0)
    learning_rate: float = setting(5e-5, "Learning rate of AdamW, after the warm-up.", above=0)
    warmup: float = setting(0.1, "Share of a round's steps in which the rate rises.", low=0, high=1, is_fixed=True)
    index: str = setting("exact", "Index that negatives are mined from.")
    save_every: int = setting(100, "Steps between checkpoints.", low=1, is_fixed=True)
    chunk_size: int = setting(
        0, "Texts held at a time, for batches too big for memory (slower); 0 holds all.", low=0, is_fixed=True
    )
    seed: int = 0  # no setting: the session has it, as it has n_threads
    n_threads: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.batch_size == 1 and self.n_negatives == 0:
            raise ConfigError("A batch of one mention without negatives has nothing to compare: raise one of the two.")
