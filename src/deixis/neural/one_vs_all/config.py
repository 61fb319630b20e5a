"""Settings of the bag-of-embeddings encoder; needs no torch."""

from __future__ import annotations

from dataclasses import dataclass, field

from deixis.errors import ConfigError


@dataclass(frozen=True)
class BagConfig:
    """The size of the encoder and what keeps it from learning by heart.

    Examples
    --------
    >>> BagConfig(dropout=1.0)
    Traceback (most recent call last):
    deixis.errors.ConfigError: dropout must lie in [0, 1), got 1.0.
    """

    n_dims: int = field(default=128, metadata={"help": "Dimensions of a feature's embedding."})
    dropout: float = field(default=0.2, metadata={"help": "Share of a vector's components dropped in training."})
    feature_dropout: float = field(default=0.1, metadata={"help": "Share of a row's features dropped in training."})
    scale: float = field(default=10.0, metadata={"help": "Length of the vectors that classifiers see."})

    def __post_init__(self) -> None:
        if self.n_dims < 1:
            raise ConfigError(f"n_dims must be at least 1, got {self.n_dims}.")
        for name in ("dropout", "feature_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise ConfigError(f"{name} must lie in [0, 1), got {getattr(self, name)}.")
        if not 0 < self.scale < float("inf"):
            raise ConfigError(f"scale must be above 0 and finite, got {self.scale}.")


@dataclass(frozen=True)
class OneVsAllConfig:
    """How an encoder and all labels' classifiers are learned by brute force.

    Examples
    --------
    >>> OneVsAllConfig(n_epochs=0)
    Traceback (most recent call last):
    deixis.errors.ConfigError: n_epochs must be at least 1, got 0.
    """

    bag: BagConfig = field(default_factory=BagConfig)
    n_epochs: int = field(default=5, metadata={"help": "Passes over the documents."})
    batch_size: int = field(default=256, metadata={"help": "Documents in a step."})
    learning_rate: float = field(default=3e-3, metadata={"help": "Rate of Adam for classifiers and the layer."})
    embedding_rate: float = field(default=3e-2, metadata={"help": "Rate of Adam for the features' embeddings."})
    cosine_weight: float = field(
        default=8.0, metadata={"help": "Weight at first of the cosine to the middle of a label's documents."}
    )
    n_negatives: int = field(
        default=0, metadata={"help": "Labels drawn for each step besides those of its documents; 0: all, the slowest."}
    )

    def __post_init__(self) -> None:
        for name in ("n_epochs", "batch_size"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1, got {getattr(self, name)}.")
        if self.n_negatives < 0:
            raise ConfigError(f"n_negatives must not be negative, got {self.n_negatives}.")
        for name in ("learning_rate", "embedding_rate"):
            if not 0 < getattr(self, name) < float("inf"):
                raise ConfigError(f"{name} must be above 0 and finite, got {getattr(self, name)}.")
