"""`deixis link`: texts in, linked documents out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TextIO

import click

from deixis.cli.batch_report import link_in_shards
from deixis.cli.expectations import report_expectation
from deixis.cli.files import known_format, read_in_batches
from deixis.cli.link_options import link_options, load_linker
from deixis.cli.options import CommandWithSettings
from deixis.cli.output import output_stream
from deixis.cli.session import Session, examples, session_options
from deixis.detection.recognizers import SpacyRecognizer
from deixis.documents.formats import READERS, WRITERS
from deixis.documents.html_text import in_source
from deixis.documents.writing import write_documents
from deixis.linker import Linker
from deixis.linking.options import LinkOptions
from deixis.linking.plan import LinkPlan
from deixis.progress import track
from deixis.types import Document

BATCH_SIZE = 256  # documents linked together
NAMES_HINT = "To link also names that are probably meant otherwise: --names every"


@click.command(
    cls=CommandWithSettings,
    heading="Input and output",
    epilog=examples(
        'echo "To save Troy, Paris had to die." | deixis link model --pretty',
        "deixis link model letters/*.txt -o links.jsonl",
        "tail -f messages.log | deixis link model --lines --type city --to csv",
        "deixis link model articles/ -o links/ --workers 8",
    ),
)
@click.argument("model", type=click.Path())
@click.argument("files", nargs=-1, type=click.Path())
@click.option("-o", "--output", metavar="FILE", help="Write here, not to stdout; .gz, .bz2, .xz and .zst compress.")
@click.option(
    "--format",
    "format_",
    metavar="FORMAT",
    shell_complete=lambda context, option, start: [name for name in READERS if name.startswith(start)],
    help=f"{', '.join(READERS)}. [default: detected]",
)
@click.option(
    "--to",
    "to",
    metavar="FORMAT",
    shell_complete=lambda context, option, start: [name for name in WRITERS if name.startswith(start)],
    help=f"{', '.join(WRITERS)}. [default: native]",
)
@click.option("--lines", "is_lines", is_flag=True, hidden=True, help="The same as --format lines.")
@click.option("--html", "is_html", is_flag=True, hidden=True, help="The same as --format html.")
@click.option("--json/--pretty", "is_json", default=True, help="JSON lines for programs, or marked text for people.")
@click.option("--ner", metavar="PIPELINE", help="Link the entities of this spaCy pipeline, too.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Link files with N processes into the folder -o; a rerun goes on.",
)
@link_options()
@session_options("threads", "verify")
def link(
    session: Session,
    model: str,
    files: tuple[str, ...],
    output: str | None,
    format_: str | None,
    to: str | None,
    is_lines: bool,
    is_html: bool,
    is_json: bool,
    ner: str | None,
    workers: int | None,
    options: LinkOptions,
) -> None:
    """Find the names in texts and link each to an entity of MODEL's knowledge base.

    FILES hold plain text, JSON-lines documents ({"id", "text", "mentions": [{"start", "end"}]}) or another format,
    compressed or not; without a file, or with -, stdin is read. Mentions that a document brings are linked; in other
    documents they are detected. With --type, --ids or --language, other entities are no candidates. Formats:
    docs/reference/formats.md
    """
    if to is not None and not is_json:
        raise click.UsageError(f"--pretty and --to {to} contradict each other.")
    known_format(to, WRITERS)
    if workers is not None:
        if output is None or not files or not is_json:
            raise click.UsageError("--workers links FILES into a folder: give both, with -o, and no --pretty.")
        how = {"format": _format(format_, is_lines, is_html), "to": to or "native", "ner": ner}
        with session.watching():
            link_in_shards(session, model, files, output, options, n_workers=workers, **how)
        return
    batches = read_in_batches(files or ("-",), _format(format_, is_lines, is_html), BATCH_SIZE)
    with session.watching(), output_stream(output) as stream:
        linker = load_linker(model, session, options)  # what is wrong with the options is said before anything is read
        if options.target_precision is not None:
            plan = LinkPlan.of(linker.model, options, detects=False)
            report_expectation(session, plan.deciding, options.rerank)
        recognizer = None if ner is None else SpacyRecognizer.load(ner)
        written = _Written(stream)
        linked = written.each(
            linker.link_many(batch, options, recognizer=recognizer, batch_size=BATCH_SIZE) for batch in batches
        )
        if not is_json:
            _print_pretty(linked, linker, stream)
        else:
            for_people = to == "html"
            write_documents(linked if for_people else map(in_source, linked), stream, to or "native", output or "-")
        if written.n_nameless and not options.only and options.names != "every":
            nameless = f"{written.n_nameless:,} of {written.n_documents:,}"
            session.note(f"Documents without a known name: {nameless}. {NAMES_HINT}")


def _format(name: str | None, is_lines: bool, is_html: bool) -> str | None:
    names = [*([name] if name is not None else []), *["lines"] * is_lines, *["html"] * is_html]
    if len(set(names)) > 1:
        raise click.UsageError(f"Input has one format, not {' and '.join(names)}.")
    return names[0] if names else None


class _Written:
    """Counts the documents that a writer takes, and those without a mention; after each batch they are flushed."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.n_documents = self.n_nameless = 0

    def each(self, batches: Iterable[Iterable[Document]]) -> Iterator[Document]:
        flushed = (document for batch in batches for document in self._flushed(batch))
        for document in track(flushed, "linking"):
            self.n_documents += 1
            self.n_nameless += not document.mentions and bool(document.text.strip())
            yield document

    def _flushed(self, batch: Iterable[Document]) -> Iterator[Document]:
        """The documents of a batch; what was written of them goes out before the next batch is waited for."""
        yield from batch
        self._stream.flush()


def _print_pretty(documents: Iterable[Document], linker: Linker, stream: TextIO) -> None:
    from deixis.cli.render import candidate_table, console_on, gloss_of, marked_text  # its libraries are slow to import

    console = console_on(stream)
    gloss = gloss_of(linker.kb)
    for document in documents:
        console.print(marked_text(document))
        if document.mentions:
            console.print()
            console.print(candidate_table(document, gloss))
        console.print()
