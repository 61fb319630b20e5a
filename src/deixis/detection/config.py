"""How mentions are found in texts that bring none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from deixis.config import Config, setting


@dataclass(frozen=True)
class FindingConfig(Config):
    """Which spans are looked at, and what decides whether they are mentions."""

    scoring: Literal["auto", "rules"] = setting(
        "auto", "Detect mentions by probability, or by rules alone.", cli="--detection"
    )
    any_case: bool = setting(True, "Look at names however they are written.")
    plurals: bool = setting(True, "Look at names with an -s more or less at their end.")
    max_run: int = setting(5, "Words with capitals looked at together that are no name.", low=0)
    min_chance: float = setting(0.08, "Chance to be a mention from which on a span is ranked.", low=0, below=1)
    min_names: int = setting(10_000, "Names in a list from which on chances decide without annotated documents.", low=0)
    min_documents: int = setting(20, "Annotated documents it takes to learn chances from.", low=0)
