"""Ranks candidates by everything that speaks for them: a weighted sum of a few dozen numbers, made probabilities.

Without annotated mentions the weights are those in `default_weights.json`, learned on the dev splits of many suites
(`python -m benchmarks.quality.fusion`), none of which need be like the knowledge base at hand; with annotated mentions
they can be learned anew (`learners/listwise`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.config import Config, setting
from deixis.errors import DataError, StoreError
from deixis.features.entity_words import EntityWords
from deixis.features.name_forms import NameForms, NameFormsConfig
from deixis.features.name_set import NameSet
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.learners.listwise import TrainingExamples, fit_weights
from deixis.ranking.correction_odds import CorrectedPairs
from deixis.ranking.feature import (
    COUNT_FOR,
    FEATURES,
    dense_features,
    feature_names,
    learned_features,
    own_features,
    word_features,
)
from deixis.store.checks import check_range, require
from deixis.store.string_hashes import hash_strings
from deixis.tables import CandidateTable
from deixis.types import MentionInContext

MAX_FACT = 64  # ln(2^63) and more
MAX_WEIGHT = 1e9
BLOCK = 16_384  # rows weighed together
_FORMS = NameForms(NameFormsConfig.loose())


Kind = Literal["described", "bare"]
"""Whether the entities of a knowledge base are described, or most are names only: evidence weighs differently."""

MIN_DESCRIBED = 0.1


@cache
def default_weights(kind: Kind | Literal["dense"]) -> dict[str, float]:
    """What each feature weighs where nothing was learned, those of a dense list apart: data of the package."""
    told: dict[str, dict[str, float]] = json.loads(
        files("deixis.ranking").joinpath("default_weights.json").read_text("utf-8")
    )
    return told[kind]


def kind_of(kb: KnowledgeBase) -> Kind:
    """Which default weights a knowledge base takes."""
    return "described" if kb.described_share >= MIN_DESCRIBED else "bare"


@dataclass(frozen=True)
class FusionConfig(Config):
    """Where the weights come from."""

    weights: Literal["auto", "default", "tree"] = setting(
        "auto",
        "default: those that come with Deixis; auto: learned where enough mentions are annotated; "
        "tree: only the label tree has a say.",
    )
    min_mentions: int = setting(
        300, "Mentions held out that it takes to learn weights; with fewer the default ones.", low=1
    )
    penalty: float = setting(1e-3, "What it costs a learned weight to leave the default one.", low=0)

    def known_weights(self, kb: KnowledgeBase, has_dense: bool = False) -> NDArray[np.float64]:
        """The weights before anything is learned."""
        told = {"tree_log": 1.0}
        if self.weights != "tree":
            told = default_weights(kind_of(kb)) | (default_weights("dense") if has_dense else {})
        return weights_of(told, has_dense)


class FusionRanker:
    """Orders candidates by a weighted sum of features; scores are the shares of a softmax over a mention's candidates.

    Examples
    --------
    >>> sorted(default_weights("bare")) == sorted(FEATURES)
    True
    """

    def __init__(
        self,
        words: EntityWords,
        popularity: NDArray[np.float32],
        facts: NDArray[np.float32],
        keys: NDArray[np.uint64],
        learned: NameSet,
        weights: NDArray[np.float64],
        n_threads: int = 0,
        corrected: CorrectedPairs | None = None,
    ) -> None:
        self.words = words
        self.popularity = popularity
        self.facts = facts
        self.keys = keys
        self.learned = learned
        self.weights = weights
        self.n_threads = n_threads
        self.corrected = corrected or CorrectedPairs()

    @classmethod
    def build(
        cls,
        kb: KnowledgeBase,
        words: EntityWords,
        popularity: NDArray[np.float32],
        learned: NameSet | None = None,
        config: FusionConfig | None = None,
        n_threads: int = 0,
        has_dense: bool = False,
    ) -> FusionRanker:
        """A ranker over the entities of `kb`; `popularity` is 0 to 1 for each, `learned` are names seen annotated."""
        lengths = np.diff(kb.description_texts().offsets)
        facts = np.log1p(np.stack([lengths, np.diff(kb.alias_indptr)], axis=1)).astype(np.float32)
        keys = np.stack([_hashes(kb.titles, n_threads), _hashes(kb.ids, n_threads)], axis=1)
        weights = (config or FusionConfig()).known_weights(kb, has_dense)
        return cls(words, popularity, facts, keys, learned or NameSet(), weights, n_threads)

    def with_weights(self, weights: NDArray[np.float64]) -> FusionRanker:
        """The same ranker with other weights."""
        known = self.words, self.popularity, self.facts, self.keys, self.learned
        return FusionRanker(*known, weights, self.n_threads, self.corrected)

    def with_corrected(self, corrected: CorrectedPairs) -> FusionRanker:
        """The same ranker that heeds what corrections say of names; in place of others, and not stored."""
        known = self.words, self.popularity, self.facts, self.keys, self.learned
        return FusionRanker(*known, self.weights, self.n_threads, corrected)

    def features(self, mentions: Sequence[MentionInContext], proposals: CandidateTable) -> NDArray[np.float32]:
        """proposals_by_features, in the order of `feature_names`."""
        if len(mentions) != len(proposals.starts) - 1:
            raise DataError(f"Each mention needs its proposals, got {len(mentions)} and {len(proposals.starts) - 1}.")
        found = own_features(proposals, self.popularity, self.facts)
        found |= word_features(self.words, mentions, proposals, self.n_threads)
        found["fully_described"] *= 1 - found["alias"]  # of its own name a description says nothing new
        found["popularity_described"] = found["popularity"] * found["fully_described"]
        asked = _hashes([mention.text for mention in mentions], 1)[proposals.mention_numbers]
        found["title"], found["id"] = (asked[:, None] == self.keys[proposals.rows]).astype(np.float32).T
        texts = [mention.text for mention in mentions]
        is_learned = self.learned.holds(texts) | self.corrected.seen.holds(texts)
        found |= learned_features(found, is_learned, proposals)
        has_dense = len(self.weights) > len(FEATURES)
        if has_dense:
            found |= dense_features(proposals)
        return np.stack([found[name] for name in feature_names(has_dense)], axis=1)

    def rank(self, mentions: Sequence[MentionInContext], proposals: CandidateTable, k: int) -> sparse.csr_matrix:
        """mentions_by_entities: the best `k` proposals of each mention, stored best first; scores of all add to 1."""
        refuted = self.corrected.log_odds([mention.text for mention in mentions], proposals)
        shares = self.shares(self.features(mentions, proposals), proposals, refuted)
        return proposals.best(shares, k, len(self.popularity))

    def shares(
        self, features: NDArray[np.float32], proposals: CandidateTable, refuted: NDArray[np.float64] | float = 0.0
    ) -> NDArray[np.float32]:
        """How likely each proposal is the one, given that one of its mention's is; `refuted` are log odds to add."""
        totals = weighed(features, self.weights) + refuted
        shares = np.exp(totals - proposals.group_max(totals))
        likely: NDArray[np.float32] = (shares / proposals.group_sum(shares)).astype(np.float32)
        return likely

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Everything but the words as arrays under names that begin with `prefix`."""
        return {
            f"{prefix}.popularity": self.popularity, f"{prefix}.facts": self.facts.ravel(),
            f"{prefix}.keys": self.keys.ravel(), f"{prefix}.learned": self.learned.hashes,
            f"{prefix}.weights": self.weights,
        }  # fmt: skip

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, words: EntityWords, n_threads: int = 0
    ) -> FusionRanker:
        """The ranker `to_arrays` gave, over the words it was built with."""
        popularity = require(arrays, f"{prefix}.popularity", np.float32)
        facts, keys = require(arrays, f"{prefix}.facts", np.float32), require(arrays, f"{prefix}.keys", np.uint64)
        weights = require(arrays, f"{prefix}.weights", np.float64)
        n_entities = len(words.title_scales)
        sizes = [len(feature_names(has_dense)) for has_dense in (False, True)]
        if not len(popularity) == len(facts) // 2 == len(keys) // 2 == n_entities or len(weights) not in sizes:
            raise StoreError(
                f"The arrays '{prefix}.*' do not fit {n_entities} entities and {sizes[0]} features. The model is "
                "damaged or from another version; build it again."
            )
        for name, array in (("popularity", popularity), ("facts", facts)):
            check_range(f"{prefix}.{name}", array, 0, MAX_FACT)
        check_range(f"{prefix}.weights", weights, -MAX_WEIGHT, MAX_WEIGHT)
        learned = NameSet(require(arrays, f"{prefix}.learned", np.uint64))
        return cls(words, popularity, facts.reshape(-1, 2), keys.reshape(-1, 2), learned, weights, n_threads)


def weighed(features: NDArray[np.float32], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weighted sum of each row; the same whatever rows stand around it, which a matrix product does not promise."""
    totals = np.empty(len(features))
    for begin in range(0, len(features), BLOCK):
        rows = features[begin : begin + BLOCK].astype(np.float64)
        totals[begin : begin + BLOCK] = np.einsum("rf,f->r", rows, weights)
    return totals


def learned_weights(
    lessons: Sequence[TrainingExamples],
    penalty: float,
    start: NDArray[np.float64] | None = None,
    importance: Sequence[float] | None = None,
    min_scales: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Weights of the features of lessons; what can only speak for a candidate never counts against one."""
    has_dense = bool(lessons) and lessons[0].features.shape[1] > len(FEATURES)
    is_positive = np.array([name in COUNT_FOR for name in feature_names(has_dense)])
    return fit_weights(lessons, penalty, start, importance, is_positive, min_scales)


def weights_of(told: Mapping[str, float], has_dense: bool = False) -> NDArray[np.float64]:
    """Weights by name as an array in the order of `feature_names`; a feature that is not told weighs nothing."""
    names = feature_names(has_dense)
    unknown = sorted(set(told) - set(names))
    if unknown:
        raise DataError(f"No feature is named {unknown[0]!r}. Known: {', '.join(names)}.")
    return np.array([told.get(name, 0.0) for name in names], dtype=np.float64)


def _hashes(names: Iterable[str], n_threads: int) -> NDArray[np.uint64]:
    return hash_strings(_FORMS.keys(names, n_threads=n_threads))
