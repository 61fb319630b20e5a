"""Corrections as evidence about names: how often a name was a mention and how often not.

A span has a probability p by its spelling and context. Corrections of spans with the same words change it as if p
came from `STRENGTH` spans seen before: (n_mentions + s p) / (n_mentions + n_others + s), the mean of a beta
distribution. Where the dictionary's rules decide, the majority of the corrections does, but a name inside a longer one
is still no mention: a correction of Troy says nothing about New Troy.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from deixis.detection.dictionary import DictionaryConfig, DictionaryDetector
from deixis.detection.span_scorer import RULE_ODDS
from deixis.detection.spans import Sign, SpanTable
from deixis.tables import on_one_line

STRENGTH = 2.0


@dataclass(frozen=True, eq=False)
class CorrectedSpans:
    """Detects names that were corrected to be mentions, and updates the log odds of spans with corrected names.

    Examples
    --------
    >>> text = "Coral was in Troy."
    >>> spans = DictionaryDetector.build(["Coral", "Troy"]).spans([text])
    >>> corrected = CorrectedSpans.of(mentions=["Troy"], others=["Coral"])
    >>> expit(corrected.revised(spans, np.array([0.0, 0.0]), is_by_rules=False)).round(2).tolist()
    [0.33, 0.67]
    """

    names: DictionaryDetector | None = None
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
        spans = DictionaryDetector.build(names_corrected, config=config).spans(
            names_corrected, n_threads=1, any_case=True, plurals=False
        )
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
        detector = DictionaryDetector.build(sorted(set(right)), config=config) if right else None
        return cls(detector, keys, counts)

    def revised(
        self, spans: SpanTable, log_odds: NDArray[np.float64], is_by_rules: bool, may_overlap: bool = False
    ) -> NDArray[np.float64]:
        """The log odds that spans are mentions, updated by the corrections of spans with the same words."""
        if not len(self.keys):
            return log_odds
        positions = np.minimum(np.searchsorted(self.keys, spans.keys), len(self.keys) - 1)
        n_right, n_wrong = np.where((self.keys[positions] == spans.keys)[:, None], self.counts[positions], 0.0).T
        if is_by_rules:
            ruled = np.where(n_right == n_wrong, log_odds, np.where(n_right > n_wrong, RULE_ODDS, -RULE_ODDS))
            return ruled if may_overlap else np.where(_in_longer_names(spans, ruled > 0), -RULE_ODDS, ruled)
        probabilities = expit(log_odds)
        revised = np.log((n_right + STRENGTH * probabilities) / (n_wrong + STRENGTH * (1 - probabilities)))
        return np.where(n_right + n_wrong > 0, revised, log_odds)


def _in_longer_names(spans: SpanTable, is_mention: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which spans lie inside a longer one that is a name and a mention; none that a recognizer found."""
    starts, ends = on_one_line(spans.texts, spans.starts, spans.ends)
    order = np.lexsort((-ends, starts))
    reach = np.where(is_mention & spans.has(Sign.NAME | Sign.LEARNED_NAME), ends, -1)[order]
    before = np.maximum.accumulate(np.concatenate([[-1], reach]))[:-1]
    is_inside = np.zeros(len(spans), dtype=bool)
    is_inside[order] = before >= ends[order]
    return is_inside & ~spans.has(Sign.RECOGNIZED)
