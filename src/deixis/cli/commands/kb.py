"""`deixis kb`: looking at knowledge base files before anything is built from them."""

from __future__ import annotations

import click

from deixis.cli.lazy_group import CommandEntry, LazyGroup

COMMANDS = {
    "check": CommandEntry("deixis.cli.commands.kb_check:check", "Report what is in a file and what is odd about it."),
}


@click.group(cls=LazyGroup, entries=COMMANDS, epilog="\b\nExample:\n  deixis kb check entities.jsonl")
def kb() -> None:
    """Look at knowledge base files before building."""
