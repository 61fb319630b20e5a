"""`deixis bench`, or `python -m benchmarks`: systems compared on suites of real data, and the figures expected."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import click
from rich.table import Table

from benchmarks.suites.data import DataFolder
from benchmarks.suites.expectations import Verdict, judge, update_expected
from benchmarks.suites.results import check_recordable, record
from benchmarks.suites.runner import KB_SYSTEM, Runner
from benchmarks.suites.suite import SPLITS, Suite, read_suite
from benchmarks.systems import SYSTEMS
from deixis.cli.options import comma_separated
from deixis.cli.render import console_on
from deixis.cli.session import Session, examples, session_options
from deixis.errors import DataError, UnknownNameError
from deixis.evaluation.linking.headlines import FIRST, RAW
from deixis.evaluation.rows import ResultRow, source_commit

COLUMNS = {"accuracy_with_nil": "acc NIL", "inkb_micro_f1": "F1", f"{RAW}inkb_micro_f1": "raw F1", "recall@1": "R@1"}
SUITES = Path(__file__).resolve().parent / "quality"


@click.command(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=examples(
        "deixis bench                       # what there is, and what it needs",
        "deixis bench demo --check          # fails if a figure is worse than it was",
        "deixis bench wordnet melo-de --systems brute-force,deixis-tree",
        "deixis bench mesh-bc5cdr --split test --record",
        "deixis bench medic-ncbi --systems deixis+mentions,deixis+rerank  # an hour",
    ),
)
@click.argument("names", metavar="[SUITE]...", nargs=-1)
@click.option("--split", type=click.Choice(SPLITS), default="dev", show_default=True, help="Documents to ask about.")
@click.option("--systems", type=comma_separated(str), default="", help="Only these, of those the suite names.")
@click.option("--max-mentions", type=click.IntRange(min=1), help="Mentions asked at most. [default: the suite's]")
@click.option("--record", "is_recorded", is_flag=True, help="Add the rows to the results beside the suites.")
@click.option("--check", "is_check", is_flag=True, help="Exit with 1 if a figure is worse than expected.")
@click.option("--update", "is_update", is_flag=True, help="Write the figures into the suite as what to expect.")
@click.option("--suites", metavar="FOLDER", help="The suites' YAML files. [default: benchmarks/quality]")
@click.option("--data", metavar="FOLDER", help="Where their data lies. [default: DEIXIS_DATA or ../shared/data]")
@session_options("json", "seed")
def bench(
    session: Session,
    names: tuple[str, ...],
    split: str,
    systems: tuple[str, ...],
    max_mentions: int | None,
    is_recorded: bool,
    is_check: bool,
    is_update: bool,
    suites: str | None,
    data: str | None,
) -> int:
    """Run SUITEs: a knowledge base, annotated documents, and systems that propose entities for each mention.

    Without a SUITE, lists them. Counted are mentions whose entity is in the knowledge base: how often it is among the
    best k (recall@k, with intervals over documents), and processor seconds of one thread. Choose on dev; test is for
    the last word. Needs, in the source tree: pip install --group bench
    """
    for name in systems:
        if name not in SYSTEMS:
            raise UnknownNameError("system", name, known=SYSTEMS)
    folder = find_suites(suites)
    folder_of_data = DataFolder.choose(data, beside=folder.absolute().parents[1])
    if not names:
        list_suites(session, [read_suite(path) for path in sorted(folder.glob("*.yaml"))], folder_of_data)
        return 0
    chosen = chosen_suites(folder, names)
    is_usual = {suite.name: max_mentions in (None, suite.max_mentions) and session.seed == 0 for _, suite in chosen}
    if is_update and not all(is_usual.values()):
        raise click.UsageError(
            "--update writes figures of the suite as it stands: leave out --max-mentions and --seed."
        )
    results = folder.parent / "results"
    if is_recorded:
        check_recordable(source_commit(), results)  # now, and not after hours of measuring
    for _, suite in chosen:  # now, and not after hours of the suites before
        folder_of_data.check_parts(suite, split)
    runner, verdicts = Runner(folder_of_data, seed=session.seed), list[Verdict]()
    with session.watching():
        for path, suite in chosen:
            rows = []
            for found in runner.run(suite, split, systems, max_mentions):
                rows += found
                show(session, suite, found)
                if is_recorded:  # part by part, so that an interrupted run keeps what it has
                    session.note(f"recorded in {', '.join(map(str, record(found, results)))}")
            verdicts += judge(suite, rows) if is_usual[suite.name] else []
            if is_update:
                update_expected(path, suite, rows)
    return conclude(session, verdicts, is_check)


def find_suites(given: str | None) -> Path:
    """The folder of suites: the one given, or that of this source tree."""
    folder = Path(given) if given else SUITES
    if not any(folder.glob("*.yaml")):
        raise DataError(
            f"No suites in {folder}: --suites takes a folder of .yaml files. Those of Deixis are in {SUITES}."
        )
    return folder


def chosen_suites(folder: Path, names: Iterable[str]) -> list[tuple[Path, Suite]]:
    """The suites of these names, those with one knowledge base side by side."""
    known = {path.stem: path for path in folder.glob("*.yaml")}
    for name in names:
        if name not in known:
            raise UnknownNameError("suite", name, known=known)
    read = [(known[name], read_suite(known[name])) for name in dict.fromkeys(names)]
    order = list(dict.fromkeys(suite.kb.path for _, suite in read))
    return sorted(read, key=lambda pair: order.index(pair[1].kb.path))


def list_suites(session: Session, suites: list[Suite], data: DataFolder) -> None:
    """What there is, and what is missing."""
    if session.is_json:
        for suite in suites:
            listed = {"suite": suite.name, "about": suite.about, "missing": data.missing(suite)}
            listed |= {"systems": suite.systems, "on_request": suite.on_request}
            click.echo(json.dumps(listed, ensure_ascii=False))
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("suite", "data", "about"):
        table.add_column(column, overflow="fold")
    for suite in suites:
        missing = data.missing(suite)
        table.add_row(suite.name, f"lacks {', '.join(missing)}" if missing else "here", suite.about)
    console_on(sys.stdout).print(table)


def show(session: Session, suite: Suite, rows: list[ResultRow]) -> None:
    """One part's figures: a line per system, or rows for programs."""
    if session.is_json:
        for row in rows:
            click.echo(json.dumps(row.to_dict(), ensure_ascii=False))
        return
    values = {(row.system, row.metric): row for row in rows}
    bound = values[KB_SYSTEM, "upper_bound"]
    asked = next(row.n for row in rows if row.metric == suite.metrics[0])
    console = console_on(sys.stdout)
    console.print(f"{bound.suite}: {asked:,} mentions asked; {bound.value:.3f} of {bound.n:,} gold links are in the KB")
    table = Table(box=None, padding=(0, 1, 0, 0))
    table.add_column("", overflow="fold")
    first = [metric for metric in (*FIRST, f"{RAW}inkb_micro_f1") if any(row.metric == metric for row in rows)]
    shown = list(dict.fromkeys((*first, *suite.metrics)))
    for metric in shown:
        table.add_column(COLUMNS.get(metric, metric.replace("recall", "")), justify="right")
    for column in ("build s", "s/1000", "x tree"):
        table.add_column(column, justify="right")
    for system in dict.fromkeys(row.system for row in rows if row.metric == "build_cpu"):
        ratio = values.get((f"deixis-tree/{system}", "answer_cpu_ratio"))
        table.add_row(
            system,
            *(f"{values[system, metric].value:.3f}" if (system, metric) in values else "" for metric in shown),
            f"{values[system, 'build_cpu'].value:.1f}",
            f"{values[system, 'answer_cpu'].value:.3g}",
            f"{ratio.value:.1f}" if ratio else "",
        )
    console.print(table)
    console.print()


def conclude(session: Session, verdicts: list[Verdict], is_check: bool) -> int:
    """Says what came out otherwise than expected; the exit code."""
    worse = [verdict for verdict in verdicts if verdict.state == "worse"]
    for verdict in verdicts:
        if verdict.state != "ok":
            session.note(str(verdict))
    if verdicts:
        session.note(f"{len(verdicts) - len(worse)} of {len(verdicts)} figures are as expected or better.")
    elif is_check:
        raise DataError("Nothing to check: the suites expect no figure of what was run. Write them with --update.")
    return 1 if worse and is_check else 0
