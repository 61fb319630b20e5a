"""`deixis eval --upper-bound`: how much of the gold a knowledge base holds, by language; nothing is linked."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from deixis.cli.evaluation_plan import STDIN, Asked, data_name, numbered, suite_name
from deixis.cli.evaluation_rows import write_rows
from deixis.cli.evaluation_tables import table_of
from deixis.cli.known_entities import read_entities
from deixis.cli.link_options import given_flags
from deixis.cli.output import output_stream
from deixis.cli.render import console_on
from deixis.cli.session import Session
from deixis.documents.reading import read_documents
from deixis.errors import DataError
from deixis.evaluation.linking.upper_bound import HasLanguage, LanguageBound, UpperBounds
from deixis.evaluation.pairing import distinct
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.kb.languages import known_in
from deixis.progress import track

SYSTEM = "knowledge-base"
ALL = "all"


def tell_upper_bounds(session: Session, asked: Asked, output: str | None, report: str | None) -> None:
    """Writes how much of the gold is known: a table for a person, rows for programs."""
    check_upper_bound(asked, report)
    with session.watching(), ExitStack() as files:
        stream = None if output is None else files.enter_context(output_stream(output))
        figures = upper_bound_figures(asked, session)
        if stream is not None:
            write_rows(upper_bound_rows(figures), stream)
    if session.is_json and output is None:
        write_rows(upper_bound_rows(figures), sys.stdout)
    elif not session.is_json and output != STDIN:
        for suite, bounds in figures.items():
            print_upper_bounds(console_on(sys.stdout), suite, bounds)


def check_upper_bound(asked: Asked, report: str | None) -> None:
    """Raises a usage error for words that have no meaning where nothing is linked."""
    others = {
        "--predictions": asked.predictions, "--compare": asked.compare, "--end-to-end": asked.is_end_to_end,
        "--at": asked.at, "--report": report,
    }  # fmt: skip
    given = [*(option for option, value in others.items() if value), *given_flags(asked.options)]
    if given:
        raise click.UsageError(f"--upper-bound links nothing: leave out {' and '.join(given)}.")
    asked.check_files()
    if not _split(asked)[1]:
        raise click.UsageError("Missing argument 'DATA...': annotated documents to hold against the knowledge base.")


def upper_bound_figures(asked: Asked, session: Session) -> dict[str, list[LanguageBound]]:
    """Suite -> its bounds, those of all languages together last; with several files, also of all files together."""
    kb_path, data = _split(asked)
    kb = read_entities(kb_path)
    has_language = language_test(kb) if kb.langs else None
    if has_language is None:
        session.note("Note: no name or description of the knowledge base tells its language: no part to compare with.")
    together = UpperBounds(kb.own_id, has_language)
    figures = {}
    for suite, path in zip(_suites(asked, kb_path, data), data, strict=True):
        bounds, skipped = UpperBounds(kb.own_id, has_language), dict[str, int]()
        documents = read_documents(path, asked.format)
        if asked.is_skipping:
            documents = distinct(documents, path, skipped)
        for document in track(documents, f"reading {Path(path).name}"):
            bounds.add(document)
            together.add(document)
        if not bounds.n_linked:
            raise DataError("has no gold to look for: no mention has an 'entity' that is not null", path=path)
        if skipped.get(path):
            session.note(f"Note: {path}: skipped {skipped[path]:,} whose id came before.")
        figures[suite] = _listed(bounds, asked.seed)
    if len(data) > 1:
        head = next(iter(figures)).rpartition("/")[0]
        figures[f"{head}/{ALL}" if head else ALL] = _listed(together, asked.seed)
    return figures


def language_test(kb: KnowledgeBase) -> HasLanguage:
    """Whether this knowledge base has a name or description of an entity in a language, looked up once per language."""
    known: dict[str, NDArray[np.bool_]] = {}

    def has_language(name: str, lang: str) -> bool:
        if lang not in known:
            known[lang] = known_in(kb, lang)
        row = kb.row_of(name)
        return row is not None and bool(known[lang][row])

    return has_language


def upper_bound_rows(figures: dict[str, list[LanguageBound]]) -> Iterator[ResultRow]:
    """Four figures of each language and of all together; the suite of a language ends in its code."""
    for suite, bounds in figures.items():
        for bound in bounds:
            name = suite if bound.lang is None else f"{suite}/{bound.lang or 'no-lang'}"
            about = {"missing": dict(bound.missing)} if bound.missing else {}
            shares = [metric for metric in (bound.mentions, bound.mentions_in_language) if metric is not None]
            yield from metric_rows(shares, name, SYSTEM, about)
            for metric, value, n in (
                ("entities_in_kb", bound.entities, bound.n_entities),
                ("entities_in_language", bound.entities_in_language, bound.n_entities_told),
            ):
                if value is not None:
                    yield ResultRow(name, metric, SYSTEM, round(value, 6), "share", n=n, settings=about)


def print_upper_bounds(console: Console, suite: str, bounds: list[LanguageBound]) -> None:
    """A table with a line per language, and what is missing most."""
    columns = ("language", "mentions", "in KB", "in its language", "entities", "in KB", "in its language")
    table = table_of(suite, [(name, "right" if number else "left") for number, name in enumerate(columns)])
    for bound in bounds:
        in_language = None if bound.mentions_in_language is None else bound.mentions_in_language.value
        table.add_row(
            "all" if bound.lang is None else bound.lang or "not told",
            f"{bound.mentions.n:,}",
            _percent(bound.mentions.value),
            _percent(in_language),
            f"{bound.n_entities:,}",
            _percent(bound.entities),
            _percent(bound.entities_in_language),
        )
    console.print(table)
    if bounds[-1].missing:
        listed = ", ".join(f"{name} ({n:,})" for name, n in bounds[-1].missing)
        console.print(f"Missing, by mentions: {listed}", markup=False, highlight=False)
    console.print()


def _split(asked: Asked) -> tuple[str, tuple[str, ...]]:
    """The knowledge base (a model or a file), and the files of gold."""
    return (asked.kb, asked.paths) if asked.kb is not None else (asked.paths[0], asked.paths[1:])


def _suites(asked: Asked, kb_path: str, data: tuple[str, ...]) -> list[str]:
    if asked.suite is None:
        return numbered(suite_name(kb_path, path) for path in data)
    return [asked.suite] if len(data) == 1 else numbered(f"{asked.suite}/{data_name(path)}" for path in data)


def _listed(bounds: UpperBounds, seed: int) -> list[LanguageBound]:
    """One line per language and one of all; where no document tells its language, that of all is the only one."""
    by_language = bounds.by_language(seed=seed)
    return [*(by_language if len(by_language) > 1 or by_language[0].lang else []), bounds.overall(seed=seed)]


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"
