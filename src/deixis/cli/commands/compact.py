"""`deixis compact`: the changes of a model written into its folder."""

from __future__ import annotations

import json

import click

from deixis.cli.options import CommandWithSettings
from deixis.cli.session import Session, examples, session_options
from deixis.cli.timing import model_summary
from deixis.live import LiveModel


@click.command(cls=CommandWithSettings, epilog=examples("deixis compact model"))
@click.argument("model", type=click.Path())
@session_options("json", "threads", "verify")
def compact(session: Session, model: str) -> None:
    """Write the changes of MODEL into its folder: it opens faster, and can be copied without its journal.

    The model answers as before, and can be used and changed meanwhile. The journal stays: changes can still be undone.
    """
    with session.watching():
        live = LiveModel.open(model, session.threads, verify=session.verify)
        generation = live.compact()
        live.close()
    if session.is_json:
        click.echo(json.dumps(model_summary(model, session.started, generation=generation)))
    session.note(f"Model written to {model}, with all changes up to {generation}.")
