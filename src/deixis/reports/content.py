"""What a report tells: plain values, so that a page can be made of any run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from deixis.evaluation.linking.error_examples import ErrorExample
from deixis.evaluation.linking.outcomes import Outcome
from deixis.evaluation.statistics.comparison import Comparison
from deixis.evaluation.statistics.metric import Metric
from deixis.gold import Resolve


@dataclass(frozen=True)
class EntityNames:
    """What to show of an entity, and which id a gold id stands for.

    Examples
    --------
    >>> names = EntityNames(lambda name: ("Paris", "capital of France"))
    >>> names.name_of("Q90")
    ('Paris', 'capital of France')
    """

    name_of: Callable[[str], tuple[str, str]] = lambda name: ("", "")
    """An entity's id -> its title and a few words about it, both empty if nothing is known."""
    resolve: Resolve | None = None


@dataclass(frozen=True)
class Chart:
    """A picture, as SVG that a chart function made, and a sentence on how to read it."""

    svg: str
    caption: str


@dataclass(frozen=True)
class DatasetResult:
    """One system on one dataset."""

    name: str
    n_documents: int
    metrics: Sequence[Metric]
    outcomes: Mapping[Outcome, int]
    examples: Mapping[Outcome, Sequence[ErrorExample]] = field(default_factory=dict)
    charts: Sequence[Chart] = ()
    compared: Sequence[Comparison] = ()
    by_language: Mapping[str, Sequence[Metric]] = field(default_factory=dict)

    def value(self, name: str) -> Metric | None:
        """The metric of that name, if it was measured."""
        return next((metric for metric in self.metrics if metric.name == name), None)


@dataclass(frozen=True)
class Report:
    """Everything on the page."""

    title: str
    results: Sequence[DatasetResult]
    facts: Mapping[str, str] = field(default_factory=dict)
    names: EntityNames = field(default_factory=EntityNames)
    is_end_to_end: bool = False
    other_name: str = ""
    """What the first run is compared with, if it is."""
