"""Config classes out of plain dictionaries (TOML, JSON, manifests) and back; unknown keys are errors."""

from __future__ import annotations

import dataclasses
import difflib
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

from deixis.errors import ConfigError

C = TypeVar("C")


def config_from_dict(cls: type[C], values: Mapping[str, Any], where: str = "") -> C:
    """An instance of the dataclass `cls`, nested dataclasses included.

    Examples
    --------
    >>> @dataclasses.dataclass(frozen=True)
    ... class Beam:
    ...     width: int = 10
    >>> config_from_dict(Beam, {"width": 20})
    Beam(width=20)
    >>> config_from_dict(Beam, {"widht": 20})
    Traceback (most recent call last):
    deixis.errors.ConfigError: Unknown setting 'widht'. Known: width. Did you mean 'width'?
    """
    hints = typing.get_type_hints(cls)
    fields = {f.name for f in dataclasses.fields(cls)}  # type: ignore[arg-type]
    for key in values:
        if key not in fields:
            message = f"Unknown setting {where + key!r}. Known: {', '.join(sorted(fields))}."
            close = difflib.get_close_matches(key, fields, n=1)
            raise ConfigError(f"{message} Did you mean {close[0]!r}?" if close else message)
    converted = {key: _convert(hints[key], value, where + key) for key, value in values.items()}
    return cls(**converted)


def config_to_dict(config: object) -> dict[str, Any]:
    """Plain values only, as JSON and TOML hold them; tuples become lists."""
    if not dataclasses.is_dataclass(config) or isinstance(config, type):
        raise ConfigError(f"Not a config: {config!r}")
    return {f.name: _plain(getattr(config, f.name)) for f in dataclasses.fields(config)}


def check_choices(config: object) -> None:
    """Every field that is a choice (`Literal`) holds one of its values; for a config's `__post_init__`."""
    for name, hint in typing.get_type_hints(type(config)).items():
        if typing.get_origin(hint) is typing.Literal:
            _convert(hint, getattr(config, name), name)


def _plain(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return config_to_dict(value)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def _convert(hint: Any, value: Any, where: str) -> Any:  # noqa: ANN401 - any JSON value
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        if isinstance(value, hint):
            return value
        if not isinstance(value, Mapping):
            raise ConfigError(f"Setting {where!r} must be a table of settings, got {value!r}.")
        return config_from_dict(hint, value, where + ".")
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return _convert_union(hint, value, where)
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            raise ConfigError(f"Setting {where!r} must be a list, got {value!r}.")
        inner = typing.get_args(hint)[0]
        return tuple(_convert(inner, item, where) for item in value)
    if origin is typing.Literal:
        if value not in typing.get_args(hint):
            allowed = ", ".join(repr(a) for a in typing.get_args(hint))
            raise ConfigError(f"Setting {where!r} must be one of {allowed}, got {value!r}.")
        return value
    return _convert_scalar(hint, value, where)


def _convert_union(hint: Any, value: Any, where: str) -> Any:  # noqa: ANN401 - any JSON value
    options = typing.get_args(hint)
    if value is None and type(None) in options:
        return None
    return _convert(next(option for option in options if option is not type(None)), value, where)


def _convert_scalar(hint: Any, value: Any, where: str) -> Any:  # noqa: ANN401 - any JSON value
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(hint, type) and (not isinstance(value, hint) or (hint is int and isinstance(value, bool))):
        raise ConfigError(f"Setting {where!r} must be {hint.__name__}, got {value!r}.")
    return value
