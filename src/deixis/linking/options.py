"""Link options: one record, from which Python keywords, CLI options, REST fields and spaCy settings are made."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any, get_args

from deixis.candidates.filters import EntityFilter
from deixis.candidates.sources.vectors import Contents
from deixis.decision.decision import check_threshold
from deixis.decision.overlaps import Overlaps
from deixis.decision.type_thresholds import TypeThresholds, checked_type_thresholds
from deixis.detection.config import Names
from deixis.errors import ConfigError

RENAMED = {"subset": "ids", "read": "reader", "recognize": "recognizer", "dense_contents": "vectors"}
"""Names of options before 0.2, and what they are called now."""


def option(
    default: Any,  # noqa: ANN401 - whatever the field holds
    help: str,
    *,
    flag: str | None = None,
    low: float | None = None,
    high: float | None = None,
) -> Any:  # noqa: ANN401 - a dataclass field
    """A field of `LinkOptions` with what every door needs to offer it: help, the CLI's flag, and the allowed range."""
    return field(default=default, metadata={"help": help, "flag": flag, "low": low, "high": high})


@dataclass(frozen=True, slots=True)
class LinkOptions:
    """How to link. Equal options are equal records, so requests with equal options can be linked together.

    Examples
    --------
    >>> LinkOptions(types="city").with_changes(threshold=0.5).to_dict()
    {'types': ['city'], 'threshold': 0.5}
    >>> LinkOptions().with_changes(treshold=0.5)
    Traceback (most recent call last):
    deixis.errors.ConfigError: Unknown option 'treshold'. Did you mean 'threshold'? Known: types, ids, languages, ...
    """

    types: tuple[str, ...] = option((), "Link only to entities of these types.", flag="--type")
    ids: tuple[str, ...] = option((), "Link only to entities with these ids.", flag="--ids")
    languages: tuple[str, ...] = option((), "Link only to entities known in these languages.", flag="--language")
    threshold: float | None = option(None, "Least probability of a link. Default: the model's.", low=0, high=1)
    type_thresholds: TypeThresholds = option((), "Threshold of entities of a type.", flag="--type-threshold")
    names: Names | None = option(None, "Which names in raw text are linked. Default: the model's.")
    target_precision: float | None = option(
        None, "Fraction of links that shall be right, by calibration.", low=0, high=1
    )
    top_k: int | None = option(None, "Candidates shown; never changes a link. Default: the model's.", low=1)
    overlaps: Overlaps = option("drop", "Detected mentions that overlap: drop all but the best, or keep all.")
    rerank: bool = option(False, "Rerank the best candidates with the model's re-ranker; slower.")
    reader: bool | None = option(None, "Ask the model's reader about raw text. Default: if it has one.")
    vectors: Contents | None = option(None, "Vectors to compare mentions with. Default: as built.")

    def __post_init__(self) -> None:
        for name in ("types", "ids", "languages"):
            object.__setattr__(self, name, _names(name, getattr(self, name)))
        object.__setattr__(self, "type_thresholds", checked_type_thresholds(self.type_thresholds))
        check_threshold(self.threshold, self.target_precision)
        if self.top_k is not None and (type(self.top_k) is not int or self.top_k < 1):
            raise ConfigError(f"top_k must be a whole number of at least 1, got {self.top_k!r}.")
        words = {
            "overlaps": get_args(Overlaps),
            "vectors": (None, *get_args(Contents)),
            "names": (None, *get_args(Names)),
        }
        for name, values in words.items():
            if getattr(self, name) not in values:
                known = " or ".join(repr(each) for each in values)
                raise ConfigError(f"{name} must be {known}, got {getattr(self, name)!r}.")
        if not isinstance(self.rerank, bool) or not isinstance(self.reader, bool | None):
            raise ConfigError(f"rerank and reader are true or false, got {self.rerank!r} and {self.reader!r}.")

    def with_changes(self, **changes: object) -> LinkOptions:
        """The same with other values; None means the default. An unknown name is an error with a suggestion."""
        if not changes:
            return self
        known = {each.name: each.default for each in fields(self)}
        for name in changes:
            if name in RENAMED:
                raise ConfigError(f"The option {name!r} is called {RENAMED[name]!r} now.")
            if name not in known:
                close = difflib.get_close_matches(name, known, n=1)
                hint = f" Did you mean {close[0]!r}?" if close else ""
                raise ConfigError(f"Unknown option {name!r}.{hint} Known: {', '.join(known)}.")
        values: dict[str, Any] = {n: known[n] if value is None else value for n, value in changes.items()}
        return replace(self, **values)

    @property
    def only(self) -> EntityFilter:
        """Types, ids and languages together, as candidates take them."""
        return EntityFilter(self.types, self.ids, self.languages)

    def to_dict(self) -> dict[str, Any]:
        """What differs from the default; JSON and TOML hold it."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        defaults = {each.name: each.default for each in fields(self)}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        plain["type_thresholds"] = dict(self.type_thresholds)
        return {name: plain[name] for name, value in values.items() if value != defaults[name]}


def _names(part: str, names: str | Iterable[str]) -> tuple[str, ...]:
    """One name or several as a tuple; an empty list is an error, an empty tuple filters nothing."""
    return () if names == () else EntityFilter.names(part, names)
