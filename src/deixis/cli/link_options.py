"""The options of `LinkOptions` on the command line, made from its fields: a new field is a new option."""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Callable
from dataclasses import Field, fields
from typing import Any

import click

from deixis.cli.session import Session
from deixis.decision.type_thresholds import TypeThresholds
from deixis.errors import ConfigError, DataError
from deixis.linker import Linker
from deixis.linking.options import LinkOptions
from deixis.linking.plan import LinkPlans
from deixis.store.files import open_lines

LINK_FIELDS = {field.name: field for field in fields(LinkOptions)}
FROM_FILE = ("ids",)
"""Fields whose values are read from a file, one a line."""
OLD_FLAGS = {"ids": "--subset", "vectors": "--dense-contents"}
"""What options were called before 0.2; they still work, and no help shows them."""
METAVARS = {"types": "TYPE", "ids": "FILE", "languages": "LANG"}

_WITH_PATH = {
    "This model": "The model {path}",
    "the model was": "the model {path} was",
    "MODEL": "{path}",
    "(deixis calibrate)": "(deixis calibrate {path} ANNOTATED{rerank})",
}
"""Words of errors about a model whose path the library does not know, and the same with its path."""

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class LinkOption(click.Option):
    """An option of `LinkOptions`; help lists it under a heading of its own."""

    group = "How to link"


def link_options(*names: str) -> Decorator:
    """Adds an option for each of these fields of `LinkOptions`, or for all; the command gets one `options`."""
    offered = names or tuple(LINK_FIELDS)

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def with_options(*arguments: Any, **values: Any) -> Any:  # noqa: ANN401 - whatever the command takes and returns
            fields = {name: _value_of(name, values) for name in offered}
            return command(*arguments, options=_options(fields), **values)

        decorated: Callable[..., Any] = with_options
        for name in reversed(offered):
            if name in OLD_FLAGS:
                decorated = _option(name, OLD_FLAGS[name], _old_parameter(name), is_hidden=True)(decorated)
            decorated = _option(name, flag_of(name), _parameter(name))(decorated)
        return decorated

    return decorate


def flag_of(name: str) -> str:
    """The option of a field: `--type` of `types`, `--top-k` of `top_k`."""
    flag: str | None = LINK_FIELDS[name].metadata["flag"]
    return flag or f"--{name.replace('_', '-')}"


def given_flags(options: LinkOptions) -> list[str]:
    """The options that somebody gave a value other than the default.

    Examples
    --------
    >>> given_flags(LinkOptions(types="city", rerank=True))
    ['--type', '--rerank']
    """
    return [flag_of(name) for name in options.to_dict()]


def load_linker(path: str, session: Session, options: LinkOptions) -> Linker:
    """The linker at `path`; what it cannot do of the options is an error that names the model and what to run."""
    linker = Linker.load(path, n_threads=session.threads, verify=session.verify)
    try:
        LinkPlans.of(linker.model, options)
    except ConfigError as error:
        message = str(error)
        for words, with_path in _WITH_PATH.items():
            message = message.replace(words, with_path.format(path=path, rerank=" --rerank" if options.rerank else ""))
        raise ConfigError(message) from None
    return linker


def read_ids(path: str) -> tuple[str, ...]:
    """The ids in a file, one on a line; a file without any is an error."""
    ids = tuple(line.strip() for _, line in open_lines(path) if line.strip())
    if not ids:
        raise DataError("has no ids: write one on each line, as they stand in the knowledge base", path=path)
    return ids


def _parameter(name: str) -> str:
    return f"link_{name}"


def _old_parameter(name: str) -> str:
    return f"link_old_{name}"


def _value_of(name: str, values: dict[str, Any]) -> Any:  # noqa: ANN401 - whatever the field holds
    """The value given for a field by its option or by the old name of that; None if there is none."""
    value = values.pop(_parameter(name))
    old = values.pop(_old_parameter(name), None)
    if value is not None and old is not None:
        raise click.UsageError(f"{OLD_FLAGS[name]} is the old name of {flag_of(name)}: give one of them.")
    return old if value is None else value


def _options(fields: dict[str, Any]) -> LinkOptions:
    """The options; values that contradict each other are a usage error, reported before a file is read."""
    values = {name: value for name, value in fields.items() if value not in (None, ())}
    files = {name: values.pop(name) for name in FROM_FILE if name in values}
    try:
        options = LinkOptions(**values)
    except ConfigError as error:
        raise click.UsageError(str(error)) from None
    return options.with_changes(**{name: read_ids(path) for name, path in files.items()})


def _option(name: str, flag: str, parameter: str, is_hidden: bool = False) -> Decorator:
    field, hint = LINK_FIELDS[name], typing.get_type_hints(LinkOptions)[name]
    settings: dict[str, Any] = {"help": _help(field), "hidden": is_hidden, "default": None}
    kind, flags = _without_none(hint), flag
    if name in FROM_FILE:
        settings |= {"type": click.Path(), "metavar": METAVARS.get(name)}
    elif kind == TypeThresholds:
        settings |= {"multiple": True, "metavar": "TYPE=X", "callback": _type_thresholds}
    elif typing.get_origin(kind) is tuple:
        settings |= {"multiple": True, "metavar": METAVARS.get(name)}
    elif kind is bool and kind is hint:
        settings |= {"is_flag": True}
    elif kind is bool:  # three values: yes, no, and what the model has
        flags = f"{flag}/--no-{flag[2:]}"
    elif typing.get_origin(kind) is typing.Literal:
        settings |= {"type": click.Choice(typing.get_args(kind))}
    else:
        numbers: type[click.IntRange] | type[click.FloatRange] = click.IntRange if kind is int else click.FloatRange
        metavar = "N" if kind is int else "X"
        settings |= {"type": numbers(field.metadata["low"], field.metadata["high"]), "metavar": metavar}
    return click.option(flags, parameter, cls=LinkOption, **settings)


def _type_thresholds(context: click.Context, option: click.Parameter, words: tuple[str, ...]) -> TypeThresholds:
    """Types and their thresholds, each written `Disease=0.4`."""
    pairs = []
    for word in words:
        name, _, number = word.rpartition("=")
        try:
            pairs.append((name, float(number)))
        except ValueError:
            name = ""
        if not name:
            raise click.BadParameter(f"{word!r} is no type with a number: write Disease=0.4.", context, option)
    return tuple(pairs)


def _help(field: Field[Any]) -> str:
    words = str(field.metadata["help"])
    if field.name in FROM_FILE:
        words = words.removesuffix(".") + ", read from FILE, one a line."
    elif isinstance(field.default, tuple):
        words = f"{words} May be repeated."
    return f"{words} [default: {field.default}]" if isinstance(field.default, str) else words


def _without_none(hint: Any) -> Any:  # noqa: ANN401 - any type hint
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return next(each for each in typing.get_args(hint) if each is not type(None))
    return hint
