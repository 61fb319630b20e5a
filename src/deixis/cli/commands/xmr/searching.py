"""`--beam` and `--shortlist` of `deixis xmr predict` and `eval`: how wide a model is searched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]


def search_options(command: Command) -> Command:
    """Adds both options."""
    shortlist = click.option(
        "--shortlist", type=click.IntRange(min=1), metavar="N", help="Labels scored by ELIAS. [default: as trained]"
    )
    beam = click.option(
        "--beam", type=click.IntRange(min=1), metavar="N", help="Nodes or clusters searched. [default: as trained]"
    )
    return beam(shortlist(command))
