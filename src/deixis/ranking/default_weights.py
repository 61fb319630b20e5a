"""Weights of features before anything is fitted: data of the package, by kind of knowledge base."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from deixis.config import Config, setting
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.ranking.features import FEATURES
from deixis.ranking.weights import FeatureWeights

Kind = Literal["described", "bare"]
"""Whether the entities of a knowledge base are described, or most are names only: features weigh differently."""

MIN_DESCRIBED = 0.1
WITHOUT_NAMES = {"mention_in_names": 0.0, "name_vectors": 2.0}
"""What else these features weigh where the source `names` is not there: the others were measured beside it."""


@cache
def default_weights(kind: Kind) -> Mapping[str, float]:
    """What each feature weighs before anything is fitted; one that was not measured yet is not there."""
    by_kind: dict[str, dict[str, float]] = json.loads(
        files("deixis.ranking").joinpath("default_weights.json").read_text("utf-8")
    )
    return by_kind[kind]


def kind_of(kb: KnowledgeBase) -> Kind:
    """Which default weights a knowledge base takes."""
    return "described" if kb.described_fraction >= MIN_DESCRIBED else "bare"


@dataclass(frozen=True)
class RankerConfig(Config):
    """Where the weights come from."""

    weights: Literal["auto", "default", "tree"] = setting(
        "auto",
        "default: those that come with Deixis; auto: learned where enough mentions are annotated; "
        "tree: the label tree's score alone.",
    )
    min_mentions: int = setting(
        300, "Mentions held out that it takes to learn weights; with fewer the default ones.", low=1
    )
    penalty: float = setting(1e-3, "What it costs a learned weight to leave the default one.", low=0, is_fixed=True)

    def start_weights(self, kb: KnowledgeBase, sources: Collection[str]) -> FeatureWeights:
        """The weights before anything is fitted, of the features that these candidate sources support."""
        weights = default_weights(kind_of(kb))
        if "names" not in sources:
            weights = {**weights, **WITHOUT_NAMES}
        if self.weights == "tree":
            weights = dict.fromkeys(weights, 0.0) | {"label_tree_log": 1.0}
        return FeatureWeights.of({name: weights[name] for name in weights if FEATURES[name].is_supported(sources)})
