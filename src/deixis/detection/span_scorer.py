"""The log odds that a span is a mention, whatever its entity.

Learned from annotated documents: how often a span's words are a mention (shrunk to the mean), which words are next to
mentions, and the weight of each feature of `deixis.detection.span_features`. The weights are fitted on odds of other
documents (cross-fitting), otherwise spans seen once would be trusted too much. Without annotated documents the
weights are those in `default_weights.json`, learned on AIDA's (described entities) and BC5CDR's (bare names) training
documents, from features that need no annotation. For a short knowledge base, or by setting, the rules of the dictionary
decide: a name that no longer name covers is a mention.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from deixis.detection.name_facts import NameFacts
from deixis.detection.odds import KeyOdds
from deixis.detection.span_features import (
    FEATURES,
    N_LEARNED,
    N_OWN,
    learned_features,
    n_repeated,
    own_features,
    span_features,
)
from deixis.detection.spans import Sign, SpanTable
from deixis.learners.logistic import fit_logistic, weighed
from deixis.store.checks import check_length
from deixis.store.part import Part, array

N_FOLDS = 5
NAME_PSEUDO, WORD_PSEUDO = 1.0, 20.0  # how often everything is taken to have been seen before, like all others
PENALTY = 1.0
RULE_ODDS = 4.0  # of a name where rules decide
RECOGNIZED_ODDS = 4.0  # added for a span of a recognizer
MAX_WEIGHT = 100.0
AT_ONCE = 8_192  # spans whose features are in memory together: a book has a million


@dataclass(frozen=True, eq=False)
class SpanScorer(Part):
    """Log odds that spans are mentions; with no weights, by the dictionary's rules alone.

    Examples
    --------
    >>> from deixis.detection.dictionary import DictionaryDetector
    >>> text = "It rained in Troy."
    >>> spans = DictionaryDetector.build(["It", "Troy"]).spans([text], any_case=True)
    >>> SpanScorer.by_rules().log_odds(spans).tolist()
    [-4.0, 4.0]
    """

    weights: Annotated[NDArray[np.float64], array(low=-MAX_WEIGHT, high=MAX_WEIGHT)]
    facts: NameFacts
    seen: KeyOdds
    before: KeyOdds
    after: KeyOdds

    @classmethod
    def by_rules(cls) -> SpanScorer:
        """The scorer for the dictionary's rules."""
        nothing = KeyOdds.none()
        return cls(np.empty(0), NameFacts(np.zeros((0, 4), dtype=np.float16)), nothing, nothing, nothing)

    @classmethod
    def from_kb(cls, facts: NameFacts, kind: str) -> SpanScorer:
        """The scorer of a knowledge base without annotated documents; `kind` is `described` or `bare`."""
        nothing = KeyOdds.none()
        default = default_weights(kind)
        weights = np.array([default.get(name, 0.0) for name in FEATURES[:N_OWN]] + [0.0] * N_LEARNED)
        return cls(weights, facts, nothing, nothing, nothing)

    @classmethod
    def fit(cls, spans: SpanTable, is_mention: NDArray[np.bool_], facts: NameFacts, seed: int = 0) -> SpanScorer:
        """The scorer that annotated texts give; `is_mention` says which of their spans are mentions."""
        folds = _folds(spans, seed)
        learned = np.zeros((len(spans), N_LEARNED), dtype=np.float32)
        for fold in range(N_FOLDS):
            is_held_out = folds == fold
            odds = _all_odds(spans.take(~is_held_out), is_mention[~is_held_out])
            learned[is_held_out] = np.column_stack(learned_features(spans.take(is_held_out), *odds))
        # Spans that are candidates only because they are annotated here: new texts have none like them.
        is_odd = spans.has(Sign.LEARNED_NAME) & (spans.names < 0) & ~spans.has(Sign.BEGINS_UPPER) & (learned[:, 0] == 0)
        features = np.hstack([own_features(spans, facts), learned])[~is_odd]
        weights = fit_logistic(features, is_mention[~is_odd], PENALTY)
        return cls(weights, facts, *_all_odds(spans, is_mention))

    @property
    def is_by_rules(self) -> bool:
        """Whether the dictionary's rules decide."""
        return len(self.weights) == 0

    def log_odds(self, spans: SpanTable, may_overlap: bool = False) -> NDArray[np.float64]:
        """How likely each span is a mention, as log odds. Rules take names in longer names only if `may_overlap`."""
        recognizer_odds = np.where(spans.has(Sign.RECOGNIZED), RECOGNIZED_ODDS, 0.0)
        if self.is_by_rules:
            barred = Sign.INFLECTED if may_overlap else Sign.INFLECTED | Sign.IN_LONGER_NAME
            is_ruled = spans.has(Sign.NAME) & ~spans.has(barred)
            ruled: NDArray[np.float64] = np.where(is_ruled, RULE_ODDS, -RULE_ODDS) + 2 * recognizer_odds
            return ruled
        repeated, log_odds = n_repeated(spans), np.empty(len(spans))
        for begin in range(0, len(spans), AT_ONCE):
            rows = slice(begin, begin + AT_ONCE)
            log_odds[rows] = weighed(self.features(spans.take(rows), repeated[rows]), self.weights)
        return log_odds + recognizer_odds

    def features(self, spans: SpanTable, repeated: NDArray[np.float32]) -> NDArray[np.float32]:
        """spans_by_features; `repeated` is `n_repeated` of them among all spans of their texts."""
        return span_features(spans, self.facts, self.seen, self.before, self.after, repeated)

    def check_parts(self, prefix: str) -> None:
        """There is a weight for each feature, or none at all."""
        if not self.is_by_rules:
            check_length(f"{prefix}.weights", self.weights, len(FEATURES))


Kind = Literal["described", "bare"]


@cache
def default_weights(kind: str) -> dict[str, float]:
    """The default weights of features, for models without annotated documents."""
    kind_to_weights: dict[str, dict[str, float]] = json.loads(
        files("deixis.detection").joinpath("default_weights.json").read_text("utf-8")
    )
    return kind_to_weights[kind]


def _all_odds(spans: SpanTable, is_mention: NDArray[np.bool_]) -> tuple[KeyOdds, KeyOdds, KeyOdds]:
    return (
        KeyOdds.fit(spans.keys, is_mention, NAME_PSEUDO),
        KeyOdds.fit(spans.before.astype(np.uint64), is_mention, WORD_PSEUDO),
        KeyOdds.fit(spans.after.astype(np.uint64), is_mention, WORD_PSEUDO),
    )


def _folds(spans: SpanTable, seed: int) -> NDArray[np.int64]:
    """The fold of each span's text; texts are dealt out at random."""
    n_texts = int(spans.texts.max(initial=-1)) + 1
    folds: NDArray[np.int64] = (np.random.default_rng(seed).permutation(n_texts) % N_FOLDS)[spans.texts]
    return folds
