"""Settings of the encoders that are fitted on a knowledge base."""

from __future__ import annotations

from dataclasses import dataclass, field

from deixis.errors import ConfigError
from deixis.features.tfidf import TfidfConfig


def _words_and_letters() -> TfidfConfig:
    return TfidfConfig(max_df=1.0, char_ngrams_min=3, char_ngrams_max=4)


@dataclass(frozen=True)
class EncoderConfig:
    """Which encoder makes the vectors; the other settings are those of encoders that learn from the names.

    Examples
    --------
    >>> EncoderConfig(n_dims=0)
    Traceback (most recent call last):
    deixis.errors.ConfigError: n_dims must lie in 1..4096, got 0.
    """

    name: str = field(
        default="chars",
        metadata={
            "help": "Encoder: chars, static, minilm, one you registered, a folder (SentenceTransformer, or with "
            "model.onnx), or a hub name (owner/model)."
        },
    )
    n_dims: int = field(default=256, metadata={"help": "Numbers in a vector, of encoders that learn from names."})
    features: TfidfConfig = field(default_factory=_words_and_letters)

    def __post_init__(self) -> None:
        if not 1 <= self.n_dims <= 4096:
            raise ConfigError(f"n_dims must lie in 1..4096, got {self.n_dims}.")
