"""Settings of a labeller."""

from __future__ import annotations

from dataclasses import dataclass, field

from deixis.config import Config, setting
from deixis.features.tfidf import TfidfConfig
from deixis.neural.elias.config import EliasConfig
from deixis.neural.one_vs_all.config import OneVsAllConfig
from deixis.xmr.combined import CombinedConfig
from deixis.xmr.label_augmentation import AugmentationConfig
from deixis.xmr.model import LABELLING, LabelTreeConfig


@dataclass(frozen=True)
class TextFeaturesConfig(Config):
    """How texts become rows of features."""

    words: TfidfConfig = field(default_factory=TfidfConfig)
    max_features: int = setting(400_000, "Most frequent word n-grams to keep; 0: all.", low=0, cli="--max-features")


@dataclass(frozen=True)
class LabellerConfig(Config):
    """The settings of a labeller; of the engines' settings those of its own engine matter.

    Examples
    --------
    >>> LabellerConfig(tree=LabelTreeConfig(n_trees=3)).tree.n_trees
    3
    """

    features: TextFeaturesConfig = field(default_factory=TextFeaturesConfig)
    augmentation: AugmentationConfig = field(default_factory=lambda: AugmentationConfig("auto"))
    engine: str = setting("tree", "tree, elias or one-vs-all; ++ adds a second stage.", cli="--engine")
    n_engines: int = setting(1, "Engines whose scores are averaged.", low=1, cli="--engines")
    held_out_share: float = setting(0.05, "Share of the documents held out to measure on; 0: none.", low=0, below=1)
    tree: LabelTreeConfig = field(default=LABELLING)
    elias: EliasConfig = field(default_factory=EliasConfig)
    one_vs_all: OneVsAllConfig = field(default_factory=OneVsAllConfig)
    combined: CombinedConfig = field(default_factory=CombinedConfig)
