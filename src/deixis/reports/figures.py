"""The pictures of an evaluation."""

from __future__ import annotations

from deixis.evaluation.tally import Tally
from deixis.reports.content import Chart


def charts_of(tally: Tally, other: Tally | None = None, seed: int = 0) -> list[Chart]:
    """The pictures that there is something to draw for."""
    return []
