"""Corrections as evidence about names: how often a name was a mention and how often not.

A span has a probability p by its spelling and context. Corrections of spans with the same words change it as if p
came from `STRENGTH` spans seen before: (n_mentions + s p) / (n_mentions + n_others + s), the mean of a beta
distribution.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from deixis.detection.dictionary import DictionaryConfig
from deixis.detection.names import NameMatcher
from deixis.detection.spans import SpanTable
from deixis.learners.log_odds import expit

STRENGTH = 2.0
LEAST = 1e-9  # probability by spelling and context, so that its odds are finite


@dataclass(frozen=True, eq=False)
class CorrectedSpans:
    """Detects names that were corrected to be mentions, and updates the log odds of spans with corrected names.

    Examples
    --------
    >>> text = "Coral was in Troy."
    >>> spans = NameMatcher.build(["Coral", "Troy"]).spans([text])
    >>> corrected = CorrectedSpans.of(mentions=["Troy"], others=["Coral"])
    >>> expit(corrected.revised(spans, np.array([0.0, 0.0]))).round(2).tolist()
    [0.33, 0.67]
    """

    names: NameMatcher | None = None
    keys: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, dtype=np.uint64))
    counts: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 2)))
    """keys_by_counts: how often what reads so was a mention, and how often it was none."""

    @classmethod
    def of(
        cls, mentions: Iterable[str], others: Iterable[str], config: DictionaryConfig | None = None
    ) -> CorrectedSpans:
        """What corrected spans say: `mentions` are the words of those that are mentions, `others` of the rest."""
        right, wrong = list(mentions), list(others)
        names_corrected = sorted({*right, *wrong})
        if not names_corrected:
            return cls()
        spans = NameMatcher.build(names_corrected, config).spans(names_corrected, n_threads=1)
        lengths = np.array([len(name) for name in names_corrected])
        is_whole = (spans.starts == 0) & (spans.ends == lengths[spans.texts])
        key_of = dict(
            zip(
                (names_corrected[n] for n in spans.texts[is_whole].tolist()), spans.keys[is_whole].tolist(), strict=True
            )
        )
        table: dict[int, list[int]] = {}
        for column, names in enumerate((right, wrong)):
            for name in names:
                if name in key_of:
                    table.setdefault(key_of[name], [0, 0])[column] += 1
        keys = np.array(sorted(table), dtype=np.uint64)
        counts = np.array([table[key] for key in keys.tolist()], dtype=np.float64).reshape(-1, 2)
        matcher = NameMatcher.build(sorted(set(right)), config) if right else None
        return cls(matcher, keys, counts)

    def revised(self, spans: SpanTable, log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
        """The log odds that spans are mentions, updated by the corrections of spans with the same words."""
        if not len(self.keys):
            return log_odds
        positions = np.minimum(np.searchsorted(self.keys, spans.keys), len(self.keys) - 1)
        n_right, n_wrong = np.where((self.keys[positions] == spans.keys)[:, None], self.counts[positions], 0.0).T
        probabilities = np.clip(expit(log_odds), LEAST, 1 - LEAST)
        revised = np.log((n_right + STRENGTH * probabilities) / (n_wrong + STRENGTH * (1 - probabilities)))
        return np.where(n_right + n_wrong > 0, revised, log_odds)
