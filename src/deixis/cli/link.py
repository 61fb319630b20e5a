"""`deixis link`: texts in, linked documents out."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Iterator
from typing import TextIO

import click

from deixis.cli.examples import examples
from deixis.cli.models import BATCH_SIZE, batches, gloss_of, load_linker
from deixis.cli.output import output_stream
from deixis.cli.render import candidate_table, console_on, marked_text
from deixis.cli.session import Session, session_options
from deixis.documents.reading import read_documents
from deixis.documents.writing import write_documents
from deixis.linking.linker import Linker
from deixis.progress import track
from deixis.types import Document

CASE_HINT = "To find names also in another case than the knowledge base has: deixis build --detection-case ignore"


@click.command(
    epilog=examples(
        'echo "To save Troy, Paris had to die." | deixis link model --pretty',
        "deixis link model letters/*.txt -o links.jsonl",
        "deixis link model --lines headlines.txt --threshold 0.5",
        "deixis link model spans.jsonl.gz     # with mentions of their own",
    )
)
@click.argument("model", type=click.Path())
@click.argument("files", nargs=-1, type=click.Path())
@click.option("-o", "--output", help="Write to this file instead of stdout; .gz, .bz2 and .xz compress.")
@click.option("--lines", is_flag=True, help="Plain text: every line is a document, not every file.")
@click.option("--format", "format_", help="native (JSON lines), text or lines. [default: the file's name tells]")
@click.option("--top-k", type=click.IntRange(min=1), help="Candidates to keep for each mention.")
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    help="Leave a mention unlinked (NIL) below this confidence.",
)
@click.option("--json/--pretty", "is_json", default=True, help="JSON lines for programs, or marked text for people.")
@session_options("threads")
def link(
    session: Session,
    model: str,
    files: tuple[str, ...],
    output: str | None,
    lines: bool,
    format_: str | None,
    top_k: int | None,
    threshold: float | None,
    is_json: bool,
) -> None:
    """Find the names in texts and link each to an entity of MODEL's knowledge base.

    FILES hold plain text or JSON-lines documents ({"id", "text", "mentions": [{"start", "end"}]}), compressed or not;
    without a file, or with -, stdin is read. A document that brings mentions has those linked; in the others, names
    are looked for. One JSON document a line comes out.
    """
    if lines and format_ not in (None, "lines"):
        raise click.UsageError(f"--lines and --format {format_} contradict each other.")
    documents = _read_all(files or ("-",), "lines" if lines else format_)
    with session.watching(), output_stream(output) as stream:
        linker = load_linker(model, session, top_k, threshold)
        n_documents = n_nameless = 0
        is_dialogue = not files and sys.stdin.isatty()
        for batch in batches(track(documents, "linking"), 1 if is_dialogue else BATCH_SIZE):
            linked = linker.link(batch)
            n_documents += len(linked)
            n_nameless += sum(not document.mentions and bool(document.text.strip()) for document in linked)
            if is_json:
                write_documents(linked, stream)
            else:
                _print_pretty(linked, linker, stream)
            stream.flush()
        if n_nameless and linker.config.detection.case == "smart":
            session.note(f"Documents without a known name: {n_nameless:,} of {n_documents:,}. {CASE_HINT}")


def _read_all(files: Iterable[str], format_: str | None) -> Iterator[Document]:
    return itertools.chain.from_iterable(read_documents(path, format_) for path in files)


def _print_pretty(documents: Iterable[Document], linker: Linker, stream: TextIO) -> None:
    console = console_on(stream)
    gloss = gloss_of(linker.kb)
    for document in documents:
        console.print(marked_text(document))
        if document.mentions:
            console.print()
            console.print(candidate_table(document, gloss))
        console.print()
