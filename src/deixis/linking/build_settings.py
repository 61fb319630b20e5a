"""Settings of what `deixis build` makes of a list besides its sources: thresholds, popularity, synthetic mentions."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Literal

from deixis.config import check_choices
from deixis.decision.decision import DEFAULT_THRESHOLD, check_threshold
from deixis.errors import ConfigError


@dataclass(frozen=True)
class ThresholdConfig:
    """When a mention is NIL, as whoever builds a model wants it; `deixis.decision` has what comes of that."""

    threshold: float | None = field(
        default=None,
        metadata={
            "help": f"Least score of a link; below it a mention is NIL. None: {DEFAULT_THRESHOLD}, or what fits best."
        },
    )
    target_precision: float | None = field(
        default=None, metadata={"help": "Share of links to be right; calibration chooses the threshold."}
    )

    def __post_init__(self) -> None:
        check_threshold(self.threshold, None)
        check_threshold(None, self.target_precision)


@dataclass(frozen=True)
class OwnTextConfig:
    """What is made of names inside the knowledge base's own text."""

    popularity: bool = field(
        default=True,
        metadata={"help": "Count how often descriptions speak of other entities, as a sign of popularity."},
    )
    names: bool = field(
        default=False,
        metadata={"help": "Count names inside the names of other entities too, not in descriptions only."},
    )
    max_namesakes: int = field(
        default=20, metadata={"help": "A name that more entities bear says nothing about any of them."}
    )

    def __post_init__(self) -> None:
        if self.max_namesakes < 1:
            raise ConfigError(f"max_namesakes must be at least 1, got {self.max_namesakes}.")


@dataclass(frozen=True)
class RehearsalConfig:
    """How many mentions are made, and of what kinds; names that no share of damages takes stay whole."""

    use: Literal["auto", "always", "never"] = field(
        default="auto",
        metadata={"help": "Calibrate on mentions made from the knowledge base. auto: if few entities are described."},
    )
    n_mentions: int = field(default=2000, metadata={"help": "Mentions made from the knowledge base."})
    hidden_share: float = field(default=0.3, metadata={"help": "Mentions whose entity is hidden: a link is wrong."})
    context_share: float = field(default=0.3, metadata={"help": "Mentions with words of their entity's description."})
    kept_words: float = field(default=0.2, metadata={"help": "Words of the description that are kept there."})
    dropped_word_share: float = field(default=0.2, metadata={"help": "Names without one of their words."})
    typo_share: float = field(default=0.1, metadata={"help": "Names with two letters exchanged, or one lost."})
    case_share: float = field(default=0.1, metadata={"help": "Names in small letters, or in capitals."})
    initials_share: float = field(default=0.02, metadata={"help": "Names of several words as their first letters."})

    def __post_init__(self) -> None:
        check_choices(self)
        if self.n_mentions < 1:
            raise ConfigError(f"n_mentions must be at least 1, got {self.n_mentions}.")
        for name in (each.name for each in fields(self) if each.type == "float"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} is a share and must lie in 0..1, got {getattr(self, name)}.")
        if sum(self.damage_shares) > 1:
            raise ConfigError(f"The shares of damaged names add up to {sum(self.damage_shares)}, more than 1.")

    @property
    def damage_shares(self) -> tuple[float, ...]:
        """The share of each damage, in the order of `DAMAGES`."""
        return (self.dropped_word_share, self.typo_share, self.case_share, self.initials_share)
