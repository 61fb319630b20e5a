"""`deixis kb`: what is in a knowledge base file, what is odd about it, and how much of some gold it covers."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import click

from deixis.cli.files import check_files, known_format, read_entities
from deixis.cli.lazy_group import CommandEntry, LazyGroup
from deixis.cli.list_options import list_options
from deixis.cli.options import CommandWithSettings, GivenSettings, settings_from
from deixis.cli.output import output_stream, printable
from deixis.cli.render import console_on
from deixis.cli.render_tables import print_coverage
from deixis.cli.session import Session, examples, session_options
from deixis.detection.names import is_findable
from deixis.detection.words import common_words
from deixis.documents.formats import READERS
from deixis.documents.reading import read_documents
from deixis.errors import DataError
from deixis.evaluation.linking.upper_bound import LanguageBound, UpperBounds, coverage_rows
from deixis.evaluation.pairing import distinct
from deixis.evaluation.suites import shared_suite, suite_names, write_rows
from deixis.kb.checking.check import CheckConfig, KbReport, check_file
from deixis.kb.languages import language_test
from deixis.kb.read_options import ReadOptions
from deixis.progress import track

SIGNS = {"error": ("BAD ", "red"), "warning": ("odd ", "yellow")}
N_LANGUAGES = 12
ALL = "all"
COMMANDS = {
    "check": CommandEntry("deixis.cli.commands.kb:check", "Report what is in a file and what is odd about it."),
    "import": CommandEntry("deixis.cli.commands.kb_import:import_", "Write the entities of dumps as a list."),
    "coverage": CommandEntry("deixis.cli.commands.kb:coverage", "Report how many gold entities are in the KB."),
    "add": CommandEntry("deixis.cli.commands.kb_changes:add", "Add entities to a model."),
    "edit": CommandEntry("deixis.cli.commands.kb_changes:edit", "Replace fields of an entity of a model."),
    "remove": CommandEntry("deixis.cli.commands.kb_changes:remove", "Remove entities from a model."),
    "alias": CommandEntry("deixis.cli.commands.kb_changes:alias", "Give an entity one more name, or take one away."),
    "sync": CommandEntry("deixis.cli.commands.kb_changes:sync", "Bring a model up to date with its list."),
    "undo": CommandEntry("deixis.cli.commands.kb_changes:undo", "Take back changes of a model."),
    "log": CommandEntry("deixis.cli.commands.kb_changes:log", "List the changes of a model."),
    "diff": CommandEntry("deixis.cli.commands.kb_changes:diff", "Show what changes come to together."),
}


@click.group(
    cls=LazyGroup,
    entries=COMMANDS,
    epilog=examples(
        "deixis kb check entities.jsonl",
        "deixis kb coverage entities.jsonl gold.jsonl",
        "deixis kb sync model entities.jsonl",
    ),
)
def kb() -> None:
    """Check knowledge base files before building, and change the list of a model after it."""


@click.command(
    cls=CommandWithSettings,
    epilog=examples(
        "deixis kb check entities.jsonl",
        'deixis kb check products.csv.gz --columns "id=SKU,title=Product Name"',
        "zcat dump.gz | deixis kb check - --format jsonl --json",
    ),
)
@click.argument("files", nargs=-1, required=True, type=click.Path())
@list_options()
@settings_from(CheckConfig, has_file=False)
@session_options("json")
def check(session: Session, files: tuple[str, ...], reading: ReadOptions, settings: GivenSettings[CheckConfig]) -> int:
    """Show how lists are understood, and what is odd about them, with line numbers and commands that mend it.

    Nothing is built. What is guessed can be overruled, here and in deixis build. The exit code is 1 if a list could
    not be built from as it is.
    """
    is_fine = True
    with session.watching():
        for path in files:
            report = check_file(path, settings.config, reading, is_findable=is_findable, is_ordinary=is_ordinary)
            is_fine = is_fine and report.ok
            if session.is_json:
                click.echo(json.dumps(report.to_dict(), ensure_ascii=False))
            else:
                for line in _lines(report):
                    click.echo(line)
            sys.stdout.flush()
    return int(not is_fine)


@click.command(
    cls=CommandWithSettings,
    epilog=examples(
        "deixis kb coverage entities.jsonl gold.jsonl",
        "deixis kb coverage model news.jsonl web.jsonl --json",
    ),
)
@click.argument("kb", type=click.Path())
@click.argument("data", nargs=-1, required=True, type=click.Path(), metavar="DATA...")
@click.option("--format", "format_", metavar="NAME", help="Format of DATA, such as aida. [default: guessed]")
@click.option("--skip-duplicates", is_flag=True, help="Of documents with the same id, count the first.")
@click.option("-o", "--output", metavar="FILE", help="Write rows of results as JSON lines.")
@click.option("--suite", metavar="NAME", help="Name of the suite in the rows. [default: KB/DATA]")
@session_options("json", "seed", "verify")
def coverage(
    session: Session,
    kb: str,
    data: tuple[str, ...],
    format_: str | None,
    skip_duplicates: bool,
    output: str | None,
    suite: str | None,
) -> None:
    """Report how many gold entities of DATA are in the knowledge base KB, a model or a file of entities.

    Nothing is linked: no linker finds more. Mentions and distinct entities are counted, by language of the document,
    against all entities and against those that have a name or a description in that language.
    """
    known_format(format_, READERS)
    check_files((kb, *data))
    if output not in (None, "-") and os.path.realpath(output) in map(os.path.realpath, (kb, *data)):
        raise click.UsageError(f"{output!r} is read and would be written over: give the results another name.")
    with session.watching(), ExitStack() as files:
        stream = files.enter_context(output_stream(output)) if output is not None or session.is_json else None
        suite_to_bounds = _coverage(session, kb, data, format_, skip_duplicates, suite)
        if stream is not None:
            write_rows(coverage_rows(suite_to_bounds), stream)
    if not session.is_json and output != "-":
        for name, bounds in suite_to_bounds.items():
            print_coverage(console_on(sys.stdout), name, bounds)


def _coverage(
    session: Session, kb: str, data: tuple[str, ...], format: str | None, skip_duplicates: bool, suite: str | None
) -> dict[str, list[LanguageBound]]:
    """Suite -> its bounds; with several files, also of all files together."""
    entities = read_entities(kb, session)
    has_language = language_test(entities, entities.row_of) if entities.langs else None
    if has_language is None:
        session.note("Note: no name or description of the knowledge base has a language: no part to compare with.")
    together = UpperBounds(entities.own_id, has_language)
    suite_to_bounds = {}
    for name, path in zip(suite_names(kb, data, suite), data, strict=True):
        bounds, skipped = UpperBounds(entities.own_id, has_language), dict[str, int]()
        documents = read_documents(path, format)
        for document in track(
            distinct(documents, path, skipped) if skip_duplicates else documents, f"reading {Path(path).name}"
        ):
            bounds.add(document)
            together.add(document)
        if not bounds.n_linked:
            raise DataError("has no gold to look for: no mention has an 'entity' that is not null", path=path)
        if skipped.get(path):
            session.note(f"Note: {path}: skipped {skipped[path]:,} whose id came before.")
        suite_to_bounds[name] = bounds.all(session.seed)
    if len(data) > 1:
        suite_to_bounds[shared_suite(suite_to_bounds, ALL)] = together.all(session.seed)
    return suite_to_bounds


def is_ordinary(name: str) -> bool:
    """Whether a name is one of the commonest words of English."""
    return name.casefold() in _ordinary_words()


@cache
def _ordinary_words() -> frozenset[str]:
    return frozenset(common_words())


def _lines(report: KbReport) -> Iterator[str]:
    """How the list is understood, then what matters; nothing about what is not there."""
    yield from map(printable, report.understood.lines())
    covered = [f"{kind} {_percent(fraction)}" for kind, fraction in report.coverage.items() if fraction]
    having = f"; with {', '.join(covered)}" if covered else ", names only"
    yield f"  {report.n_entities:,} entities in {report.n_lines:,} records, {report.n_aliases:,} aliases{having}"
    if report.languages:
        by_use = sorted(report.languages.items(), key=lambda item: -sum(item[1].values()))
        shown = ", ".join(lang for lang, _ in by_use[:N_LANGUAGES])
        yield f"  languages: {shown}{', ...' if len(by_use) > N_LANGUAGES else ''}"
    for finding in report.findings:
        sign, colour = SIGNS.get(finding.severity, ("    ", ""))
        yield f"{click.style(sign, fg=colour or None)}{finding.meaning} ({finding.count:,})"
        for example in finding.examples:
            where = f"line {example.line}: " if example.line else ""
            yield f"      {where}{printable(example.detail)}"
        if finding.advice:
            yield f"      -> {printable(finding.advice)}"
    yield "Fine: this can be built." if report.ok else "Not fine: see the lines marked BAD."


def _percent(fraction: float) -> str:
    return "under 1%" if fraction < 0.01 else f"{fraction:.0%}"
