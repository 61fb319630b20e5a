"""Pairs of an entity and a mention: how long they are, and pairs to learn from. Nothing here needs a tokenizer."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from deixis.config import Config, setting
from deixis.encoders.config import MARKER

N_SIGNS = 5  # tokens that begin, separate and end the four parts, as in BERT
LEAST_TOKENS = 32

Pair = tuple[str, str]
"""An entity and a mention, as text."""


@dataclass(frozen=True)
class PairConfig(Config):
    """How many tokens a pair has, and how they are shared out.

    Examples
    --------
    >>> PairConfig(n_tokens=128).n_abstract
    51
    """

    n_tokens: int = setting(128, "Tokens of entity and mention together: more cost more time.", low=LEAST_TOKENS)
    is_marked: bool = setting(True, "Set [M] on both sides of the mention in its context.", is_fixed=True)

    @property
    def n_context(self) -> int:
        """Tokens of the text around a mention: three eighths of all."""
        return self.n_tokens * 3 // 8

    @property
    def n_mention(self) -> int:
        """Tokens of the mention by itself; a longer one is cut here, but not in its context."""
        return self.n_tokens // 16

    @property
    def n_names(self) -> int:
        """Tokens of title and other names."""
        return self.n_tokens // 8

    @property
    def n_abstract(self) -> int:
        """Tokens of the description: what the others leave."""
        return self.n_tokens - N_SIGNS - self.n_context - self.n_mention - self.n_names

    @property
    def marker(self) -> str:
        """What stands on both sides of a mention in its context."""
        return MARKER if self.is_marked else ""


class PairScorer(Protocol):
    """Anything that says of an entity and a mention how well they go together."""

    def scores(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """A number for each pair, the larger the better: the logit of being right."""


@dataclass(frozen=True, eq=False)
class PairExamples:
    """Candidates of mentions as pairs: mention `i` has `pairs[starts[i]:starts[i + 1]]`, of which some are right."""

    starts: NDArray[np.int64]
    pairs: Sequence[Pair]
    is_right: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def accuracy(self, logits: NDArray[np.floating]) -> float:
        """The share of mentions whose best pair is right; a mention without any is not.

        Examples
        --------
        >>> examples = PairExamples(np.array([0, 2, 2, 4]), [("", "")] * 4, np.array([True, False] * 2))
        >>> round(examples.accuracy(np.array([0.9, 0.1, 0.2, 0.3])), 2)
        0.33
        """
        spans = [(begin, end) for begin, end in itertools.pairwise(self.starts.tolist()) if begin < end]
        best = [begin + int(np.argmax(logits[begin:end])) for begin, end in spans]
        return float(self.is_right[best].sum() / max(1, len(self)))
