"""Options made out of config classes, so that a default is written once, beside the class it configures."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from deixis.config import config_from_dict, config_to_dict

C = TypeVar("C")
SETTINGS = "Settings"


class SettingOption(click.Option):
    """An option that came from a config class; help lists it apart from the command's own."""


class CommandWithSettings(click.Command):
    """A command whose help lists its own options first and the settings of its config classes after them."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the two lists."""
        own: list[tuple[str, str]] = []
        settings: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                (settings if isinstance(parameter, SettingOption) else own).append(record)
        with formatter.section("Options"):
            formatter.write_dl(own)
        if settings:
            with formatter.section(f"{SETTINGS} (the same names, with dots, as in a TOML file)"):
                formatter.write_dl(settings)


def options_from(
    config: type, name: str, skip: Collection[str] = ()
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds an option per field of a config class, nested classes included (`tree.beam.width` -> `--tree-beam-width`).

    The command receives, as `name`, a nested dictionary of only those settings that the user typed, ready to be laid
    over a preset or a file with `with_settings`. Fields in `skip` (dotted) get no option.
    """
    settings = [setting for setting in _settings_of(config) if ".".join(setting.path) not in skip]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def with_typed(*arguments: Any, **values: Any) -> Any:  # noqa: ANN401 - whatever the command takes and returns
            typed: dict[str, Any] = {}
            for setting in settings:
                value = values.pop(setting.parameter)
                if value is not None:
                    _put(typed, setting.path, value)
            return command(*arguments, **{name: typed}, **values)

        decorated: Callable[..., Any] = with_typed
        for setting in reversed(settings):
            decorated = setting.option()(decorated)
        return decorated

    return decorate


def with_settings(config: C, *layers: Mapping[str, Any]) -> C:
    """The config with each layer of nested settings laid over it, the last one on top; unknown names are errors.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Beam:
    ...     width: int = 10
    ...     top_k: int = 100
    >>> with_settings(Beam(), {"width": 20}, {"width": 30})
    Beam(width=30, top_k=100)
    """
    values = config_to_dict(config)
    for layer in layers:
        values = _laid_over(values, layer)
    return config_from_dict(type(config), values)


@dataclass(frozen=True)
class _Setting:
    """One field of a config class, as an option."""

    path: tuple[str, ...]
    hint: Any
    default: Any
    help: str

    @property
    def parameter(self) -> str:
        return "setting_" + "_".join(self.path)

    def option(self) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        flag = "--" + "-".join(self.path).replace("_", "-")
        flags = f"{flag}/--no-{flag[2:]}" if self.hint is bool else flag
        shown = ",".join(map(str, self.default)) if isinstance(self.default, tuple) else self.default
        words = f"{self.help} [default: {shown}]".strip()
        kind = None if self.hint is bool else _parameter_type(self.hint)
        return click.option(flags, self.parameter, cls=SettingOption, type=kind, default=None, help=words)


def _settings_of(config: type, path: tuple[str, ...] = ()) -> Iterator[_Setting]:
    hints = typing.get_type_hints(config)
    for field in dataclasses.fields(config):
        hint, here = _without_none(hints[field.name]), (*path, field.name)
        if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            yield from _settings_of(hint, here)
        else:
            yield _Setting(here, hint, _default(field), field.metadata.get("help", ""))


def _default(field: dataclasses.Field[Any]) -> Any:  # noqa: ANN401 - a field may hold anything
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return None if field.default is dataclasses.MISSING else field.default


def _without_none(hint: Any) -> Any:  # noqa: ANN401 - any type hint
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return next(option for option in typing.get_args(hint) if option is not type(None))
    return hint


def _parameter_type(hint: Any) -> Any:  # noqa: ANN401 - a type or function that click makes a parameter type of
    origin = typing.get_origin(hint)
    if origin is typing.Literal:
        return click.Choice([str(value) for value in typing.get_args(hint)])
    if origin is tuple:
        return comma_separated(typing.get_args(hint)[0])
    return hint if hint in (int, float) else str


def comma_separated(kind: Callable[[str], Any]) -> Callable[[str], tuple[Any, ...]]:
    """A parser of several values in one word.

    Examples
    --------
    >>> comma_separated(int)("1,5, 10")
    (1, 5, 10)
    """

    def parse(word: str) -> tuple[Any, ...]:
        return tuple(kind(part.strip()) for part in word.split(",") if part.strip())

    parse.__name__ = f"{kind.__name__},..."
    return parse


def _put(target: dict[str, Any], path: tuple[str, ...], value: Any) -> None:  # noqa: ANN401 - any JSON value
    for key in path[:-1]:
        target = target.setdefault(key, {})
    target[path[-1]] = value


def _laid_over(values: Mapping[str, Any], layer: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(values)
    for key, value in layer.items():
        below = merged.get(key)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            value = _laid_over(below, value)
        merged[key] = value
    return merged
