"""`deixis kb check`: what is in a knowledge base file, and what is odd about it, before anything is built."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import click

from deixis.cli.examples import examples
from deixis.cli.options import CommandWithSettings, GivenSettings, settings_from
from deixis.cli.render import bar, printable
from deixis.cli.session import Session, session_options
from deixis.detection.dictionary import is_findable
from deixis.kb.checking.check import CheckConfig, KbReport, check_file

SIGNS = {"error": ("BAD ", "red"), "warning": ("odd ", "yellow")}
N_LANGUAGES = 12


@click.command(
    cls=CommandWithSettings,
    epilog=examples(
        "deixis kb check entities.jsonl",
        "deixis kb check products.csv.gz subjects.tsv",
        "zcat dump.gz | deixis kb check - --format jsonl --json",
    ),
)
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option("--format", "format_", metavar="NAME", help="jsonl, csv, tsv or annif-tsv. [default: the file tells]")
@settings_from(CheckConfig, has_file=False)
@session_options("json")
def check(session: Session, files: tuple[str, ...], format_: str | None, settings: GivenSettings[CheckConfig]) -> int:
    """Report what is in knowledge base FILES and what is odd about them, with line numbers.

    Nothing is built. The exit code is 1 if a file could not be built from as it is; what is merely odd does not change
    the exit code. Lines marked BAD can be left out with: deixis build --skip-bad
    """
    is_fine = True
    with session.watching():
        for path in files:
            report = check_file(path, settings.config, format=format_, is_findable=is_findable)
            is_fine = is_fine and report.ok
            if session.is_json:
                click.echo(json.dumps(report.to_dict(), ensure_ascii=False))
            else:
                for line in _lines(report):
                    click.echo(line)
            sys.stdout.flush()
    return int(not is_fine)


def _lines(report: KbReport) -> Iterator[str]:
    yield f"{report.path}: {report.format}, {report.mapping}" if report.mapping else f"{report.path}: {report.format}"
    yield f"  {report.n_entities:,} entities in {report.n_lines:,} lines, {report.n_aliases:,} aliases"
    for kind, share in report.coverage.items():
        yield f"  {kind:<12} {bar(share, 20)} {share:4.0%}"
    if report.languages:
        by_use = sorted(report.languages.items(), key=lambda item: -sum(item[1].values()))
        shown = ", ".join(lang for lang, _ in by_use[:N_LANGUAGES])
        yield f"  languages: {shown}{', ...' if len(by_use) > N_LANGUAGES else ''}"
    for finding in report.findings:
        sign, colour = SIGNS.get(finding.severity, ("    ", ""))
        yield f"{click.style(sign, fg=colour or None)}{finding.meaning} ({finding.count:,})"
        if finding.advice:
            yield f"      ({finding.advice})"
        for example in finding.examples:
            where = f"line {example.line}: " if example.line else ""
            yield f"      {where}{printable(example.detail)}"
    yield "Fine: this can be built." if report.ok else "Not fine: see the lines marked BAD."
