"""The few metrics to show first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

UPPER_BOUND = "upper_bound"


class Named(Protocol):
    """Anything with a metric's name."""

    @property
    def name(self) -> str:
        """Such as `recall@10`."""


M = TypeVar("M", bound=Named)

FIRST = ("recall@1", "accuracy_with_nil", "inkb_micro_f1")
"""Figures side by side: how candidates are ranked, what is decided on each mention, and whether links are right."""
RAW = "raw_"
"""Before the name of a figure: the same figure where the linker is shown the text only."""
_HEADLINES = (
    *FIRST,
    "recall@", "mrr", "accuracy", UPPER_BOUND, "inkb_micro_f1", "inkb_macro_f1", "nil_f1", "ece", "risk_coverage_area",
)  # fmt: skip
_END_TO_END_HEADLINES = (
    "inkb_micro_precision", "inkb_micro_recall", "inkb_micro_f1", "inkb_macro_f1", "span_f1", "nil_f1", UPPER_BOUND,
)  # fmt: skip


def headlines(metrics: Iterable[M], is_end_to_end: bool) -> list[M]:
    """The few metrics to show first: `FIRST`, then others in their own order."""
    names = _END_TO_END_HEADLINES if is_end_to_end else _HEADLINES
    shown = [metric for metric in metrics if _is_headline(metric.name, names, is_end_to_end)]
    return sorted(shown, key=lambda metric: FIRST.index(metric.name) if metric.name in FIRST else len(FIRST))


def _is_headline(name: str, names: Sequence[str], is_end_to_end: bool) -> bool:
    if name.endswith("_weak"):
        return is_end_to_end and name in ("inkb_micro_f1_weak", "span_f1_weak")
    return name in names or ("recall@" in names and name.startswith("recall@")) or name == "mentions_per_second"
