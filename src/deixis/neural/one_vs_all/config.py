"""Settings of encoders and of one-versus-all on their vectors; needs no torch."""

from __future__ import annotations

from dataclasses import dataclass, field

from deixis.config import Config, setting

BAG = "bag"
COSINE_WEIGHT = 8.0  # at first, of the cosine to the middle of a label's documents; training soon moves it


@dataclass(frozen=True)
class BagConfig(Config):
    """The size of the encoder and what keeps it from learning by heart.

    Examples
    --------
    >>> BagConfig(dropout=1.0)
    Traceback (most recent call last):
    deixis.errors.ConfigError: Setting dropout must be at least 0 and below 1, got 1.0.
    """

    n_dims: int = setting(128, "Dimensions of a feature's embedding.", low=1)
    dropout: float = setting(0.2, "Share of a vector's components dropped in training.", low=0, below=1)
    feature_dropout: float = setting(
        0.1, "Share of a row's features dropped in training.", low=0, below=1, is_fixed=True
    )
    scale: float = setting(10.0, "Length of the vectors that classifiers see.", above=0, is_fixed=True)


@dataclass(frozen=True)
class TextConfig(Config):
    """How an encoder of texts is used; one of the features' embeddings has `BagConfig`."""

    learning_rate: float = setting(
        5e-5, "Rate of Adam for an encoder of texts; 0 leaves it as it is, which is quick.", low=0
    )
    max_tokens: int = setting(128, "Tokens of a text that an encoder of texts reads.", low=3)


@dataclass(frozen=True)
class OneVsAllConfig(Config):
    """How an encoder and all labels' classifiers are learned by brute force.

    Examples
    --------
    >>> OneVsAllConfig(n_epochs=0)
    Traceback (most recent call last):
    deixis.errors.ConfigError: Setting n_epochs must be at least 1, got 0.
    """

    RETIRED = {"cosine_weight": COSINE_WEIGHT}

    bag: BagConfig = field(default_factory=BagConfig)
    n_epochs: int = setting(5, "Passes over the documents.", low=1)
    batch_size: int = setting(256, "Documents in a step.", low=1)
    learning_rate: float = setting(3e-3, "Rate of Adam for classifiers and the layer.", above=0)
    embedding_rate: float = setting(3e-2, "Rate of Adam for the features' embeddings.", above=0, is_fixed=True)
    n_negatives: int = setting(
        0, "Labels drawn for each step besides those of its documents; 0: all, the slowest.", low=0
    )
    encoder: str = setting(BAG, "bag, or an encoder of texts: minilm, a folder, a hub name.")
    text: TextConfig = field(default_factory=lambda: TextConfig(learning_rate=0.0))

    @property
    def reads_texts(self) -> bool:
        """Whether the encoder takes texts, not rows of features."""
        return self.encoder != BAG
