"""How mentions are found in texts that bring none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from deixis.config import check_choices
from deixis.errors import ConfigError


@dataclass(frozen=True)
class FindingConfig:
    """Which spans are looked at, and what decides whether they are mentions."""

    scoring: Literal["auto", "rules"] = field(
        default="auto",
        metadata={
            "help": "What makes a span a mention: its chance, or the dictionary's rules alone, as in short lists."
        },
    )
    any_case: bool = field(default=True, metadata={"help": "Look at names however they are written."})
    plurals: bool = field(default=True, metadata={"help": "Look at names with an -s more or less at their end."})
    max_run: int = field(default=5, metadata={"help": "Words with capitals looked at together that are no name."})
    min_chance: float = field(default=0.08, metadata={"help": "Chance to be a mention from which on a span is ranked."})
    min_names: int = field(
        default=10_000, metadata={"help": "Names in a list from which on chances decide without annotated documents."}
    )
    min_documents: int = field(default=20, metadata={"help": "Annotated documents it takes to learn chances from."})

    def __post_init__(self) -> None:
        check_choices(self)
        for name in ("max_run", "min_names", "min_documents"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name} must be at least 0, got {getattr(self, name)}.")
        if not 0 <= self.min_chance < 1:
            raise ConfigError(f"min_chance is a chance, 0 to 1, got {self.min_chance}.")
