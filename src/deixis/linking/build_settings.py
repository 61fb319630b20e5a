"""Settings of what `deixis build` makes of a list besides its sources: thresholds, popularity, synthetic mentions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from deixis.config import Config, setting
from deixis.decision.decision import DEFAULT_THRESHOLD
from deixis.errors import ConfigError


@dataclass(frozen=True)
class ThresholdConfig(Config):
    """The NIL threshold of a new model; `deixis.decision` applies it."""

    threshold: float | None = setting(
        None,
        f"Least score of a link; below it a mention is NIL. None: {DEFAULT_THRESHOLD}, or what fits best.",
        low=0,
        high=1,
    )
    target_precision: float | None = setting(
        None,
        "Share of links that shall be right; needs annotated documents.",
        above=0,
        high=1,
        cli="--target-precision",
    )


@dataclass(frozen=True)
class OwnTextConfig(Config):
    """What is made of names inside the knowledge base's own text."""

    popularity: bool = setting(True, "Count how often descriptions speak of other entities, as a sign of popularity.")
    names: bool = setting(False, "Count names inside the names of other entities too, not in descriptions only.")
    max_namesakes: int = setting(20, "A name that more entities bear says nothing about any of them.", low=1)


@dataclass(frozen=True)
class RehearsalConfig(Config):
    """How many mentions are made, and of what kinds; names that no share of damages takes stay whole."""

    use: Literal["auto", "always", "never"] = setting(
        "auto", "Calibrate on mentions made from KB. auto: if few entities are described.", cli="--synthetic"
    )
    n_mentions: int = setting(2000, "Mentions made from the knowledge base.", low=1)
    hidden_share: float = setting(0.3, "Mentions whose entity is hidden: a link is wrong.", low=0, high=1)
    context_share: float = setting(0.3, "Mentions with words of their entity's description.", low=0, high=1)
    kept_words: float = setting(0.2, "Words of the description that are kept there.", low=0, high=1)
    dropped_word_share: float = setting(0.2, "Names without one of their words.", low=0, high=1)
    typo_share: float = setting(0.1, "Names with two letters exchanged, or one lost.", low=0, high=1)
    case_share: float = setting(0.1, "Names in small letters, or in capitals.", low=0, high=1)
    initials_share: float = setting(0.02, "Names of several words as their first letters.", low=0, high=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if sum(self.damage_shares) > 1:
            raise ConfigError(f"The shares of damaged names add up to {sum(self.damage_shares)}, more than 1.")

    @property
    def damage_shares(self) -> tuple[float, ...]:
        """The share of each damage, in the order of `DAMAGES`."""
        return (self.dropped_word_share, self.typo_share, self.case_share, self.initials_share)
