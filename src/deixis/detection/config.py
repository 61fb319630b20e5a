"""How mentions are found in texts that bring none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from deixis.config import Config, setting

Names = Literal["every", "likely", "sure"]
"""Which names in raw text become links."""
EVERY_MIN_PROBABILITY = 0.003  # to be a mention, of a name that is linked because every name is: stop words have less
NIL_PROBABILITY = 0.5  # to be a mention, of a name that is one though it is not linked
SURE_THRESHOLD = 0.5  # of the probability of a link that is sure


@dataclass(frozen=True)
class FindingConfig(Config):
    """Which spans are looked at, and what decides whether they are mentions."""

    RETIRED = {"scoring": "auto", "any_case": True, "plurals": True, "min_names": 10_000}

    names: Names = setting(
        "likely",
        "Names in raw text that become links: every name of the list, those that are likely meant, or only the sure "
        "ones.",
        cli="--names",
    )
    max_run: int = setting(5, "Longest run of capitalized words detected that is no known name.", low=0)
    min_chance: float = setting(0.2, "Least probability of a span to be a mention for it to be ranked.", low=0, below=1)
    min_documents: int = setting(20, "Annotated documents needed to learn these probabilities.", low=0)
