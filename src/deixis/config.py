"""Settings: how a config class declares them, and how it comes out of plain dictionaries (TOML, JSON) and back.

A setting is declared once, at one of three levels: with `cli` it is an option of a command; without, it is set in a
TOML file or with `--set key=value`; with `is_fixed` it is a constant that only tests and experiments change, in Python.
What not even they change is a constant of its module.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import logging
import math
import types
import typing
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from deixis.errors import ConfigError

logger = logging.getLogger(__name__)

C = TypeVar("C")
V = TypeVar("V")
TABLES = "tables"
"""The field of a config class that holds tables of settings by name."""


@dataclasses.dataclass(frozen=True)
class Allowed:
    """Which values a setting may have: ends that count as well, ends that do not, or one of several values.

    Examples
    --------
    >>> str(Allowed(low=1)), str(Allowed(low=0, high=1)), str(Allowed(above=0)), str(Allowed(low=0, below=1))
    ('at least 1', '0..1', 'above 0', 'at least 0 and below 1')
    """

    low: float | None = None
    high: float | None = None
    above: float | None = None
    below: float | None = None
    choices: tuple[object, ...] = ()

    def __contains__(self, value: object) -> bool:
        if self.choices:
            return value in self.choices
        if not isinstance(value, (int, float)) and not self.is_any:
            return False
        return self.is_any or (
            (self.low is None or value >= self.low)  # type: ignore[operator]
            and (self.high is None or value <= self.high)  # type: ignore[operator]
            and (self.above is None or value > self.above)  # type: ignore[operator]
            and (self.below is None or value < self.below)  # type: ignore[operator]
        )

    @property
    def is_any(self) -> bool:
        """Whether every value is allowed."""
        return (self.low, self.high, self.above, self.below) == (None,) * 4 and not self.choices

    def __str__(self) -> str:
        if self.choices:
            return "one of " + ", ".join(map(repr, self.choices))
        if self.low is not None and self.high is not None:
            return f"{self.low}..{self.high}"
        ends = {"at least": self.low, "above": self.above, "at most": self.high, "below": self.below}
        return " and ".join(
            f"{word} {'2^31' if end == 2**31 else end}" for word, end in ends.items() if end is not None
        )


def setting(
    default: V,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    below: float | None = None,
    choices: tuple[V, ...] = (),
    cli: str | None = None,
    is_fixed: bool = False,
) -> V:
    """A field of a config class: its default, a line of help, the values allowed and, if it has one, its option.

    One that `is_fixed` has no key on the command line and is listed nowhere.

    Examples
    --------
    >>> @dataclasses.dataclass(frozen=True)
    ... class Beam(Config):
    ...     width: int = setting(10, "Nodes kept per level.", low=1, cli="--beam-width")
    >>> Beam(width=0)
    Traceback (most recent call last):
    deixis.errors.ConfigError: Setting width must be at least 1, got 0.
    """
    allowed = Allowed(low, high, above, below, choices)
    metadata = {"help": help, "allowed": allowed, "cli": cli, "is_fixed": is_fixed}
    return dataclasses.field(default=default, metadata=metadata)


class Config:
    """Base of the config classes: values are checked when an instance is made, by hand or from a file."""

    RETIRED: ClassVar[Mapping[str, object]] = {}
    """Settings of earlier versions, and the values they are fixed at now; None: what they chose is gone."""

    def __post_init__(self) -> None:
        check_settings(self)


def config_from_dict(cls: type[C], values: Mapping[str, Any], where: str = "", *, is_saved: bool = False) -> C:
    """An instance of the dataclass `cls`, nested dataclasses included; in a saved model, retired names are passed over.

    Examples
    --------
    >>> @dataclasses.dataclass(frozen=True)
    ... class Beam:
    ...     width: int = 10
    >>> config_from_dict(Beam, {"width": 20})
    Beam(width=20)
    >>> config_from_dict(Beam, {"widht": 20})
    Traceback (most recent call last):
    deixis.errors.ConfigError: Unknown setting widht. Known: width. Did you mean width?
    """
    known = {each.name: each for each in settings_of(cls)}
    tables = table_types(cls)
    converted: dict[str, Any] = {}
    for key, value in values.items():
        if key in known:
            converted[key] = _converted(known[key].hint, value, where + key, is_saved)
            _check(known[key], converted[key], where + key)
        elif key in tables:
            table = _converted(tables[key], value, where + key, is_saved)
            converted[TABLES] = {**converted.get(TABLES, {}), key: table}
        elif not (is_saved and _is_passed_over(cls, key, value, where)):
            raise ConfigError(_unknown(cls, key, (*known, *tables), where))
    try:
        return cls(**converted)
    except ConfigError as error:
        raise ConfigError(f"In {where[:-1]}: {error}" if where else str(error)) from None


def config_to_dict(config: object) -> dict[str, Any]:
    """Plain values only, as JSON and TOML hold them; tuples become lists."""
    if not dataclasses.is_dataclass(config) or isinstance(config, type):
        raise ConfigError(f"Not a config: {config!r}")
    own = {f.name: _plain(getattr(config, f.name)) for f in dataclasses.fields(config) if f.name != TABLES}
    return own | {name: config_to_dict(table) for name, table in getattr(config, TABLES, {}).items()}


def table_types(cls: type) -> Mapping[str, type]:
    """The config class of each table that a class holds by name, beside its own fields; most hold none.

    Such a class declares `tables: Mapping[str, Any] = field(..., metadata={"types": name_to_class})`. In TOML its
    tables stand beside its other settings.
    """
    types_by_name: Mapping[str, type] = next(
        (f.metadata["types"] for f in dataclasses.fields(cls) if f.name == TABLES), {}
    )
    return types_by_name


def tables_of(config: object) -> dict[str, Any]:
    """The tables that a config holds by name, those with their defaults that it does not have included."""
    own: Mapping[str, Any] = getattr(config, TABLES, {})
    return {name: own[name] if name in own else kind() for name, kind in table_types(type(config)).items()}


def check_settings(config: object) -> None:
    """Every field holds a value that is allowed; `Config` calls it."""
    for each in settings_of(type(config)):
        _check(each, getattr(config, each.name), each.name)


@dataclasses.dataclass(frozen=True)
class Setting:
    """A field of a config class, as it was declared."""

    name: str
    hint: Any
    allowed: Allowed
    help: str
    cli: str | None
    is_fixed: bool

    @property
    def table(self) -> type | None:
        """The config class that the field holds, if it holds one."""
        kind = without_none(self.hint)
        return kind if isinstance(kind, type) and dataclasses.is_dataclass(kind) else None


def settings_of(cls: type) -> tuple[Setting, ...]:
    """The settings that a config class declares, in order; choices are those of its `Literal`s."""
    return _settings_of(cls)


@functools.cache
def _settings_of(cls: type) -> tuple[Setting, ...]:
    hints = typing.get_type_hints(cls)
    return tuple(
        Setting(
            field.name,
            hints[field.name],
            _allowed(field.metadata.get("allowed", Allowed()), hints[field.name]),
            field.metadata.get("help", ""),
            field.metadata.get("cli"),
            field.metadata.get("is_fixed", not field.metadata.get("help")),
        )
        for field in dataclasses.fields(cls)
        if field.name != TABLES
    )


def without_none(hint: Any) -> Any:  # noqa: ANN401 - any type hint
    """The type that an optional one holds when it holds something."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return next(option for option in typing.get_args(hint) if option is not type(None))
    return hint


def _allowed(declared: Allowed, hint: Any) -> Allowed:  # noqa: ANN401 - any type hint
    kind = without_none(hint)
    is_choice = typing.get_origin(kind) is typing.Literal
    return dataclasses.replace(declared, choices=typing.get_args(kind)) if is_choice else declared


def _check(each: Setting, value: object, key: str) -> None:
    if value is None and each.hint is not without_none(each.hint):
        return
    for item in value if isinstance(value, tuple) else (value,):
        if item not in each.allowed:
            verb = "lie in" if each.allowed.low is not None and each.allowed.high is not None else "be"
            raise ConfigError(f"Setting {key} must {verb} {each.allowed}, got {item!r}.")
        if isinstance(item, float) and not math.isfinite(item):
            raise ConfigError(f"Setting {key} must be a finite number, got {item}.")


def _is_passed_over(cls: type, key: str, value: object, where: str) -> bool:
    """Whether a saved key is one of an earlier version; one that was set to something else than holds now is told."""
    retired: Mapping[str, object] = getattr(cls, "RETIRED", {})
    if key not in retired:
        return False
    is_same = retired[key] is None or _plain(retired[key]) == value
    logger.log(
        logging.DEBUG if is_same else logging.WARNING,
        "The model was saved with %s = %r, which is no setting any more%s.",
        where + key,
        value,
        "" if retired[key] is None else f" and fixed at {retired[key]!r}",
    )
    return True


def _unknown(cls: type, key: str, known: tuple[str, ...], where: str) -> str:
    retired: Mapping[str, object] = getattr(cls, "RETIRED", {})
    if key in retired:
        fixed = "" if retired[key] is None else f" It is fixed at {retired[key]!r}."
        return f"{where}{key} is no setting any more: leave it out.{fixed}"
    message = f"Unknown setting {where}{key}. Known: {', '.join(sorted(known))}."
    close = difflib.get_close_matches(key, known, n=1)
    return f"{message} Did you mean {where}{close[0]}?" if close else message


def _plain(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return config_to_dict(value)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def _converted(hint: Any, value: Any, where: str, is_saved: bool) -> Any:  # noqa: ANN401 - any JSON value
    kind = without_none(hint)
    if value is None and kind is not hint:
        return None
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        if isinstance(value, kind):
            return value
        if not isinstance(value, Mapping):
            raise ConfigError(f"Setting {where} must be a table of settings, got {value!r}.")
        return config_from_dict(kind, value, where + ".", is_saved=is_saved)
    origin = typing.get_origin(kind)
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            raise ConfigError(f"Setting {where} must be a list, got {value!r}.")
        inner = typing.get_args(kind)[0]
        return tuple(_converted(inner, item, where, is_saved) for item in value)
    return value if origin is typing.Literal else _converted_scalar(kind, value, where)


def _converted_scalar(hint: Any, value: Any, where: str) -> Any:  # noqa: ANN401 - any JSON value
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(hint, type) and (not isinstance(value, hint) or (hint is int and isinstance(value, bool))):
        raise ConfigError(f"Setting {where} must be {KINDS.get(hint, hint.__name__)}, got {value!r}.")
    return value


KINDS: dict[type, str] = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
