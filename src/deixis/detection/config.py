"""How mentions are found in texts that bring none."""

from __future__ import annotations

from dataclasses import dataclass
from deixis.config import Config, setting


@dataclass(frozen=True)
class FindingConfig(Config):
    """Which spans are looked at, and what decides whether they are mentions."""

    RETIRED = {"scoring": "auto", "any_case": True, "plurals": True, "min_names": 10_000}

    max_run: int = setting(5, "Longest run of capitalized words detected that is no known name.", low=0)
    min_chance: float = setting(
        0.12, "Least probability of a span to be a mention for it to be ranked.", low=0, below=1
    )
    min_documents: int = setting(20, "Annotated documents needed to learn these probabilities.", low=0)
