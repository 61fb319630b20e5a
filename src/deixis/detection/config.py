"""How mentions are found in texts that bring none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from deixis.config import Config, setting


@dataclass(frozen=True)
class FindingConfig(Config):
    """Which spans are looked at, and what decides whether they are mentions."""

    scoring: Literal["auto", "rules"] = setting(
        "auto", "Detect mentions by probability, or by rules.", cli="--detection"
    )
    any_case: bool = setting(True, "Detect names in any case.")
    plurals: bool = setting(True, "Detect names with a plural -s added or missing.")
    max_run: int = setting(5, "Longest run of capitalized words detected that is no known name.", low=0)
    min_chance: float = setting(
        0.08, "Least probability of a span to be a mention for it to be ranked.", low=0, below=1
    )
    min_names: int = setting(
        10_000, "Names a list needs for detection by probability without annotated documents.", low=0
    )
    min_documents: int = setting(20, "Annotated documents needed to learn these probabilities.", low=0)
