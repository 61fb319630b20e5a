"""`deixis kb add`, `edit`, `remove`, `alias`, `sync`, `undo`, `log`, `diff`: the list of a model, changed in place."""

from __future__ import annotations

import functools
import getpass
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from deixis.cli.files import check_files, read_kb
from deixis.cli.list_options import list_options
from deixis.cli.options import CommandWithSettings
from deixis.cli.render_changes import MAX_ITEMS, change_lines, log_line
from deixis.cli.session import Session, examples, session_options
from deixis.kb.read_options import ReadOptions
from deixis.live import About, LiveModel
from deixis.store.change import Change

_RANGE = re.compile(r"(\d+)(?:-(\d+))?")


def change_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --author, --reason and --dry-run; the command receives them as `about`."""

    @functools.wraps(command)
    def with_about(*arguments: Any, author: str | None, reason: str, dry_run: bool, **values: Any) -> Any:  # noqa: ANN401
        about = About(author=user_name() if author is None else author, reason=reason, dry_run=dry_run)
        return command(*arguments, about=about, **values)

    decorated: Callable[..., Any] = with_about
    for option in (
        click.option("--dry-run", is_flag=True, help="Only show what would change."),
        click.option("--reason", metavar="TEXT", default="", help="Why, for the log."),
        click.option("--author", metavar="NAME", help="Who, for the log. [default: you]"),
    ):
        decorated = option(decorated)
    return decorated


@click.command(
    cls=CommandWithSettings,
    epilog=examples(
        "deixis kb add model new.csv",
        'deixis kb add model --id Q5690 --title Sparta --reason "was NIL"',
    ),
)
@click.argument("model", type=click.Path())
@click.argument("files", nargs=-1, type=click.Path())
@click.option("--id", "identifier", metavar="ID", help="Id of one new entity. [default: its title]")
@click.option("--title", metavar="NAME", help="Title of one new entity.")
@click.option("--alias", "aliases", multiple=True, metavar="NAME", help="Another name of it; may be repeated.")
@click.option("--description", metavar="TEXT", help="What it is.")
@click.option("--type", "types", multiple=True, metavar="TYPE", help="A type of it; may be repeated.")
@change_options
@list_options(is_in_line=True)
@session_options("json", "threads", "verify")
def add(
    session: Session,
    model: str,
    files: tuple[str, ...],
    identifier: str | None,
    title: str | None,
    aliases: tuple[str, ...],
    description: str | None,
    types: tuple[str, ...],
    about: About,
    reading: ReadOptions,
) -> None:
    """Add entities to the list of MODEL: those of FILES, or one that is described by options.

    They can be linked at once, in every process that uses MODEL. An id that the list has already is an error.
    """
    if bool(files) == (title is not None):
        raise click.UsageError("Give files of entities, or --title for one entity, and not both.")
    check_files(files)
    with _opened(session, model) as live:
        if files:
            change = live.add(read_kb(session, files, False, reading).entities(), **about)
        else:
            record = {"id": identifier or title, "title": title, "aliases": list(aliases), "types": list(types)}
            change = live.add(record | ({} if description is None else {"description": description}), **about)
    _show(session, change)


@click.command(
    cls=CommandWithSettings,
    epilog=examples(
        'deixis kb edit model Q90 --title "Paris, France"',
        "deixis kb edit model Q90 --field count=100 --field 'types=[\"city\"]'",
        "deixis kb edit model Q90 --field url=",
    ),
)
@click.argument("model", type=click.Path())
@click.argument("identifier", metavar="ID")
@click.option("--title", metavar="NAME", help="Its new title.")
@click.option("--description", metavar="TEXT", help="Its new description.")
@click.option("--field", "fields", multiple=True, metavar="NAME=VALUE", help="Another field, as text or JSON.")
@change_options
@session_options("json", "threads", "verify")
def edit(
    session: Session,
    model: str,
    identifier: str,
    title: str | None,
    description: str | None,
    fields: tuple[str, ...],
    about: About,
) -> None:
    """Replace fields of an entity in the list of MODEL: title, description, aliases, types, count, url, alt_ids.

    A field without a value is emptied. To add or remove one name: deixis kb alias.
    """
    named = {"title": title, "description": description}
    changes: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
    for field in fields:
        name, separator, value = field.partition("=")
        if not separator:
            raise click.UsageError(f"--field {field}: write NAME=VALUE, such as count=3.")
        changes[name] = _value(name, value)
    if not changes:
        raise click.UsageError("Say what to change: --title, --description or --field NAME=VALUE.")
    with _opened(session, model) as live:
        change = live.edit(identifier, changes, **about)
    _show(session, change)


@click.command(cls=CommandWithSettings, epilog=examples("deixis kb remove model Q90 Q167646 --dry-run"))
@click.argument("model", type=click.Path())
@click.argument("identifiers", metavar="ID...", nargs=-1, required=True)
@change_options
@session_options("json", "threads", "verify")
def remove(session: Session, model: str, identifiers: tuple[str, ...], about: About) -> None:
    """Remove entities from the list of MODEL, and corrections that name them; nothing is linked to them any more."""
    with _opened(session, model) as live:
        change = live.remove(identifiers, **about)
    _show(session, change)


@click.command(
    cls=CommandWithSettings,
    epilog=examples(
        'deixis kb alias model Q90 "City of Light"',
        "deixis kb alias model Q90 Parigi --lang it",
        "deixis kb alias model Q90 Lutetia --remove",
    ),
)
@click.argument("model", type=click.Path())
@click.argument("identifier", metavar="ID")
@click.argument("name")
@click.option("--lang", metavar="LANG", help="The language of the name.")
@click.option("--remove", "is_removed", is_flag=True, help="Remove the name instead.")
@change_options
@session_options("json", "threads", "verify")
def alias(
    session: Session, model: str, identifier: str, name: str, lang: str | None, is_removed: bool, about: About
) -> None:
    """Give an entity in the list of MODEL one more name, or take one away."""
    with _opened(session, model) as live:
        if is_removed:
            change = live.remove_alias(identifier, name, **about)
        else:
            change = live.add_alias(identifier, name if lang is None else {"text": name, "lang": lang}, **about)
    _show(session, change)


@click.command(
    cls=CommandWithSettings,
    epilog=examples("deixis kb sync model products.csv --dry-run", "deixis kb sync model products.csv"),
)
@click.argument("model", type=click.Path())
@click.argument("files", metavar="LIST...", nargs=-1, required=True, type=click.Path())
@click.option("--force", is_flag=True, help="Remove even more than half of all entities.")
@click.option("--skip-bad", is_flag=True, help="Skip and count lines that cannot be read.")
@change_options
@list_options(is_in_line=True)
@session_options("json", "threads", "verify")
def sync(
    session: Session,
    model: str,
    files: tuple[str, ...],
    force: bool,
    skip_bad: bool,
    about: About,
    reading: ReadOptions,
) -> None:
    """Bring the list of MODEL up to date with LIST, the files that it was built from, as they are now.

    What LIST added, changed or removed since it was last read becomes one change, which can be undone. What was changed
    by other commands, and not in LIST, stays.
    """
    check_files(files)
    with _opened(session, model) as live:
        kb = read_kb(session, files, skip_bad, reading)
        change = live.sync(kb, force=force, **about)
    _show(session, change)


@click.command(
    cls=CommandWithSettings,
    epilog=examples("deixis kb undo model", "deixis kb undo model 12", "deixis kb undo model 12-15 --dry-run"),
)
@click.argument("model", type=click.Path())
@click.argument("changes", metavar="[CHANGE[-CHANGE]]", required=False)
@change_options
@session_options("json", "threads", "verify")
def undo(session: Session, model: str, changes: str | None, about: About) -> None:
    """Take back a change of MODEL, or several: the last one, or those with these numbers (deixis kb log).

    MODEL answers as before. A change that later ones built on is refused, with their numbers. An undo is a change, too,
    and can be undone by its number.
    """
    which = None if changes is None else _RANGE.fullmatch(changes)
    if changes is not None and which is None:
        raise click.UsageError(f"{changes!r} is no change: write its number, such as 12, or a range, such as 12-15.")
    span = None if which is None else (int(which[1]), int(which[2] or which[1]))
    with _opened(session, model) as live:
        change = live.undo(span, **about)
    _show(session, change)


@click.command(cls=CommandWithSettings, epilog=examples("deixis kb log model", "deixis kb log model --last 100 --json"))
@click.argument("model", type=click.Path())
@click.option(
    "--last", type=click.IntRange(min=1), metavar="N", default=20, show_default=True, help="How many changes."
)
@click.option("--since", type=click.IntRange(min=0), metavar="CHANGE", default=0, help="Only those after this one.")
@session_options("json")
def log(session: Session, model: str, last: int, since: int) -> None:
    """List the changes of MODEL since it was built, the newest first: entities, names and corrections."""
    with _opened(session, model) as live:
        changes = live.log(last, since)
    if session.is_json:
        for change in changes:
            click.echo(json.dumps(change.to_dict(), ensure_ascii=False))
        return
    for change in changes:
        click.echo(log_line(change))
    if not changes:
        click.echo("no changes")


@click.command(
    cls=CommandWithSettings,
    epilog=examples("deixis kb diff model", "deixis kb diff model 12", "deixis kb diff model 12 15 --json"),
)
@click.argument("model", type=click.Path())
@click.argument("first", metavar="[AFTER]", type=click.IntRange(min=0), default=0)
@click.argument("last", metavar="[UP_TO]", type=click.IntRange(min=0), required=False)
@click.option("--all", "is_all", is_flag=True, help=f"Show every difference, not {MAX_ITEMS} of each kind.")
@session_options("json")
def diff(session: Session, model: str, first: int, last: int | None, is_all: bool) -> None:
    """Show what changes of MODEL come to together: all, those after a change, or those up to another one."""
    with _opened(session, model) as live:
        change = live.diff(first, last)
    _show(session, change, len(change.items) if is_all else MAX_ITEMS)


def user_name() -> str:
    """The name of whoever runs the command; nothing if the system does not know."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


@contextmanager
def _opened(session: Session, model: str) -> Iterator[LiveModel]:
    live = LiveModel.open(model, session.threads, verify=session.verify)
    try:
        yield live
    finally:
        live.close()


def _show(session: Session, change: Change, max_items: int = MAX_ITEMS) -> None:
    if session.is_json:
        click.echo(json.dumps(change.to_dict(), ensure_ascii=False))
        return
    for line in change_lines(change, max_items):
        click.echo(line)


def _value(name: str, text: str) -> Any:  # noqa: ANN401 - any JSON
    """A value as JSON if it is a list, a table or a number of a field that has these; else as text."""
    if not text:
        return None
    if name == "count" or text[0] in "[{":
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text
