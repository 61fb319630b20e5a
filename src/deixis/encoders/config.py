"""Settings of the encoders that are fitted on a knowledge base."""

from __future__ import annotations

from dataclasses import dataclass

from deixis.config import Config, setting
from deixis.features.tfidf import TfidfConfig

MARKER = "[M]"
"""The sign around a name in its text, for encoders that were trained with it."""
NAME_FEATURES = TfidfConfig(max_df=1.0, char_ngrams_min=3, char_ngrams_max=4)  # words, and letters against slips
PARALLEL_FEATURES = TfidfConfig(
    ngrams_max=1, max_df=1.0, min_df=2, char_ngrams_min=3, char_ngrams_max=4, sublinear_tf=True
)


@dataclass(frozen=True)
class EncoderConfig(Config):
    """Which encoder makes the vectors; the other settings are those of encoders that learn from the names.

    Examples
    --------
    >>> EncoderConfig(n_dims=0)
    Traceback (most recent call last):
    deixis.errors.ConfigError: Setting n_dims must lie in 1..4096, got 0.
    """

    RETIRED = {"features": None}

    name: str = setting("chars", "Encoder of texts: static, minilm, chars, a folder or a hub name.", cli="--encoder")
    n_dims: int = setting(256, "Numbers in a vector, of encoders that learn from names.", low=1, high=4096)


@dataclass(frozen=True)
class ParallelConfig(Config):
    """How an encoder is fitted to a list whose entities have names in several languages."""

    n_dims: int = setting(256, "Numbers in a vector.", low=1, high=4096, cli="--dims")
    alpha: float = setting(1.0, "Weight of the penalty on the map (ridge regression).", above=0, cli="--alpha")
