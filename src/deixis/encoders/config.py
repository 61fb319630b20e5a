"""Settings of the encoders that are fitted on a knowledge base."""

from __future__ import annotations

from dataclasses import dataclass, field

from deixis.config import Config, setting
from deixis.features.tfidf import TfidfConfig


def _words_and_letters() -> TfidfConfig:
    return TfidfConfig(max_df=1.0, char_ngrams_min=3, char_ngrams_max=4)


@dataclass(frozen=True)
class EncoderConfig(Config):
    """Which encoder makes the vectors; the other settings are those of encoders that learn from the names.

    Examples
    --------
    >>> EncoderConfig(n_dims=0)
    Traceback (most recent call last):
    deixis.errors.ConfigError: n_dims must lie in 1..4096, got 0.
    """

    name: str = setting("chars", "Encoder of texts: static, minilm, chars, a folder or a hub name.", cli="--encoder")
    n_dims: int = setting(256, "Numbers in a vector, of encoders that learn from names.", low=1, high=4096)
    features: TfidfConfig = field(default_factory=_words_and_letters)
