"""The page of an evaluation, gathered from its datasets."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from deixis.evaluation.rows import machine_name, source_commit
from deixis.evaluation.suites import SuiteResult
from deixis.reports.content import DatasetResult, EntityNames, Report
from deixis.reports.figures import charts_of

GIVEN, DETECTED = "given, as the gold has them", "found by the model in the text"
PREDICTED = "as the predictions have them"


def evaluation_report(
    results: Sequence[SuiteResult],
    title: str,
    mentions: str,
    version: str,
    other_name: str = "",
    skipped: Mapping[str, int] | None = None,
) -> Report:
    """Everything on the page: `mentions` says where they come from, `skipped` how many documents of each file."""
    known = results[0].run.known
    return Report(
        title=title,
        results=[_result(each, other_name) for each in results],
        facts=_facts(results, mentions, version, skipped or {}),
        names=EntityNames(known.name_of, known.resolve),
        is_end_to_end=any(each.run.is_end_to_end for each in results),
        other_name=other_name,
    )


def _result(result: SuiteResult, other_name: str) -> DatasetResult:
    run, tally = result.run, result.run.tally
    return DatasetResult(
        name=result.suite,
        n_documents=tally.n_documents,
        metrics=run.metrics,
        outcomes=tally.outcomes,
        examples=tally.examples,
        charts=charts_of(tally, None if result.other is None else result.other.tally, other_name, run.seed),
        compared=result.compared,
        by_language=tally.by_language(run.at, run.seed),
    )


def _facts(results: Sequence[SuiteResult], mentions: str, version: str, skipped: Mapping[str, int]) -> dict[str, str]:
    commit, data, run = source_commit(), [each.data for each in results], results[0].run
    made = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, Deixis {version}{f' ({commit})' if commit else ''}"
    facts = {
        "mentions": mentions,
        "in-KB": run.known.in_kb,
        "data": " ".join(map(shlex.quote, data)),
        "made": f"{made}, seed {run.seed}",
        "machine": machine_name(),
    }
    counts = [f"{skipped[path]:,} of {shlex.quote(path)}" for path in dict.fromkeys(data) if skipped.get(path)]
    if counts:
        facts["skipped"] = f"documents whose id came before: {', '.join(counts)}"
    return facts
