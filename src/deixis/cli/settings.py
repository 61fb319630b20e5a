"""Settings as the command line knows them: every key of a config, `--set key=value`, and a TOML file of them all."""

from __future__ import annotations

import difflib
import json
import math
import textwrap
import tomllib
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from deixis.config import Setting, config_from_dict, config_to_dict, settings_of, tables_of, without_none
from deixis.errors import ConfigError

C = TypeVar("C")
WIDTH = 100


@dataclass(frozen=True)
class Key:
    """One setting of a config by its full key (`candidates.alias.forms.lang`), with the default that holds there."""

    path: tuple[str, ...]
    setting: Setting
    default: Any

    @property
    def name(self) -> str:
        """The key as a TOML file and `--set` have it."""
        return ".".join(self.path)


def keys_of(config: object, path: tuple[str, ...] = ()) -> Iterator[Key]:
    """Every setting of a config, nested ones included; a table may give a class other defaults than it has itself.

    What is fixed, or has no help, is no setting: only Python code sets it.
    """
    for each in settings_of(type(config)):
        value, here = getattr(config, each.name), (*path, each.name)
        if each.table is not None and value is not None:
            yield from keys_of(value, here)
        elif not each.is_fixed:
            yield Key(here, each, value)
    for name, table in tables_of(config).items():
        yield from keys_of(table, (*path, name))


def retired_of(config: object, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], str]:
    """What became of the settings that a config had once, by the path of each."""
    retired: Mapping[str, object] = getattr(config, "RETIRED", {})
    words = {
        (*path, name): "is no setting any more" + ("" if fixed is None else f": it is fixed at {fixed}")
        for name, fixed in retired.items()
    }
    for each in settings_of(type(config)):
        if each.table is None and each.is_fixed and each.help:
            words[(*path, each.name)] = f"is no setting any more: it is fixed at {getattr(config, each.name)}"
        elif each.table is not None:
            words |= retired_of(getattr(config, each.name), (*path, each.name))
    for name, table in tables_of(config).items():
        words |= retired_of(table, (*path, name))
    return words


def old_flag(path: Sequence[str]) -> str:
    """The option that every setting had before 0.2: `--candidates-alias-forms-lang`."""
    return "--" + "-".join(path).replace("_", "-")


def with_settings(config: C, *layers: Mapping[str, Any]) -> C:
    """The config with each layer of nested settings laid over it, the last one on top; unknown names are errors.

    Examples
    --------
    >>> from deixis.xmr.beam_search import BeamConfig
    >>> with_settings(BeamConfig(), {"width": 20}, {"width": 30}).width
    30
    """
    values, gone = config_to_dict(config), retired_of(config)
    for layer in layers:
        for path in _paths(layer):
            if path in gone:
                raise ConfigError(f"{'.'.join(path)} {gone[path]}. Leave it out.")
        values = _laid_over(values, layer)
    return config_from_dict(type(config), values)


def parsed_settings(config: object, assignments: Sequence[str]) -> dict[str, Any]:
    """The layer of settings that `--set key=value` gives, each value of the type of its key.

    Examples
    --------
    >>> from deixis.xmr.model import LabelTreeConfig
    >>> parsed_settings(LabelTreeConfig(), ["beam.memory=0.5", "beam.path_score=sigmoid"])
    {'beam': {'memory': 0.5, 'path_score': 'sigmoid'}}
    >>> parsed_settings(LabelTreeConfig(), ["beam.memry=0.5"])
    Traceback (most recent call last):
    deixis.errors.ConfigError: Unknown setting beam.memry. Did you mean beam.memory? All are listed by --settings.
    """
    keys = {key.name: key for key in keys_of(config)}
    layer: dict[str, Any] = {}
    for assignment in assignments:
        name, is_given, text = assignment.partition("=")
        if not is_given or not name.strip():
            raise ConfigError(f"--set takes key=value, such as n_candidates=30, got {assignment!r}.")
        if name.strip() not in keys:
            became = retired_of(config).get(tuple(name.strip().split(".")))
            raise ConfigError(f"{name.strip()} {became}." if became else _unknown(name.strip(), keys))
        put(layer, keys[name.strip()].path, _parsed(keys[name.strip()], text.strip()))
    return layer


def put(layer: dict[str, Any], path: Sequence[str], value: Any) -> None:  # noqa: ANN401 - any JSON value
    """Sets a value in a nested dictionary, whose tables are made where they are missing."""
    for key in path[:-1]:
        layer = layer.setdefault(key, {})
    layer[path[-1]] = value


def settings_toml(config: object, title: str) -> str:
    """A TOML file of every setting with its help, what it may be and its value; `--config` reads it unchanged."""
    tables: dict[tuple[str, ...], list[Key]] = {(): []}
    for key in keys_of(config):
        tables.setdefault(key.path[:-1], []).append(key)
    lines = [f"# {title}"]
    for table, keys in tables.items():
        lines += ["", f"[{'.'.join(table)}]"] if table else [""]
        for key in keys:
            allowed = allowed_words(key)
            words = f"{key.setting.help} {allowed[:1].upper()}{allowed[1:]}." if allowed else key.setting.help
            lines += textwrap.wrap(words, WIDTH, initial_indent="# ", subsequent_indent="# ")
            value = toml_value(key.default)
            lines.append(f"# {key.path[-1]} =" if value is None else f"{key.path[-1]} = {value}")
    return "\n".join(lines)


def allowed_words(key: Key) -> str:
    """What values a setting may have, in words: `at least 1`, `one of 'auto', 'rules'`; empty if its type says it."""
    return "" if key.setting.allowed.is_any else str(key.setting.allowed)


def toml_value(value: Any) -> str | None:  # noqa: ANN401 - any value of a setting
    """A value as TOML writes it; None where TOML has no word for it."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return "[" + ", ".join(str(toml_value(item)) for item in value) + "]"
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    return json.dumps(value, ensure_ascii=False)


def _parsed(key: Key, text: str) -> Any:  # noqa: ANN401 - any JSON value
    kind = without_none(key.setting.hint)
    if text.lower() == "none" and kind is not key.setting.hint:
        return None
    if typing.get_origin(kind) is tuple and not text.startswith("["):
        item = typing.get_args(kind)[0]
        return [_toml(part.strip(), item) for part in text.split(",") if part.strip()]
    return _toml(text, kind)


def _toml(text: str, kind: Any) -> Any:  # noqa: ANN401 - any JSON value
    """The value that TOML reads; a word that it cannot read, or that is to be text, is that word."""
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
    is_text = kind is str or typing.get_origin(kind) is typing.Literal
    return text if is_text and not isinstance(value, str) else value


def _unknown(name: str, keys: Mapping[str, Key]) -> str:
    ends = [key for key in keys if key.endswith(f".{name}")]
    close = ends or difflib.get_close_matches(name, keys, n=1)
    hint = f" Did you mean {' or '.join(close[:3])}?" if close else ""
    return f"Unknown setting {name}.{hint} All are listed by --settings."


def _paths(layer: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in layer.items():
        yield (*path, key)
        if isinstance(value, Mapping):
            yield from _paths(value, (*path, key))


def _laid_over(values: Mapping[str, Any], layer: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(values)
    for key, value in layer.items():
        below = merged.get(key)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            value = _laid_over(below, value)
        merged[key] = value
    return merged


def read_toml(path: Path) -> dict[str, Any]:
    """The settings in a TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}. Example: context_weight = 0.3") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not UTF-8 text; settings are written in TOML.") from None
