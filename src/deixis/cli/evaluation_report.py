"""What the page of an evaluation tells, gathered from its runs."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from datetime import UTC, datetime

from deixis import __version__
from deixis.cli.evaluation_figures import DatasetFigures
from deixis.cli.evaluation_plan import Asked, Plan, name_of
from deixis.evaluation.rows import machine_name, source_commit
from deixis.reports.content import DatasetResult, EntityNames, Report
from deixis.reports.figures import charts_of


def report_of(figures: Sequence[DatasetFigures], plan: Plan, asked: Asked) -> Report:
    """Everything on the page."""
    return Report(
        title=f"Evaluation of {', '.join(map(name_of, [asked.model] if asked.model else asked.predictions))}",
        results=[_result(each, asked, plan.other_name) for each in figures],
        facts=_facts(plan, asked),
        names=EntityNames(plan.known.name_of, plan.known.resolve),
        is_end_to_end=any(each.is_end_to_end for each in figures),
        other_name=plan.other_name,
    )


def _result(each: DatasetFigures, asked: Asked, other_name: str) -> DatasetResult:
    tally = each.run.tally
    return DatasetResult(
        name=each.suite,
        n_documents=tally.n_documents,
        metrics=each.metrics,
        fates=tally.fates,
        examples=tally.examples,
        charts=charts_of(tally, None if each.other is None else each.other.tally, other_name, asked.seed),
        compared=each.compared,
        by_language=tally.by_language(each.at, asked.seed),
    )


def _facts(plan: Plan, asked: Asked) -> dict[str, str]:
    commit = source_commit()
    facts = {
        "mentions": "found by the model in the text" if asked.is_end_to_end else "given, as the gold has them",
        "in-KB": plan.known.in_kb,
        "data": " ".join(map(shlex.quote, asked.data)),
        "made": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, Deixis {__version__}{f' ({commit})' if commit else ''}, "
        f"seed {asked.seed}",
        "machine": machine_name(),
    }
    if asked.predictions:
        facts["mentions"] = "as the predictions have them"
    skipped = {data: (plan.skipped or {}).get(data, 0) for data in asked.data}
    if any(skipped.values()):
        told = ", ".join(f"{n:,} of {shlex.quote(data)}" for data, n in skipped.items() if n)
        facts["skipped"] = f"documents whose id came before: {told}"
    return facts
