"""The log odds that a span is a mention, whatever its entity.

The weights of the features of `deixis.detection.span_features` are in `default_weights.json`, learned over many lists
(`python -m benchmarks.quality.span_weights`): what is peculiar to a list is in the features, not in the weights.
Annotated documents add how often a span's words are a mention (shrunk to the mean), which words are next to mentions,
and weights of their own for words that they have; all others keep the default weights. The weights are fitted on odds
of other documents (cross-fitting), otherwise spans seen once would be trusted too much.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from deixis.detection.name_facts import NameFacts
from deixis.detection.odds import KeyOdds
from deixis.detection.span_features import (
    FEATURES,
    N_LEARNED,
    N_OWN,
    span_features,
    text_counts,
)
from deixis.detection.spans import Sign, SpanTable
from deixis.learners.logistic import fit_logistic, weighed
from deixis.progress import track
from deixis.store.checks import MAX_WEIGHT, check_length
from deixis.store.part import Part, array

N_FOLDS = 5
NAME_PSEUDO, WORD_PSEUDO = 1.0, 20.0  # how often everything is taken to have been seen before, like all others
PENALTY = 1.0
RECOGNIZED_ODDS = 4.0  # added for a span of a recognizer, which is at least as likely a mention as not
AT_ONCE = 8_192  # spans whose features are in memory together: a book has a million


@dataclass(frozen=True, eq=False)
class SpanScorer(Part):
    """Log odds that spans are mentions.

    Examples
    --------
    >>> from deixis.detection.names import NameMatcher
    >>> from deixis.store.strings import StringTable
    >>> names, texts = StringTable.from_strings(["It", "Troy"]), StringTable.from_strings([])
    >>> matcher = NameMatcher.build(names)
    >>> scorer = SpanScorer.from_kb(NameFacts.build(matcher, names, names, texts))
    >>> (scorer.log_odds(matcher.spans(["It rained in Troy."])) > 0).tolist()
    [False, True]
    """

    weights: Annotated[NDArray[np.float64], array(low=-MAX_WEIGHT, high=MAX_WEIGHT)]
    facts: NameFacts
    seen: KeyOdds
    before: KeyOdds
    after: KeyOdds

    @classmethod
    def from_kb(cls, facts: NameFacts) -> SpanScorer:
        """The scorer of a knowledge base without annotated documents."""
        nothing = KeyOdds.none()
        return cls(default_weights(), facts, nothing, nothing, nothing)

    @classmethod
    def fit(cls, spans: SpanTable, is_mention: NDArray[np.bool_], facts: NameFacts, seed: int = 0) -> SpanScorer:
        """The scorer that annotated texts give; `is_mention` says which of their spans are mentions."""
        folds = _folds(spans, seed)
        counts = text_counts(spans)
        features = np.zeros((len(spans), len(FEATURES)), dtype=np.float32)
        for fold in range(N_FOLDS):
            is_held_out = folds == fold
            odds = _all_odds(spans.take(~is_held_out), is_mention[~is_held_out])
            features[is_held_out] = span_features(spans.take(is_held_out), facts, *odds, counts[is_held_out])
        # Spans that are candidates only because they are annotated here: new texts have none like them.
        is_odd = (
            spans.has(Sign.LEARNED_NAME) & (spans.names < 0) & spans.has(Sign.LOWER_CASE) & (features[:, N_OWN] == 0)
        )
        weights = fit_logistic(features[~is_odd], is_mention[~is_odd], PENALTY, default_weights())
        return cls(weights, facts, *_all_odds(spans, is_mention))

    def log_odds(self, spans: SpanTable) -> NDArray[np.float64]:
        """How likely each span is a mention, as log odds."""
        counts = text_counts(spans)
        if len(spans) <= AT_ONCE:
            log_odds = self._weighed(spans, counts)
        else:
            log_odds = np.empty(len(spans))
            for begin in track(range(0, len(spans), AT_ONCE), "scoring spans"):
                rows = slice(begin, begin + AT_ONCE)
                log_odds[rows] = self._weighed(spans.take(rows), counts[rows])
        is_recognized = spans.has(Sign.RECOGNIZED)
        log_odds[is_recognized] = np.maximum(log_odds[is_recognized] + RECOGNIZED_ODDS, 0.0)
        return log_odds

    def _weighed(self, spans: SpanTable, counts: NDArray[np.float32]) -> NDArray[np.float64]:
        """The weighed features; words that annotated documents do not have keep the default weights."""
        features = self.features(spans, counts)
        log_odds = weighed(features, self.weights)
        is_unseen = ~self.seen.has(spans.keys)
        if len(self.seen.keys) and is_unseen.any():
            log_odds[is_unseen] = weighed(features[is_unseen], default_weights())
        return log_odds

    def features(self, spans: SpanTable, counts: NDArray[np.float32]) -> NDArray[np.float32]:
        """spans_by_features; `counts` are `text_counts` of them among all spans of their texts."""
        return span_features(spans, self.facts, self.seen, self.before, self.after, counts)

    def weights_of(self, spans: SpanTable) -> NDArray[np.float64]:
        """spans_by_features: the weights that hold for each span."""
        is_default = (~self.seen.has(spans.keys))[:, None] if len(self.seen.keys) else False
        weights: NDArray[np.float64] = np.where(is_default, default_weights(), self.weights)
        return np.broadcast_to(weights, (len(spans), len(FEATURES)))

    def check_parts(self, prefix: str) -> None:
        """There is a weight for each feature."""
        check_length(f"{prefix}.weights", self.weights, len(FEATURES))


@cache
def default_weights() -> NDArray[np.float64]:
    """The weights of models without annotated documents, in the order of `FEATURES`; learned features weigh 0."""
    text = files("deixis.detection").joinpath("default_weights.json").read_text("utf-8")
    name_to_weight: dict[str, float] = json.loads(text)
    own = [name_to_weight.get(name, 0.0) for name in FEATURES[:N_OWN]]
    weights = np.array(own + [0.0] * N_LEARNED)
    weights.flags.writeable = False
    return weights


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
