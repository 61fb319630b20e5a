"""Options made out of config classes, so that a default is written once, beside the class it configures."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from deixis.config import config_from_dict, config_to_dict

C = TypeVar("C")


class SettingOption(click.Option):
    """An option that came from a config class; help lists it apart from the command's own."""


class CommandWithSettings(click.Command):
    """A command that has many settings: its help lists its own options, and `--settings` the rest."""

    def __init__(self, *arguments: Any, **values: Any) -> None:  # noqa: ANN401 - whatever click takes
        super().__init__(*arguments, **values)
        words = "List further settings, each an option, and exit."
        self.params.append(
            click.Option(["--settings"], is_flag=True, is_eager=True, expose_value=False, callback=_show, help=words)
        )

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the command's own options."""
        own = [option for option in self.get_params(ctx) if not isinstance(option, SettingOption)]
        _write_section("Options", own, ctx, formatter)

    def settings_help(self, ctx: click.Context) -> str:
        """The list that `--settings` shows."""
        formatter = ctx.make_formatter()
        settings = [option for option in self.get_params(ctx) if isinstance(option, SettingOption)]
        _write_section("Settings (in a TOML file the same names, with dots)", settings, ctx, formatter)
        return formatter.getvalue().rstrip()


def _show(ctx: click.Context, _parameter: click.Parameter, is_asked: bool) -> None:
    if is_asked and isinstance(ctx.command, CommandWithSettings):
        click.echo(ctx.command.settings_help(ctx))
        ctx.exit()


def _write_section(
    title: str, parameters: Sequence[click.Parameter], ctx: click.Context, formatter: click.HelpFormatter
) -> None:
    records = [parameter.get_help_record(ctx) for parameter in parameters if isinstance(parameter, click.Option)]
    with formatter.section(title):
        formatter.write_dl([record for record in records if record is not None])


def options_from(
    config: type, name: str, skip: Collection[str] = ()
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds an option per field of a config class, nested classes included (`tree.beam.width` -> `--tree-beam-width`).

    The command receives, as `name`, a nested dictionary of only those settings that the user typed, ready to be laid
    over a preset or a file with `with_settings`. Fields in `skip` (dotted) get no option.
    """
    settings = [setting for setting in _settings_of(config()) if ".".join(setting.path) not in skip]

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


def _settings_of(default: Any, path: tuple[str, ...] = ()) -> Iterator[_Setting]:  # noqa: ANN401 - any config
    """The settings of a config instance: a field may give a nested class other defaults than the class has itself."""
    hints = typing.get_type_hints(type(default))
    for field in dataclasses.fields(default):
        value, here = getattr(default, field.name), (*path, field.name)
        if dataclasses.is_dataclass(value):
            yield from _settings_of(value, here)
        else:
            yield _Setting(here, _without_none(hints[field.name]), value, field.metadata.get("help", ""))


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
        parts = [part.strip() for part in word.split(",") if part.strip()]
        try:
            return tuple(map(kind, parts))
        except ValueError:
            wanted = "whole numbers" if kind is int else "numbers"
            raise click.BadParameter(f"give {wanted} with commas between them, such as 1,5,10; got {word!r}") from None

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
