"""`deixis eval`: how often a model, or a file of predictions, is right on annotated documents."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from deixis import __version__
from deixis.cli.evaluation_request import Request
from deixis.cli.files import read_entities
from deixis.cli.link_options import LINK_FIELDS, link_options, load_linker
from deixis.cli.options import CommandWithSettings, comma_separated
from deixis.cli.output import growing_output, output_stream
from deixis.cli.render import console_on
from deixis.cli.render_tables import print_all, print_compared, print_dataset
from deixis.cli.session import Session, examples, session_options
from deixis.evaluation.known_entities import EVERY_ENTITY, KnownEntities
from deixis.evaluation.linking.figures import RECALL_AT
from deixis.evaluation.linking.headlines import FIRST, RAW
from deixis.evaluation.rows import ResultRow
from deixis.evaluation.run import Evaluation, comparable
from deixis.evaluation.suites import (
    MEAN,
    STDIN,
    SuiteResult,
    as_lines,
    mean_rows,
    name_of,
    shared_suite,
)  # fmt: skip
from deixis.linker import Linker
from deixis.linker import evaluate as measure
from deixis.linking.options import LinkOptions
from deixis.progress import stage, track
from deixis.reports.content import Report
from deixis.reports.evaluation_report import DETECTED, GIVEN, PREDICTED, evaluation_report
from deixis.reports.glossary import overview_names
from deixis.reports.page import report_page

LINKING = tuple(name for name in LINK_FIELDS if name not in ("top_k", "overlaps"))  # --at has the number of candidates
RAW_SHOWN = ("inkb_micro_f1",)  # beside the figures of given mentions


def _moved(_context: click.Context, _parameter: click.Parameter, is_given: bool) -> None:
    if is_given:
        raise click.UsageError("--upper-bound is a command of its own now: deixis kb coverage KB DATA...")


@click.command(
    cls=CommandWithSettings,
    name="eval",
    epilog=examples(
        "deixis eval model gold.jsonl",
        "deixis eval model gold.jsonl --both",
        "deixis eval model news.jsonl web.jsonl --report report.html",
        "deixis eval model gold.jsonl --rerank --compare model",
        "deixis eval --predictions mine.jsonl gold.jsonl --kb entities.jsonl",
    ),
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(), metavar="[MODEL] DATA...")
@click.option("--predictions", multiple=True, metavar="FILE", help="Score this file, not a model; one for each DATA.")
@click.option("--kb", metavar="PATH", help="With --predictions: model or entities that say which gold is known.")
@click.option("--compare", multiple=True, metavar="PATH", help="Another model, or predictions for each DATA.")
@click.option("--end-to-end", is_flag=True, help="Show the model the text only; it detects the mentions.")
@click.option("--both", is_flag=True, help="With given mentions and end to end; all mentions must be annotated.")
@click.option("--format", "format_", metavar="NAME", help="Format of DATA, such as aida. [default: guessed]")
@click.option("--predictions-format", hidden=True, help="Format of the predictions. [default: guessed]")
@click.option("--at", type=comma_separated(int), help=f"The k of recall@k. [default: {','.join(map(str, RECALL_AT))}]")
@click.option("--all", "is_all", is_flag=True, help="Show every metric, not only the main ones.")
@click.option("-o", "--output", metavar="FILE", help="Write rows of results as JSON lines.")
@click.option("--report", metavar="FILE", help="Write an HTML page with plots and mistakes.")
@click.option("--examples", "n_examples", type=click.IntRange(min=0), default=20, hidden=True, help="In the report.")
@click.option("--suite", metavar="NAME", help="Name of the suite in the rows. [default: MODEL/DATA]")
@click.option("--system", metavar="NAME", default="deixis", help="Name of the system in the rows. [default: deixis]")
@click.option("--skip-duplicates", is_flag=True, help="Of documents with the same id, count the first.")
@click.option("--upper-bound", is_flag=True, hidden=True, is_eager=True, expose_value=False, callback=_moved)
@link_options(*LINKING)
@session_options("json", "threads", "seed", "verify")
def evaluate(session: Session, **words: Any) -> None:  # noqa: ANN401 - the fields of Request
    """Measure how often MODEL links DATA as annotated.

    Mentions in DATA have an `entity` (null for NIL). Gold is in-KB if the knowledge base has it and it passes --type,
    --ids and --language. Intervals are 95 %, by bootstrap over documents. Metrics: docs/reference/metrics.md
    """
    request = Request(**words)
    request.check()
    with session.watching(), ExitStack() as files:
        page = None if request.report is None else files.enter_context(output_stream(request.report))
        results = _evaluated(session, request)
        if page is not None:
            with stage("writing the report"):
                page.write(report_page(_report(request, results)))
    if not session.is_json and STDIN not in (request.output, request.report):
        _print(request, results)
    if request.report is not None:
        session.note(f"Report: {request.report}")


def _evaluated(session: Session, request: Request) -> list[SuiteResult]:
    """The result on each file, whose rows are written as soon as they are there, also if a later file fails."""
    results: list[SuiteResult] = []
    with ExitStack() as files:
        is_written = request.output is not None or session.is_json
        add = files.enter_context(growing_output(request.output)) if is_written else None
        try:
            for result in _results(session, request):
                results.append(result)
                if add is not None:
                    add(as_lines(result.rows(request.system, request.other_name)))
        except (Exception, KeyboardInterrupt):
            if results:
                session.note(f"Measured before the error: {', '.join(each.data for each in results)}.")
            raise
        if add is not None:
            add(as_lines(_means(request, results)))
    return results


def _results(session: Session, request: Request) -> Iterator[SuiteResult]:
    options, n = request.options, len(request.data)
    systems: Sequence[Linker | str] = request.predictions
    others: Sequence[Linker | str | None] = request.compare or [None] * n
    known = EVERY_ENTITY
    if request.kb is not None:
        known = KnownEntities.of(read_entities(request.kb, session), name_of(request.kb))
    if not request.predictions:
        linker = load_linker(request.paths[0], session, options)
        known = KnownEntities.of(linker.kb, name_of(request.paths[0]), options.only.cached_mask(linker.kb))
        systems = [linker] * n
    filters = LinkOptions(types=options.types, ids=options.ids, languages=options.languages)
    if request.compares_models:
        others = [load_linker(request.compare[0], session, filters)] * n
    n_examples = 0 if request.report is None else request.n_examples
    for suite, data, system, other in zip(request.suites, request.data, systems, others, strict=True):
        run = _measured(request, session, system, data, known, options, n_examples)
        rival = None if other is None else _measured(request, session, other, data, known, filters)
        if rival is not None:
            run, rival = comparable(run, rival)
        with stage("drawing documents anew"):
            _ = run.metrics
            compared = () if rival is None else run.compare(rival)
        _note(session, request, suite, data, run)
        raw = (
            _measured(replace(request, end_to_end=True), session, system, data, known, options)
            if request.both
            else None
        )
        yield SuiteResult(suite, data, run, rival, compared, raw)
    for path, n_skipped in request.skipped.items():
        if n_skipped:
            session.note(f"Note: {path}: skipped {n_skipped:,} whose id came before.")


def _measured(
    request: Request,
    session: Session,
    system: Linker | str,
    data: str,
    known: KnownEntities,
    options: LinkOptions,
    n_examples: int = 0,
) -> Evaluation:
    """A system on a file of gold."""
    answer = request.documents(system, request.predictions_format) if isinstance(system, str) else system
    gold = track(request.documents(data, request.format_), f"evaluating on {Path(data).name}")
    how, name = (None, system) if isinstance(system, str) else (options, "")
    run = measure(
        answer, gold, known, how, end_to_end=request.end_to_end, at=request.at, n_examples=n_examples,
        seed=session.seed, names=(data, name),
    )  # fmt: skip
    if not request.skip_duplicates:
        return run
    return replace(run, settings={**run.settings, "n_duplicates_skipped": request.skipped[data]})


def _note(session: Session, request: Request, suite: str, data: str, run: Evaluation) -> None:
    """Notes on results that a reader could misunderstand."""
    if suite == request.suites[0] and run.known.resolve is None:
        session.note(f"Note: {run.known.in_kb}. Give one with --kb to score in-KB.")
    elif suite == request.suites[0] and (request.kb is not None or request.compare or request.options.only):
        session.note(f"Note: gold counts as in-KB if it is {run.known.in_kb}.")
    if run.known.resolve is not None and run.has_no_known_gold:
        session.note(
            f"Warning: {data}: none of the gold is in the knowledge base, whose ids look like "
            f"{', '.join(map(repr, run.known.some_ids))}. Is it another one, or are its ids of another kind?"
        )
    if run.n_overlapping:
        session.note(f"Note: {data}: {run.n_overlapping:,} gold mentions overlap another; each is scored on its own.")
    if run.is_end_to_end and not request.end_to_end:
        session.note(f"Note: {suite}: mentions were predicted elsewhere than gold has them: scored end to end.")


def _means(request: Request, results: Sequence[SuiteResult]) -> list[ResultRow]:
    """The rows of the mean over several files."""
    if len(results) < 2:
        return []
    rows = [row for each in results for row in each.own_rows(request.system)]
    return mean_rows(rows, shared_suite([each.suite for each in results], MEAN), request.system)


def _report(request: Request, results: Sequence[SuiteResult]) -> Report:
    names = ", ".join(map(name_of, request.predictions or request.paths[:1]))
    mentions = PREDICTED if request.predictions else DETECTED if request.end_to_end else GIVEN
    return evaluation_report(
        results, f"Evaluation of {names}", mentions, __version__, request.other_name, request.skipped
    )


def _print(request: Request, results: Sequence[SuiteResult]) -> None:
    """The figures that matter side by side, with given mentions and on raw text; then more of each dataset."""
    console, rows = console_on(sys.stdout), [row for each in results for row in each.own_rows(request.system)]
    is_end_to_end = any(each.run.is_end_to_end for each in results)
    names = overview_names([each.run.metrics for each in results], is_end_to_end, is_brief=True)
    if request.both:  # in 80 columns
        names = [*(name for name in names if name in FIRST), *(f"{RAW}{name}" for name in RAW_SHOWN)]
    print_all(console, rows, _means(request, results), names)
    for each in results:
        metrics = each.run.metrics if request.is_all else each.run.main_metrics
        shown = [*(metric.name for metric in metrics), "mentions_per_second"]
        if each.raw is not None:
            shown += [
                f"{RAW}{metric.name}" for metric in (each.raw.metrics if request.is_all else each.raw.main_metrics)
            ]
        name_to_row = {row.metric: row for row in each.own_rows(request.system)}
        print_dataset(console, each.suite, [name_to_row[name] for name in shown if name in name_to_row])
        if each.compared:
            print_compared(console, f"{request.system} against {request.other_name}", each.compared)
