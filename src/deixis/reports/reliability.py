"""How often links of each probability are right, on held-out mentions, as bins and as a picture."""

from __future__ import annotations

from deixis.decision.threshold_curve import ThresholdCurve
from deixis.evaluation.linking.calibration import ReliabilityBin, reliability_bins
from deixis.evaluation.linking.confidence import Confidences
from deixis.reports.charts import Axis, Series, line_chart

N_BINS = 10


def reliability_chart(before: ThresholdCurve, after: ThresholdCurve) -> str:
    """Claim against truth before and after, in bins of equal mass; on the diagonal is best."""
    series = []
    for name, held_out in (("before", before), ("after", after)):
        bins = held_out_bins(held_out, equal_mass=True)
        series.append(Series(name, [found.confidence for found in bins], [found.accuracy for found in bins]))
    x = Axis("score of the link", low=0.0, high=1.0, is_percent=True)
    y = Axis("links that are right", low=0.0, high=1.0, is_percent=True)
    return f"{line_chart('Reliability on held-out mentions', series, x, y, has_diagonal=True)}\n"


def held_out_links(held_out: ThresholdCurve) -> Confidences:
    """The links, for the figures of calibration; mentions without candidates are left out."""
    has_link = held_out.scores > 0
    return Confidences(held_out.documents[has_link], held_out.scores[has_link], held_out.is_right[has_link])


def held_out_bins(held_out: ThresholdCurve, *, equal_mass: bool = False) -> list[ReliabilityBin]:
    """The links in bins of probability: of equal width, or of as many links each."""
    links = held_out_links(held_out)
    return reliability_bins(links.scores, links.is_right, N_BINS, equal_mass=equal_mass)
