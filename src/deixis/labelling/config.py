"""Everything a labeller can be told."""

from __future__ import annotations

from dataclasses import dataclass, field

from deixis.errors import ConfigError
from deixis.features.tfidf import TfidfConfig
from deixis.neural.elias.config import EliasConfig
from deixis.neural.one_vs_all.config import OneVsAllConfig
from deixis.xmr.combined import CombinedConfig
from deixis.xmr.label_augmentation import AugmentationConfig
from deixis.xmr.model import LABELLING, LabelTreeConfig


@dataclass(frozen=True)
class TextFeaturesConfig:
    """How texts become rows of features."""

    words: TfidfConfig = field(default_factory=TfidfConfig)
    max_features: int = field(
        default=400_000, metadata={"help": "Keep so many n-grams of words, those in most documents; 0: all."}
    )

    def __post_init__(self) -> None:
        if self.max_features < 0:
            raise ConfigError(f"max_features must be at least 1, or 0 for no limit, got {self.max_features}.")


@dataclass(frozen=True)
class LabellerConfig:
    """The settings of a labeller; of the engines' settings those of its own engine matter.

    Examples
    --------
    >>> LabellerConfig(tree=LabelTreeConfig(n_trees=3)).tree.n_trees
    3
    """

    features: TextFeaturesConfig = field(default_factory=TextFeaturesConfig)
    augmentation: AugmentationConfig = field(default_factory=lambda: AugmentationConfig("auto"))
    engine: str = field(default="tree", metadata={"help": "What ranks labels, by its name."})
    n_engines: int = field(default=1, metadata={"help": "Engines, each from another seed, whose scores are averaged."})
    tree: LabelTreeConfig = field(default=LABELLING)
    elias: EliasConfig = field(default_factory=EliasConfig)
    one_vs_all: OneVsAllConfig = field(default_factory=OneVsAllConfig)
    combined: CombinedConfig = field(default_factory=CombinedConfig)

    def __post_init__(self) -> None:
        if self.n_engines < 1:
            raise ConfigError(f"n_engines must be at least 1, got {self.n_engines}.")
