"""Settings of a bi-encoder's training; needs no torch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from deixis.config import check_choices
from deixis.errors import ConfigError

_LEAST = {
    "n_rounds": 1, "n_steps": 1, "batch_size": 1, "n_negatives": 0, "k": 1, "n_tokens": 8, "n_layers": 0,
    "save_every": 1, "chunk_size": 0, "seed": 0, "n_threads": 1,
}  # fmt: skip


@dataclass(frozen=True)
class BiEncoderConfig:
    """How an encoder learns to put mentions near the entities they mean.

    Examples
    --------
    >>> BiEncoderConfig(scale=0)
    Traceback (most recent call last):
    deixis.errors.ConfigError: scale must be above 0, got 0.
    """

    encoder: str = field(
        default="minilm", metadata={"help": "Encoder to begin with: minilm, a SentenceTransformer folder or hub name."}
    )
    n_layers: int = field(default=0, metadata={"help": "Layers of it that are kept, from the first on; 0 keeps all."})
    n_tokens: int = field(default=64, metadata={"help": "Tokens of a mention's window and of a description."})
    n_rounds: int = field(default=3, metadata={"help": "Rounds; each mines negatives anew."})
    n_steps: int = field(default=200, metadata={"help": "Steps of training in a round."})
    batch_size: int = field(default=32, metadata={"help": "Mentions in a step."})
    n_negatives: int = field(default=7, metadata={"help": "Negatives mined for a mention."})
    k: int = field(default=100, metadata={"help": "Nearest entities among which negatives are drawn."})
    first_round: Literal["mention", "context"] = field(
        default="mention", metadata={"help": "What the first round mines by: the mention alone, or in context."}
    )
    scale: float = field(default=20.0, metadata={"help": "What cosines are multiplied by before the softmax."})
    learning_rate: float = field(default=5e-5, metadata={"help": "Learning rate of AdamW, after the warm-up."})
    warmup: float = field(default=0.1, metadata={"help": "Share of a round's steps in which the rate rises."})
    index: str = field(default="exact", metadata={"help": "Index that negatives are mined from."})
    save_every: int = field(default=100, metadata={"help": "Steps between checkpoints."})
    chunk_size: int = field(
        default=0, metadata={"help": "Texts held at a time, for batches too big for memory (slower); 0 holds all."}
    )
    seed: int = field(default=0, metadata={"help": "Seed of every draw."})
    n_threads: int = field(default=1, metadata={"help": "Threads of torch."})

    def __post_init__(self) -> None:
        check_choices(self)
        for name, least in _LEAST.items():
            if getattr(self, name) < least:
                raise ConfigError(f"{name} must be at least {least}, got {getattr(self, name)}.")
        for name in ("scale", "learning_rate"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"{name} must be above 0, got {getattr(self, name)}.")
        if not 0 <= self.warmup <= 1:
            raise ConfigError(f"warmup must lie in 0..1, got {self.warmup}.")
        if self.batch_size == 1 and self.n_negatives == 0:
            raise ConfigError("A batch of one mention without negatives has nothing to compare: raise one of the two.")
