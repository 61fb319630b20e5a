"""Settings of the retriever and reader that learn together; needs no torch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from deixis.config import check_choices
from deixis.errors import ConfigError

Flows = Literal["none", "to-reader", "to-retriever", "both"]
_LEAST = {
    "n_tokens": 4, "overlap": 0, "entity_tokens": 4, "n_layers": 0, "n_candidates": 1, "n_taught": 1, "n_negatives": 1,
    "max_span": 1, "batch_size": 1, "warm_up": 0, "n_steps": 1, "refresh_every": 1, "n_threads": 1,
}  # fmt: skip


@dataclass(frozen=True)
class ReaderConfig:
    """How a retriever and a reader with one encoder are trained (BEER²), and how they answer.

    Examples
    --------
    >>> ReaderConfig(overlap=40)
    Traceback (most recent call last):
    deixis.errors.ConfigError: overlap must be below n_tokens, 32, got 40.
    """

    encoder: str = field(default="minilm", metadata={"help": "minilm, a SentenceTransformer folder or a hub name."})
    n_layers: int = field(default=2, metadata={"help": "Layers of it that are kept, from the first on; 0 keeps all."})
    n_tokens: int = field(default=32, metadata={"help": "Tokens of a passage (T)."})
    overlap: int = field(
        default=12, metadata={"help": "Tokens that two passages share: mentions of as many are whole."}
    )
    entity_tokens: int = field(default=24, metadata={"help": "Tokens of an entity's title and description."})
    n_candidates: int = field(default=8, metadata={"help": "Candidates of a passage that the reader is given (K)."})
    n_taught: int = field(default=3, metadata={"help": "The same in training; the right ones are always among them."})
    n_negatives: int = field(default=3, metadata={"help": "Mined negatives of a passage for the retriever."})
    max_span: int = field(default=10, metadata={"help": "Longest mention the reader finds, in tokens."})
    threshold: float = field(default=0.03, metadata={"help": "Least product of span and rank probability."})
    pooling: Literal["mean", "cls"] = field(
        default="mean", metadata={"help": "What a passage's vector is: the mean of its tokens, or its first token."}
    )
    flows: Flows = field(default="both", metadata={"help": "What the two tell each other while they learn."})
    batch_size: int = field(default=4, metadata={"help": "Passages in a step."})
    warm_up: int = field(default=200, metadata={"help": "Steps that each of the two learns alone before."})
    n_steps: int = field(
        default=1200, metadata={"help": "Steps that both learn together, or a reader without retriever alone."}
    )
    learning_rate: float = field(default=5e-4, metadata={"help": "Learning rate of AdamW, after its rise."})
    head_rate: float = field(default=3e-3, metadata={"help": "The same, for the reader's new layer."})
    scale: float = field(default=20.0, metadata={"help": "What cosines are multiplied by in the retriever's softmax."})
    refresh_every: int = field(default=100, metadata={"help": "Steps after which all entities are encoded anew."})
    seed: int = field(default=0, metadata={"help": "Seed of every draw."})
    n_threads: int = field(default=1, metadata={"help": "Threads of torch."})

    def __post_init__(self) -> None:
        check_choices(self)
        for name, least in _LEAST.items():
            if getattr(self, name) < least:
                raise ConfigError(f"{name} must be at least {least}, got {getattr(self, name)}.")
        if self.overlap >= self.n_tokens:
            raise ConfigError(f"overlap must be below n_tokens, {self.n_tokens}, got {self.overlap}.")
        for name in ("learning_rate", "head_rate", "scale"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"{name} must be above 0, got {getattr(self, name)}.")
        if not 0 <= self.threshold < 1:
            raise ConfigError(f"threshold must lie in 0..1, got {self.threshold}.")

    @property
    def feeds_reader(self) -> bool:
        """Whether the reader learns from the retriever's newest candidates."""
        return self.flows in ("to-reader", "both")

    @property
    def feeds_retriever(self) -> bool:
        """Whether the retriever learns from the reader's newest spans."""
        return self.flows in ("to-retriever", "both")
