"""`deixis nil`: what documents mention and the knowledge base lacks, as entities to add."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import click
from rich.table import Table
from rich.text import Text

from deixis.cli.files import check_files, read_in_batches
from deixis.cli.link_options import link_options, load_linker
from deixis.cli.options import CommandWithSettings
from deixis.cli.output import output_stream, printable
from deixis.cli.render import console_on
from deixis.cli.session import Session, examples, session_options
from deixis.documents.formats import READERS
from deixis.explanation import MIN_COUNT
from deixis.explanation.unlinked import NewEntity
from deixis.linking.options import LinkOptions
from deixis.progress import track
from deixis.types import Document

BATCH_SIZE = 64  # documents linked together
N_SHOWN = 30  # entities in the table unless --top says otherwise


@click.command(
    cls=CommandWithSettings,
    heading="Input and output",
    epilog=examples(
        "deixis nil model letters/*.txt",
        "deixis nil model news.jsonl --min-count 5 -o new.jsonl",
        "deixis link model news.jsonl | deixis nil model - --linked --json",
    ),
)
@click.argument("model", type=click.Path())
@click.argument("files", nargs=-1, type=click.Path())
@click.option("-o", "--output", metavar="FILE", help="Write the entities here, as JSON lines that can be edited.")
@click.option(
    "--format",
    "format_",
    metavar="FORMAT",
    shell_complete=lambda context, option, start: [name for name in READERS if name.startswith(start)],
    help="Format of FILES, as deixis link reads them. [default: detected]",
)
@click.option("--linked", "is_linked", is_flag=True, help="FILES are linked already, by deixis link.")
@click.option(
    "--min-count",
    type=click.IntRange(min=1),
    metavar="N",
    default=MIN_COUNT,
    show_default=True,
    help="Fewest mentions of a new entity.",
)
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Only the N most frequent.")
@link_options("threshold", "target_precision", "names", "rerank")
@session_options("json", "threads", "verify")
def nil(
    session: Session,
    model: str,
    files: tuple[str, ...],
    output: str | None,
    format_: str | None,
    is_linked: bool,
    min_count: int,
    top: int | None,
    options: LinkOptions,
) -> None:
    """List what documents mention that MODEL's knowledge base lacks, as entities to add to it.

    FILES are linked; mentions that mean nothing known are grouped by name and context and counted. Mentions that a
    document brings are used; in raw text, names are found by their capitals. With -o or --json, each line is an entity
    to edit and add to the list; "near" names entities that an alias may fit better.
    """
    if is_linked and options != LinkOptions():
        raise click.UsageError("With --linked nothing is linked: leave out the options of linking.")
    if output is None and session.is_json:
        output = "-"
    check_files(files)
    with session.watching(), ExitStack() as stack:
        stream = None if output is None else stack.enter_context(output_stream(output))
        linker = load_linker(model, session, options)
        seen = _Counted(read_in_batches(files or ("-",), format_, BATCH_SIZE))
        entities = linker.unlinked(seen.documents(), options, is_linked=is_linked, min_count=min_count, top=top)
        if stream is not None:
            for entity in entities:
                stream.write(json.dumps(entity.to_record(), ensure_ascii=False) + "\n")
    if output != "-":
        shown = entities if top is not None else entities[:N_SHOWN]
        _print(shown)
        if len(shown) < len(entities):
            session.note(f"{len(entities) - len(shown):,} more: --top {len(entities)} shows them, -o FILE writes them.")
    if not entities:
        session.note(f"No unlinked name has {min_count:,} mentions or more in {seen.n:,} documents.")
    elif output not in (None, "-"):
        session.note(
            f"New entities written to {output}: {len(entities):,}. Edit the file, then: deixis kb check {output}"
        )


class _Counted:
    """Documents of batches, counted as they pass."""

    def __init__(self, batches: Iterator[list[Document]]) -> None:
        self._batches = batches
        self.n = 0

    def documents(self) -> Iterator[Document]:
        for document in track((document for batch in self._batches for document in batch), "linking"):
            self.n += 1
            yield document


def _print(entities: Sequence[NewEntity]) -> None:
    """A block of lines for each entity: its title, counts and an example, other names, and near entities."""
    if not entities:
        return
    table = Table(box=None, padding=(0, 1), pad_edge=False, expand=True)
    table.add_column("new entity", no_wrap=True, overflow="ellipsis", ratio=2)
    table.add_column("mentions", no_wrap=True, justify="right")
    table.add_column("documents", no_wrap=True, justify="right")
    table.add_column("example", no_wrap=True, overflow="ellipsis", ratio=3)
    for entity in entities:
        example = _around(entity)
        table.add_row(_text(entity.title, "bold"), f"{entity.n_mentions:,}", f"{entity.n_documents:,}", example)
        if entity.aliases:
            table.add_row("", "", "", _text(f"also: {', '.join(entity.aliases)}", "dim"))
        for each in entity.near[:1]:
            identifier = "" if each.id == each.title else f" ({each.id})"
            table.add_row("", "", "", _text(f"near: {each.title}{identifier}", "yellow"))
    console_on(sys.stdout).print(table)


def _around(entity: NewEntity) -> Text:
    """The first example, cut so that the name is in sight."""
    if not entity.examples:
        return Text("")
    text = entity.examples[0].text
    starts = [text.casefold().find(name.casefold()) for name in (entity.title, *entity.aliases)]
    start = next((each for each in starts if each >= 0), 0)
    begin = text.rfind(" ", 0, max(start - 12, 0)) + 1
    return _text(("…" if begin else "") + text[begin:], "dim")


def _text(text: str, style: str) -> Text:
    return Text(printable(text), style=style)
