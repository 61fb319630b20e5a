"""Options made out of config classes, so that a default is written once, beside the class it configures."""

from __future__ import annotations

import difflib
import functools
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import click

from deixis.cli.settings import (
    Key,
    keys_of,
    old_flag,
    parsed_settings,
    put,
    read_toml,
    retired_of,
    settings_toml,
    with_settings,
)  # fmt: skip
from deixis.config import without_none
from deixis.errors import UnknownNameError

C = TypeVar("C")
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
SOURCE = "settings_source"
"""Where a command's function keeps its `SettingsSource`, for help, `--settings` and options that are gone."""


class SettingOption(click.Option):
    """An option of the settings; help lists it apart from the command's own."""


@dataclass(frozen=True)
class GivenSettings(Generic[C]):
    """The config that preset, file and command line make together, and which keys the command line named."""

    config: C
    typed: tuple[str, ...] = ()


@dataclass(frozen=True)
class SettingsSource(Generic[C]):
    """Where a command's settings come from: a config class, named presets of it, and the keys that have options."""

    start: C
    presets: Mapping[str, C]
    options: tuple[Key, ...]
    has_file: bool

    def options_and_more(self) -> list[Decorator]:
        """The click options: one for each key that declares one, then --preset, --config, --set and --settings."""
        options = [_option(key) for key in self.options]
        if self.presets:
            words = f"Start from a named set of settings: {', '.join(self.presets)}."
            options.append(_setting_option("--preset", "preset", metavar="NAME", help=words))
        if self.has_file:
            options += [
                _setting_option("--config", "config_file", metavar="FILE", help="Read settings from a TOML file."),
                _setting_option(
                    "--set",
                    "assignments",
                    multiple=True,
                    metavar="KEY=VALUE",
                    help="Set any setting by its key; may be repeated.",
                ),
                _setting_option(
                    "--settings", "is_listing", is_flag=True, help="Print every setting as a TOML file for --config."
                ),
            ]
        return options

    def taken_from(self, values: dict[str, Any]) -> GivenSettings[C]:
        """Takes the settings out of a command's values; an option goes before --set, and --set before the file."""
        values.pop("is_listing", None)
        config_file, assignments = values.pop("config_file", None), values.pop("assignments", None) or ()
        from_file = {} if config_file is None else read_toml(Path(config_file))
        start = self._start(values.pop("preset", None) or from_file.pop("preset", None))
        by_key = parsed_settings(start, assignments)
        by_option: dict[str, Any] = {}
        typed = [assignment.partition("=")[0].strip() for assignment in assignments]
        for key in self.options:
            value = values.pop(_parameter(key), None)
            if value is not None:
                put(by_option, key.path, value)
                typed.append(key.name)
        return GivenSettings(with_settings(start, from_file, by_key, by_option), tuple(typed))

    def _start(self, preset: str | None) -> C:
        if preset is None:
            return self.start
        if preset not in self.presets:
            raise UnknownNameError("preset", preset, known=self.presets)
        return self.presets[preset]

    def became(self, flag: str, value: str) -> str | None:
        """What to type instead of an option of a setting that has none any more; None if it never had one."""
        is_no = flag.startswith("--no-")
        flag = "--" + flag[5:] if is_no else flag
        keys = {old_flag(key.path): key for key in keys_of(self.start)}
        gone = {old_flag(path): words for path, words in retired_of(self.start).items()}
        if flag in gone:
            return f"{gone[flag]}. Leave it out."
        close = [flag] if flag in keys else difflib.get_close_matches(flag, keys, n=1, cutoff=0.9)
        if not close:
            return None
        key = keys[close[0]]
        verb = "is" if close[0] == flag else "may be"
        if key in self.options and key.setting.cli is not None:
            return f"{verb} {key.setting.cli} now."
        if not self.has_file:
            return None
        value = ("false" if is_no else "true") if without_none(key.setting.hint) is bool else value
        return f"{verb} a setting now: --set {key.name}={value}"


def settings_from(
    config: type[C], presets: Mapping[str, C] | None = None, skip: Collection[str] = (), has_file: bool = True
) -> Decorator:
    """Adds the options that a config class declares, and --config, --set and --settings for all other keys.

    The command receives them as `settings`, a `GivenSettings`. Keys in `skip` have no option, nor do those of tables
    in it; they are settings all the same.
    """
    start = config()
    keys = tuple(key for key in keys_of(start) if key.setting.cli is not None and not _is_in(key, skip))
    source = SettingsSource(start, presets or {}, keys, has_file)

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def with_given(*arguments: Any, **values: Any) -> Any:  # noqa: ANN401 - whatever the command takes and returns
            return command(*arguments, settings=source.taken_from(values), **values)

        decorated: Callable[..., Any] = with_given
        for option in reversed(source.options_and_more()):
            decorated = option(decorated)
        setattr(decorated, SOURCE, source)
        return decorated

    return decorate


class CommandWithSettings(click.Command):
    """A command whose help lists its options in groups, and which names what replaced removed options."""

    def __init__(
        self,
        *arguments: Any,  # noqa: ANN401 - whatever click takes
        renamed: Mapping[str, str] | None = None,
        heading: str = "Options",
        **values: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(*arguments, **values)
        self.renamed = renamed or {}
        self.heading = heading

    @property
    def source(self) -> SettingsSource[Any] | None:
        """Where its settings come from, if it has any."""
        source: SettingsSource[Any] | None = getattr(self.callback, SOURCE, None)
        return source

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The arguments, parsed; `--settings` prints what would hold with the other arguments, and ends."""
        source, typed = self.source, list(args)
        if source is not None and source.has_file and "--settings" in args:
            ctx.resilient_parsing = True
            super().parse_args(ctx, args)
            click.echo(settings_toml(source.taken_from(dict(ctx.params)).config, f"Settings of {ctx.command_path}."))
            ctx.exit()
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            flag = error.option_name
            became = None if source is None else source.became(flag, _value_after(flag, typed))
            became = f"is {self.renamed[flag]} now." if flag in self.renamed else became
            if became is None:
                raise
            raise click.UsageError(f"{flag} {became}", ctx) from None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the options in groups: the command's own, what every command has in one line at the end."""
        groups: dict[str, list[click.Option]] = {self.heading: [], "Settings": []}
        common: list[str] = []
        in_line: list[str] = []
        for each in self.get_params(ctx):
            if not isinstance(each, click.Option) or each.hidden:
                continue
            if "--help" in each.opts:
                common.append("/".join(ctx.help_option_names))
            elif getattr(each, "is_in_line", False):
                in_line.append(each.opts[0])
            elif getattr(each, "is_common", False):
                common.append(" ".join(["/".join(each.opts), *([] if each.is_flag else [str(each.metavar)])]))
            else:
                name = getattr(each, "group", "Settings" if isinstance(each, SettingOption) else self.heading)
                groups.setdefault(name, []).append(each)
        settings = groups.pop("Settings")
        for name, options in (*groups.items(), ("Settings", settings)):
            if options:
                with formatter.section(name):
                    formatter.write_dl([_help_record(each, ctx) for each in options], col_max=32)
        formatter.write_paragraph()
        if in_line:
            formatter.write_text(f"Reading the list (see deixis kb check --help): {', '.join(in_line)}")
        formatter.write_text(f"Every command: {', '.join(common)}")


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
            expected = "whole numbers" if kind is int else "numbers"
            raise click.BadParameter(
                f"give {expected} with commas between them, such as 1,5,10; got {word!r}"
            ) from None

    parse.__name__ = f"{kind.__name__},..."
    return parse


def _help_record(option: click.Option, ctx: click.Context) -> tuple[str, str]:
    """An option and its line of help, without the ranges that click adds: `--settings` has them."""
    names, _ = option.get_help_record(ctx) or ("", "")
    is_shown = option.show_default and option.default is not None
    parts = [option.help or "", "[required]" if option.required else f"[default: {option.default}]" if is_shown else ""]
    return names, " ".join(filter(None, parts))


def _is_in(key: Key, tables: Collection[str]) -> bool:
    return any(key.name == table or key.name.startswith(f"{table}.") for table in tables)


def _parameter(key: Key) -> str:
    return "setting_" + "_".join(key.path)


def _value_after(flag: str, arguments: Sequence[str]) -> str:
    """The value that was typed for an option: `--flag value` or `--flag=value`."""
    for number, argument in enumerate(arguments):
        if argument.startswith(f"{flag}="):
            return argument.partition("=")[2]
        if argument == flag and number + 1 < len(arguments):
            return arguments[number + 1]
    return "VALUE"


def _setting_option(*names: str, **values: Any) -> Decorator:  # noqa: ANN401 - whatever click takes
    return click.option(*names, cls=SettingOption, **values)


def _option(key: Key, flag: str | None = None, is_hidden: bool = False) -> Decorator:
    """The click option of a key, under the flag that its class declares unless another is given."""
    flag = flag or key.setting.cli or old_flag(key.path)
    kind = without_none(key.setting.hint)
    shown = ",".join(map(str, key.default)) if isinstance(key.default, tuple) else key.default
    if isinstance(key.default, bool):
        shown = "on" if key.default else "off"
    default = "" if key.default is None else f" [default: {shown}]"
    return _setting_option(
        f"{flag}/--no-{flag[2:]}" if kind is bool else flag,
        _parameter(key),
        type=None if kind is bool else _parameter_type(key),
        metavar=_metavar(kind),
        default=None,
        hidden=is_hidden,
        help=f"{key.setting.help}{default}".strip(),
    )


def _metavar(kind: Any) -> str | None:  # noqa: ANN401 - any type hint
    return {int: "N", float: "X", str: "NAME"}.get(kind) if isinstance(kind, type) else None


def _parameter_type(key: Key) -> Any:  # noqa: ANN401 - a type or function that click makes a parameter type of
    kind, allowed = without_none(key.setting.hint), key.setting.allowed
    if allowed.choices and not isinstance(kind, type):
        return click.Choice([str(value) for value in allowed.choices])
    if typing.get_origin(kind) is tuple:
        return comma_separated(typing.get_args(kind)[0])
    low, high = (allowed.low, allowed.high) if allowed.low is not None else (allowed.above, allowed.high)
    high = allowed.below if high is None else high
    is_open = {"min_open": allowed.above is not None, "max_open": allowed.below is not None}
    if kind is int:
        return click.IntRange(low, high, **is_open)  # type: ignore[arg-type]
    return click.FloatRange(low, high, **is_open) if kind is float else str
