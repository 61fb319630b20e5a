"""The figures of a run over each file of gold, beside those of another run if one is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from deixis.cli.evaluating import Evaluated, evaluate_file
from deixis.cli.evaluation_plan import Asked, Plan
from deixis.cli.evaluation_rows import compared_rows, dataset_rows, mean_rows
from deixis.cli.known_entities import EVERY_GOLD_ID
from deixis.cli.measuring import PredictionsUnderTest, UnderTest
from deixis.evaluation.linking.figures import RECALL_AT
from deixis.evaluation.rows import ResultRow
from deixis.evaluation.statistics.comparison import Comparison, compared
from deixis.evaluation.statistics.metric import Metric
from deixis.progress import stage
from deixis.reports.glossary import headlines

MEAN_SUITE = "mean"
UPPER_BOUND = "upper_bound"


@dataclass(frozen=True)
class DatasetFigures:
    """One file of gold: the run under test with its figures, and how the other run did if there is one."""

    suite: str
    run: Evaluated
    at: tuple[int, ...]
    metrics: Sequence[Metric]
    settings: dict[str, Any] = field(default_factory=dict)
    is_end_to_end: bool = False
    other: Evaluated | None = None
    other_metrics: Sequence[Metric] = ()
    other_settings: dict[str, Any] = field(default_factory=dict)
    compared: Sequence[Comparison] = ()

    @property
    def main_metrics(self) -> list[Metric]:
        """The few to show first."""
        return headlines(self.metrics, self.is_end_to_end)


def dataset_figures(plan: Plan, asked: Asked, number: int) -> DatasetFigures:
    """The figures on one of the files."""
    tested, other, data = plan.tested[number], plan.others[number], asked.data[number]
    run = evaluate_file(tested, data, asked.format, plan.known, asked.n_examples, plan.skipped)
    rival = None if other is None else evaluate_file(other, data, asked.format, plan.known, skipped=plan.skipped)
    at = _worthwhile(asked.at, [(tested, run), (other, rival)])
    is_end_to_end = asked.is_end_to_end or (isinstance(tested, PredictionsUnderTest) and run.has_own_spans)
    with stage("drawing documents anew"):
        metrics = _metrics(run, at, plan, asked)
        others = () if rival is None else _metrics(rival, at, plan, asked)
        names = [metric.name for metric in headlines(metrics, is_end_to_end) if metric.name != UPPER_BOUND]
        versus = () if rival is None else compared(run.tally, rival.tally, names, at, asked.seed)
    return DatasetFigures(
        suite=asked.suites[number],
        run=run,
        at=at,
        metrics=metrics,
        settings=_settings(tested, data, plan, asked),
        is_end_to_end=is_end_to_end,
        other=rival,
        other_metrics=others,
        other_settings={} if other is None else _settings(other, data, plan, asked),
        compared=versus,
    )


def _settings(tested: UnderTest, data: str, plan: Plan, asked: Asked) -> dict[str, Any]:
    """What to note beside the figures of a run on a file."""
    settings = dict(tested.settings)
    if asked.is_end_to_end:
        settings["end_to_end"] = True
    if plan.known.resolve is None:
        settings["in_kb"] = EVERY_GOLD_ID
    if plan.skipped is not None:
        settings["n_duplicates_skipped"] = plan.skipped[data]
    return settings


def all_rows(figures: Sequence[DatasetFigures], asked: Asked, other_name: str) -> list[ResultRow]:
    """The rows of the run, of the other run and of their differences; with several files, of the run's mean."""
    rows: list[ResultRow] = []
    for each in figures:
        rows += dataset_rows(each.metrics, each.run.speed.per_second, each.suite, asked.system, each.settings)
    means = mean_rows(rows, mean_suite(figures), asked.system) if len(figures) > 1 else []
    for each in figures:
        if each.other is not None:
            speed = each.other.speed.per_second
            rows += dataset_rows(each.other_metrics, speed, each.suite, other_name, each.other_settings)
            rows += compared_rows(each.compared, each.suite, (asked.system, other_name))
    return rows + means


def mean_suite(figures: Sequence[DatasetFigures]) -> str:
    """The name of the rows that hold the mean over files, after the part that all names share."""
    heads = {each.suite.rpartition("/")[0] for each in figures}
    return f"{heads.pop()}/{MEAN_SUITE}" if len(heads) == 1 else MEAN_SUITE


def _metrics(run: Evaluated, at: tuple[int, ...], plan: Plan, asked: Asked) -> list[Metric]:
    """All of them, but for how much of the gold is known where nobody said what is."""
    metrics = run.tally.metrics(at, asked.seed)
    return [metric for metric in metrics if plan.known.resolve is not None or metric.name != UPPER_BOUND]


def _worthwhile(at: tuple[int, ...], runs: Sequence[tuple[UnderTest | None, Evaluated | None]]) -> tuple[int, ...]:
    """The k that were asked for, else those of the defaults that the lists in a file of predictions reach."""
    if at:
        return at
    lengths = [
        max(1, run.tally.n_longest)
        for tested, run in runs
        if isinstance(tested, PredictionsUnderTest) and run is not None
    ]
    return tuple(k for k in RECALL_AT if k <= min(lengths, default=k))
