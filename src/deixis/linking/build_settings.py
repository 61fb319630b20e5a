"""Settings of what `deixis build` makes of a list besides its sources: thresholds and popularity."""

from __future__ import annotations

from dataclasses import dataclass

from deixis.config import Config, setting
from deixis.decision.decision import DEFAULT_THRESHOLD


@dataclass(frozen=True)
class ThresholdConfig(Config):
    """The NIL threshold of a new model; `deixis.decision` applies it."""

    threshold: float | None = setting(
        None,
        f"Least probability of a link; below it a mention is NIL. None: {DEFAULT_THRESHOLD}.",
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

    RETIRED = {"max_namesakes": 20}

    popularity: bool = setting(True, "Count how often descriptions name other entities, as their popularity.")
    names: bool = setting(False, "Count names inside the names of other entities too, not in descriptions only.")
