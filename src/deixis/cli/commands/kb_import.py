"""`deixis kb import`: dumps of Wikipedia and Wikidata to a list of entities, and to annotated texts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

import click

from deixis.cli.files import check_files
from deixis.cli.list_options import list_options
from deixis.cli.options import CommandWithSettings
from deixis.cli.output import check_output, output_stream
from deixis.cli.session import Session, examples, session_options
from deixis.kb.dumps.importing import DumpImport, ImportReport
from deixis.kb.read_options import ReadOptions
from deixis.progress import track

BAD = ".bad.jsonl"
PARTS = ".parts"
N_SHOWN = 3


@click.command(
    "import",
    cls=CommandWithSettings,
    epilog=examples(
        "deixis kb import enwiki_content-*.json.bz2 -o enwiki.jsonl.gz",
        "deixis kb import enwiki-*-pages-articles*.xml*.bz2 -o enwiki.jsonl.gz",
        '    --mentions enwiki-mentions.jsonl.gz --query "count=5" --skip-bad',
        "deixis kb import damuel_1.0_en/*.xz damuel_1.0_wikidata/*.xz -o damuel.jsonl",
    ),
)
@click.argument("dumps", nargs=-1, required=True, type=click.Path(), metavar="DUMP...")
@click.option("-o", "--output", required=True, metavar="FILE", help="JSON lines; .gz, .bz2, .xz and .zst compress.")
@click.option("--mentions", metavar="FILE", help="Texts with their links as mentions, as JSON lines.")
@click.option("--workers", type=click.IntRange(min=0), metavar="N", default=0, help="Processes; 0: one a processor.")
@click.option("--skip-bad", is_flag=True, help=f"Leave bad records out, and list them in FILE{BAD}.")
@list_options("--query", "--format", "--limits")
@session_options("json")
def import_(
    session: Session,
    dumps: tuple[str, ...],
    output: str,
    mentions: str | None,
    workers: int,
    skip_bad: bool,
    reading: ReadOptions,
) -> None:
    """Write the entities of dumps of Wikipedia or Wikidata as a list, with little memory and several processes.

    The list is for deixis build. What is done when the command is stopped is not done again by the next. Mentions have
    titles or Wikidata ids as entities, for deixis fit and deixis eval.
    """
    check_files(dumps)
    for path in (output, mentions):
        if path is not None:
            _check_target(path, dumps)
    folder = Path(f"{output}{PARTS}")
    with session.watching():
        work = DumpImport.of(dumps, folder, reading, has_texts=mentions is not None, skip_bad=skip_bad)
        report = work.run(workers or os.cpu_count() or 1)
        _write(work.entities(), output, "writing entities")
        if mentions is not None:
            _write(work.texts(), mentions, "writing texts")
        if report.bad:
            _write(_bad_lines(report), f"{output}{BAD}", "writing bad records")
        work.remove_parts()
    _report(session, report, output)


def _check_target(path: str, dumps: tuple[str, ...]) -> None:
    if path == "-":
        raise click.UsageError("The outputs are files: give a name, not '-'.")
    if os.path.realpath(path) in map(os.path.realpath, dumps):
        raise click.UsageError(f"{path!r} is read and would be written over: give the output another name.")
    check_output(path)


def _write(lines: Iterable[str], path: str, label: str) -> None:
    with output_stream(path) as stream:
        for line in track(lines, label):
            stream.write(line)


def _bad_lines(report: ImportReport) -> Iterator[str]:
    for path, line, reason in report.bad:
        yield json.dumps({"path": path, "line": line, "reason": reason}, ensure_ascii=False) + "\n"


def _report(session: Session, report: ImportReport, output: str) -> None:
    if session.is_json:
        values = asdict(report) | {"bad": len(report.bad)}
        click.echo(json.dumps(values))
        return
    if report.n_done_before:
        session.note(f"{report.n_done_before} of {report.n_shards} parts were done before.")
    texts = f" and {report.n_documents:,} texts" if report.n_documents else ""
    session.note(f"{report.n_entities:,} entities{texts} of {report.n_records:,} records.")
    for path, line, reason in report.bad[:N_SHOWN]:
        session.note(f"Skipped: {path}, line {line}: {reason}")
    if report.bad:
        session.note(f"Skipped in all: {len(report.bad):,}, see {output}{BAD}")
