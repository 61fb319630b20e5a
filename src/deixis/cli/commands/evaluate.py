"""`deixis eval`: how often a model or a file of predictions is right, on documents whose mentions are annotated."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack

import click

from deixis.cli.commands.upper_bound import tell_upper_bounds
from deixis.cli.evaluation_figures import DatasetFigures, all_rows, dataset_figures, mean_suite
from deixis.cli.evaluation_plan import STDIN, Asked, Plan
from deixis.cli.evaluation_report import report_of
from deixis.cli.evaluation_rows import write_rows
from deixis.cli.evaluation_tables import print_all, print_compared, print_dataset
from deixis.cli.examples import examples
from deixis.cli.link_options import LINK_FIELDS, link_options
from deixis.cli.options import comma_separated
from deixis.cli.output import output_stream
from deixis.cli.render import console_on
from deixis.cli.session import Session, session_options
from deixis.documents.formats import READERS
from deixis.evaluation.linking.figures import RECALL_AT
from deixis.evaluation.rows import ResultRow
from deixis.linking.options import LinkOptions
from deixis.progress import stage
from deixis.reports.glossary import overview_names
from deixis.reports.page import report_page

LINKING = tuple(name for name in LINK_FIELDS if name not in ("top_k", "overlaps"))  # --at says how many are looked at


@click.command(
    name="eval",
    epilog=examples(
        "deixis eval model testa.jsonl.gz                    # mentions are given",
        "deixis eval model testa.jsonl.gz --end-to-end       # names are looked for",
        "deixis eval model news.jsonl web.jsonl --report report.html",
        "deixis eval --predictions mine.jsonl gold.jsonl --kb entities.jsonl",
        "deixis eval model gold.jsonl --compare other-model",
        "deixis eval --predictions a.jsonl gold.jsonl --compare b.jsonl",
        "deixis eval model testa.conll --format aida --json > rows.jsonl",
        "deixis eval model gold.jsonl --type city           # cities only",
        "deixis eval model gold.jsonl --rerank --compare model   # what it brings",
        "deixis eval m gold.jsonl --vectors descriptions --compare m",
        "deixis eval --upper-bound entities.jsonl gold.jsonl # how much is known",
    ),
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(), metavar="[MODEL] DATA...")
@click.option(
    "--predictions",
    multiple=True,
    type=click.Path(),
    help="Score this file instead of a model; with several DATA, one for each, in order.",
)
@click.option(
    "--kb",
    type=click.Path(),
    help="With --predictions: a model or knowledge base file that says which gold is known.",
)
@click.option(
    "--upper-bound",
    "is_upper_bound",
    is_flag=True,
    help="Link nothing; tell how much of the gold MODEL, or a knowledge base file in its place, holds, by language.",
)
@click.option(
    "--compare",
    multiple=True,
    type=click.Path(),
    help="A second run on the same DATA: a model, or a file of predictions for each DATA.",
)
@click.option("--end-to-end", is_flag=True, help="Show the model the text only; it finds the mentions itself.")
@link_options(*LINKING)
@click.option("--skip-duplicates", is_flag=True, help="Of documents with one id, count the first; else it is an error.")
@click.option("--format", "format_", help=f"Format of DATA: {', '.join(READERS)}. [default: the file tells]")
@click.option("--predictions-format", help="The same for files of predictions. [default: the file tells]")
@click.option(
    "--at",
    type=comma_separated(int),
    help=f"The k of each recall@k. [default: {','.join(map(str, RECALL_AT))}]",
)
@click.option("--all", "is_all", is_flag=True, help="Show every metric, not only the main ones.")
@click.option("-o", "--output", help="Write the rows to this file, as JSON lines.")
@click.option("--report", help="Write a page for the browser: figures, plots and mistakes to look at.")
@click.option(
    "--examples",
    "n_examples",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="Mistakes of each kind in the report.",
)
@click.option("--suite", help="Name of the suite in the rows. [default: MODEL/DATA, after their files]")
@click.option("--system", default="deixis", show_default=True, help="Name of the system in the rows.")
@session_options("json", "threads", "seed")
def evaluate(
    session: Session,
    paths: tuple[str, ...],
    predictions: tuple[str, ...],
    kb: str | None,
    is_upper_bound: bool,
    compare: tuple[str, ...],
    end_to_end: bool,
    options: LinkOptions,
    skip_duplicates: bool,
    format_: str | None,
    predictions_format: str | None,
    at: tuple[int, ...] | None,
    is_all: bool,
    output: str | None,
    report: str | None,
    n_examples: int,
    suite: str | None,
    system: str,
) -> None:
    """Measure MODEL on annotated documents: recall@k, accuracy, F1, and the share of gold that it knows at all.

    DATA holds documents whose mentions have an `entity` (null for NIL); ids joined by | are alternatives, any of which
    is right. Only mentions whose gold entity is in the knowledge base count (in-KB) unless a metric says otherwise.
    Links are those that deixis link makes with the same options; a model of --compare has those that say which
    entities, and its own settings otherwise. Intervals are 95 %, by drawing documents anew
    (bootstrap). With --predictions a file of linked documents is scored, of Deixis or of any other linker; documents
    are paired by their id. With --type, --ids or --language the model may link to the entities that pass, and only
    gold among them counts as in-KB.
    """
    asked = Asked(
        paths=paths,
        predictions=predictions,
        predictions_format=predictions_format,
        compare=compare,
        kb=kb,
        is_end_to_end=end_to_end,
        is_skipping=skip_duplicates,
        written=tuple(path for path in (output, report) if path is not None),
        format=format_,
        at=tuple(sorted(set(at or ()))),
        n_examples=n_examples if report is not None else 0,
        suite=suite,
        system=system,
        seed=session.seed,
        options=options,
    )
    if is_upper_bound:
        tell_upper_bounds(session, asked, output, report)
        return
    asked.check()
    with session.watching(), ExitStack() as files:
        streams = [files.enter_context(output_stream(path)) if path else None for path in (output, report)]
        plan = Plan.of(asked, session)
        figures = [dataset_figures(plan, asked, number) for number in range(len(asked.data))]
        _tell_conventions(session, plan, figures, asked)
        rows = all_rows(figures, asked, plan.other_name)
        if streams[0] is not None:
            write_rows(rows, streams[0])
        if streams[1] is not None:
            with stage("writing the report"):
                streams[1].write(report_page(report_of(figures, plan, asked)))
    if session.is_json and output is None:
        write_rows(rows, sys.stdout)
    elif not session.is_json and STDIN not in (output, report):
        _print(figures, rows, asked, plan, is_all)
    if report is not None:
        session.note(f"Report: {report}")


def _tell_conventions(session: Session, plan: Plan, figures: Sequence[DatasetFigures], asked: Asked) -> None:
    """Says what a reader of the figures could misunderstand."""
    if plan.known.resolve is None:
        session.note(f"Note: {plan.known.in_kb}. Give one with --kb to score in-KB.")
    elif asked.kb is not None or asked.compare or asked.options.only:
        session.note(f"Note: gold counts as in-KB if it is {plan.known.in_kb}.")
    for path, n_skipped in (plan.skipped or {}).items():
        if n_skipped:
            session.note(f"Note: {path}: skipped {n_skipped:,} whose id came before.")
    for each in figures:
        if plan.known.resolve is not None and each.run.has_no_known_gold:
            session.note(
                f"Warning: {each.run.data}: none of the gold is in the knowledge base, whose ids look like "
                f"{', '.join(map(repr, plan.known.some_ids))}. Is it another one, or are its ids of another kind?"
            )
        if each.run.n_overlapping:
            session.note(
                f"Note: {each.run.data}: {each.run.n_overlapping:,} gold mentions overlap another; "
                "each is scored on its own."
            )
        if each.is_end_to_end and not asked.is_end_to_end:
            session.note(
                f"Note: {each.suite}: mentions were predicted elsewhere than gold has them: scored end to end."
            )


def _print(
    figures: Sequence[DatasetFigures], rows: Sequence[ResultRow], asked: Asked, plan: Plan, is_all: bool
) -> None:
    console = console_on(sys.stdout)
    for each in figures:
        shown = {metric.name for metric in (each.metrics if is_all else each.main_metrics)} | {"mentions_per_second"}
        own = [row for row in rows if row.suite == each.suite and row.system == asked.system and row.metric in shown]
        print_dataset(console, each.suite, own)
        if each.compared:
            print_compared(console, f"{asked.system} against {plan.other_name}", each.compared)
    if len(figures) > 1:
        own = [row for row in rows if row.system == asked.system]
        means = [row for row in own if row.suite == mean_suite(figures)]
        is_end_to_end = any(each.is_end_to_end for each in figures)
        names = overview_names([each.metrics for each in figures], is_end_to_end, is_brief=True)
        print_all(console, [row for row in own if row not in means], means, names)
