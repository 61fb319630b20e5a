"""Settings of the retriever and reader that learn together; needs no torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from deixis.config import Config, setting
from deixis.errors import ConfigError

Flows = Literal["none", "to-reader", "to-retriever", "both"]


@dataclass(frozen=True)
class ReaderConfig(Config):
    """How a retriever and a reader are trained (BEER²), and how they answer.

    Examples
    --------
    >>> ReaderConfig(overlap=40)
    Traceback (most recent call last):
    deixis.errors.ConfigError: overlap must be below n_tokens, 32, got 40.
    """

    encoder: str = setting("minilm", "minilm, a SentenceTransformer folder or a hub name.", cli="--encoder")
    n_layers: int = setting(2, "Layers of it that are kept, from the first on; 0 keeps all.", low=0, cli="--layers")
    n_tokens: int = setting(32, "Tokens of a passage (T).", low=4)
    overlap: int = setting(12, "Tokens that two passages share: mentions of as many are whole.", low=0)
    entity_tokens: int = setting(24, "Tokens of an entity's title and description.", low=4)
    n_candidates: int = setting(8, "Candidates of a passage that the reader is given (K).", low=1)
    n_taught: int = setting(3, "The same in training; the right ones are always among them.", low=1)
    n_negatives: int = setting(3, "Mined negatives of a passage for the retriever.", low=1, is_fixed=True)
    max_span: int = setting(10, "Longest mention the reader finds, in tokens.", low=1)
    threshold: float = setting(0.03, "Least product of span and rank probability.", low=0, below=1, is_fixed=True)
    span_threshold: float = setting(
        0.003, "The same, for spans that go to the retriever.", low=0, below=1,
        is_fixed=True,
    )  # fmt: skip
    span_pooling: Literal["max", "mean"] = setting(
        "max", "An entity's score is that of its best span, or by the mean over all spans (Eq. 4).", is_fixed=True
    )
    pooling: Literal["mean", "cls"] = setting(
        "mean", "What a passage's vector is: the mean of its tokens, or its first token.", is_fixed=True
    )
    has_retriever: bool = setting(
        False, "Also train a retriever, whose candidates join those of the model's sources.", cli="--joint"
    )
    flows: Flows = setting("both", "What the two tell each other while they learn.", is_fixed=True)
    n_passes: int = setting(
        2, "Times that candidates are retrieved; after the first, with the spans read before.", low=1
    )
    batch_size: int = setting(4, "Passages in a step.", low=1)
    warm_up: int = setting(200, "Steps that each of the two learns alone before.", low=0, is_fixed=True)
    n_steps: int = setting(
        1200, "Steps that both learn together, or a reader without retriever alone.", low=1, cli="--steps"
    )
    learning_rate: float = setting(5e-4, "Learning rate of AdamW, after its rise.", above=0)
    head_rate: float = setting(3e-3, "The same, for the reader's new layer.", above=0)
    scale: float = setting(20.0, "What cosines are multiplied by in the retriever's softmax.", above=0, is_fixed=True)
    refresh_every: int = setting(100, "Steps after which all entities are encoded anew.", low=1, is_fixed=True)
    seed: int = 0  # no setting: the session has it, as it has n_threads
    n_threads: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.overlap >= self.n_tokens:
            raise ConfigError(f"overlap must be below n_tokens, {self.n_tokens}, got {self.overlap}.")

    @property
    def feeds_reader(self) -> bool:
        """Whether the reader learns from the retriever's newest candidates."""
        return self.flows in ("to-reader", "both")

    @property
    def feeds_retriever(self) -> bool:
        """Whether the retriever learns from the reader's newest spans."""
        return self.flows in ("to-retriever", "both")
