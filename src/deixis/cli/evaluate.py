"""`deixis eval`: how often a model is right, on documents whose mentions somebody has annotated."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.table import Table

from deixis.cli.examples import examples
from deixis.cli.measuring import LinkerUnderTest
from deixis.cli.options import comma_separated
from deixis.cli.render import console_on
from deixis.cli.session import Session, session_options
from deixis.config import config_to_dict
from deixis.errors import DataError
from deixis.evaluation.disambiguation import RECALL_AT, disambiguation_metrics
from deixis.evaluation.rows import ResultRow, metric_rows

EXPLAINED = {
    "accuracy": "right, of gold in the KB",
    "upper_bound": "gold in the KB",
    "mentions_per_second": "linking alone",
}


@click.command(
    name="eval",
    epilog=examples(
        "deixis eval model testa.jsonl.gz",
        "deixis eval model testa.jsonl.gz testb.jsonl.gz --json > rows.jsonl",
        "deixis eval model dev.jsonl --at 1,10,100",
    ),
)
@click.argument("model", type=click.Path())
@click.argument("data", nargs=-1, required=True, type=click.Path())
@click.option(
    "--at",
    type=comma_separated(int),
    default=",".join(map(str, RECALL_AT)),
    show_default=True,
    help="The k of each recall@k.",
)
@click.option("--suite", help="Name of the suite in the rows. [default: MODEL/DATA, after their files]")
@click.option("--system", default="deixis", show_default=True, help="Name of the system in the rows.")
@session_options("json", "threads", "seed")
def evaluate(
    session: Session, model: str, data: tuple[str, ...], at: tuple[int, ...], suite: str | None, system: str
) -> None:
    """Measure MODEL on annotated documents: recall@k, accuracy and the share of gold that it knows at all.

    Only mentions whose gold entity is in the knowledge base count (in-KB); gold NIL is left out. Accuracy is that of
    the links the model makes by its own settings. Intervals are 95 %, by drawing documents anew (bootstrap). DATA is
    JSON lines with an `entity` on each mention; ids joined by | are alternatives, any of which is right.
    """
    if not at or min(at) < 1:
        raise click.BadParameter("give whole numbers from 1 up, such as 1,5,10", param_hint="--at")
    with session.watching():
        tested = LinkerUnderTest.load(model, session, max(at))
        rows = [
            row
            for path in data
            for row in _evaluate_file(session, tested, path, at, suite or suite_name(model, path), system)
        ]
    if session.is_json:
        for row in rows:
            click.echo(json.dumps(row.to_dict(), ensure_ascii=False))
    else:
        _print_table(rows)


def suite_name(model: str, data: str) -> str:
    """A name for the rows out of the files' own names.

    Examples
    --------
    >>> suite_name("models/wiki468k/", "../data/aida/testa.jsonl.gz")
    'wiki468k/aida-testa'
    """
    path = Path(data).absolute()
    return f"{Path(model).absolute().name}/{path.parent.name}-{path.name.split('.')[0]}"


def _evaluate_file(
    session: Session, tested: LinkerUnderTest, path: str, at: tuple[int, ...], suite: str, system: str
) -> list[ResultRow]:
    outcomes, speed = tested.outcomes(path)
    if not outcomes:
        raise DataError(
            "has no gold: no mention has an 'entity'. Annotate mentions as "
            '{"start": 14, "end": 19, "entity": "Q167646"}, or link the file with: deixis link',
            path=path,
        )
    settings = config_to_dict(tested.linker.config)
    rows = metric_rows(disambiguation_metrics(outcomes, at, session.seed), suite, system, settings)
    rows.append(ResultRow(suite, "mentions_per_second", system, round(speed, 1), "1/s", settings=settings))
    return rows


def _print_table(rows: list[ResultRow]) -> None:
    console = console_on(sys.stdout)
    for suite in dict.fromkeys(row.suite for row in rows):
        table = Table(title=suite, title_justify="left", box=None, padding=(0, 2, 0, 0))
        for column, justify in (("metric", "left"), ("value", "right"), ("95 % interval", "left"), ("n", "right")):
            table.add_column(column, justify="right" if justify == "right" else "left")
        table.add_column("", style="dim")
        for row in rows:
            if row.suite == suite:
                interval = "" if row.low is None else f"{row.low:.3f} - {row.high:.3f}"
                value = f"{row.value:.3f}" if row.unit == "share" else f"{row.value:,.0f}/s"
                table.add_row(
                    row.metric, value, interval, "" if row.n is None else f"{row.n:,}", EXPLAINED.get(row.metric, "")
                )
        console.print(table)
        console.print()
