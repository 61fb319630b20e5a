"""A calibration for a person at a terminal: figures before and after, and what each bin of probability holds."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from deixis.cli.evaluation_tables import table_of
from deixis.decision.threshold_curve import ThresholdCurve
from deixis.evaluation.linking.calibration import ReliabilityBin, reliability_bins
from deixis.evaluation.linking.risk_coverage import risk_coverage
from deixis.reports.charts import Axis, Series, line_chart

N_BINS = 10


def print_calibration(
    console: Console, before: ThresholdCurve, after: ThresholdCurve, precisions: Sequence[float]
) -> None:
    """Two tables: the figures of both, and the bins of the calibrated scores."""
    table = table_of("calibration", (("metric", "left"), ("before", "right"), ("after", "right")))
    sides = [held_out.confidences for held_out in (before, after)]
    figures = [{metric.name: metric.value for metric in side.metrics(n_draws=1)} for side in sides]
    for name in figures[0]:
        table.add_row(name, *(f"{side[name]:.3f}" for side in figures))
    for precision in precisions:
        # Coverage counts all mentions, those without candidates too.
        curves = [(risk_coverage(side.scores, side.is_right), len(side.scores) / max(1, len(before))) for side in sides]
        kept = [curve.best_within(round(1 - precision, 6)).coverage * share for curve, share in curves]
        table.add_row(f"coverage at precision {precision:g}", *(f"{share:.3f}" for share in kept))
    console.print(table)
    console.print()
    table = table_of(
        "reliability after", (("score", "left"), ("mentions", "right"), ("said", "right"), ("right", "right"))
    )
    for found in _bins(after):
        row = f"{found.low:.1f} - {found.high:.1f}", f"{found.n:,}", f"{found.confidence:.3f}", f"{found.accuracy:.3f}"
        table.add_row(*row)
    console.print(table)


def reliability_chart(before: ThresholdCurve, after: ThresholdCurve) -> str:
    """Claim against truth before and after, in bins of equal mass; on the diagonal is best."""
    series = []
    for name, held_out in (("before", before), ("after", after)):
        bins = _bins(held_out, equal_mass=True)
        series.append(Series(name, [found.confidence for found in bins], [found.accuracy for found in bins]))
    x = Axis("score of the link", low=0.0, high=1.0, is_percent=True)
    y = Axis("links that are right", low=0.0, high=1.0, is_percent=True)
    return f"{line_chart('Reliability on held-out mentions', series, x, y, has_diagonal=True)}\n"


def _bins(held_out: ThresholdCurve, *, equal_mass: bool = False) -> list[ReliabilityBin]:
    links = held_out.confidences
    return reliability_bins(links.scores, links.is_right, N_BINS, equal_mass=equal_mass)
