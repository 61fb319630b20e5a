"""A group of commands that imports a command only when it is run: `deixis --help` must not wait for NumPy."""

from __future__ import annotations

import difflib
import gc
import importlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import click
from click.shell_completion import CompletionItem


@dataclass(frozen=True)
class CommandEntry:
    """Where a command lives (`module:name`) and its line in the list of commands; a hidden one has none there."""

    target: str
    summary: str
    is_hidden: bool = False


class LazyGroup(click.Group):
    """A click group whose commands are named in a table.

    Examples
    --------
    >>> group = LazyGroup("deixis", entries={"info": CommandEntry("deixis.cli.commands.info:info",
    ...     "Say what is in a model.")})
    >>> group.list_commands(click.Context(group))
    ['info']
    """

    def __init__(self, *arguments: Any, entries: Mapping[str, CommandEntry], **settings: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments, **settings)
        self.entries = dict(entries)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of those that are not hidden, in the order of the table."""
        return [name for name, entry in self.entries.items() if not entry.is_hidden]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, its module imported; None if there is none of that name."""
        entry = self.entries.get(cmd_name)
        if entry is None:
            return None
        module_name, _, attribute = entry.target.partition(":")
        command = getattr(_imported(module_name), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{entry.target} is not a command")
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands and options that begin so, from the table alone: somebody waits for them at a keyboard."""
        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        commands = [CompletionItem(name, help=self.entries[name].summary) for name in names]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments ask for, or a usage error with a suggestion."""
        name = args[0]
        if name not in self.entries and not name.startswith("-"):
            known = self.list_commands(ctx)
            close = difflib.get_close_matches(name, known, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            ctx.fail(f"No such command {name!r}. Commands: {', '.join(self.list_commands(ctx))}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list of commands from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.entries[name].summary) for name in self.list_commands(ctx)])


def _imported(name: str) -> ModuleType:
    """The module, imported without looking for garbage: of hundreds of modules, hardly anything is."""
    if name in sys.modules or not gc.isenabled():
        return importlib.import_module(name)
    gc.disable()
    try:
        return importlib.import_module(name)
    finally:
        gc.freeze()  # what has been imported stays: later collections pass it over
        gc.enable()
