"""The figures of `deixis xmr eval` for a person: by label frequency, and documents whose labels were missed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from rich.console import Console

from deixis.cli.output import printable
from deixis.cli.render import bar
from deixis.cli.render_tables import table_of
from deixis.evaluation.labels.frequencies import LabelFrequencies
from deixis.evaluation.labels.mistakes import LabelMistake
from deixis.evaluation.statistics.metric import Metric
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.reports.label_figures import decile_name

N_LETTERS = 160  # shown of a text
N_WRONG = 3
BAR_WIDTH = 6


def print_deciles(
    console: Console, frequencies: LabelFrequencies, by_decile: Mapping[int, Sequence[Metric]], names: Sequence[str]
) -> None:
    """A line for each decile: its labels, how often they were seen, and the metrics `names`."""
    columns = ("decile", "left"), ("labels", "right"), ("seen", "right"), ("docs", "right")
    table = table_of("by label frequency in training", (*columns, *((name, "right") for name in names), ("", "left")))
    table.columns[0].no_wrap = True
    deciles = frequencies.deciles()
    for decile, metrics in by_decile.items():
        seen = frequencies.counts[deciles == decile]
        low, high = int(seen.min()), int(seen.max())
        values = {metric.name: metric for metric in metrics}
        table.add_row(
            decile_name(decile),
            f"{np.count_nonzero(deciles == decile):,}",
            f"{low:,}" if low == high else f"{low:,}-{high:,}",
            f"{metrics[0].n:,}",
            *(f"{values[name].value:.3f}" for name in names),
            bar(values[names[-1]].value, BAR_WIDTH),
        )
    console.print(table)
    console.print()


def print_mistakes(
    console: Console,
    mistakes: Sequence[LabelMistake],
    shown: Callable[[int], str],
    vocabulary: KnowledgeBase,
    frequencies: LabelFrequencies,
) -> None:
    """Each document, what was found of its labels, what was missed and how often that was seen, what came instead."""
    if not mistakes:
        return
    console.print("documents with a label that was missed", style="italic")
    for each in mistakes:
        text = " ".join(shown(each.document).split())
        console.print()
        console.print(printable(text if len(text) <= N_LETTERS else f"{text[:N_LETTERS]}..."), style="bold")
        missed = [f"{vocabulary.title(label)} (seen {int(frequencies.counts[label]):,}x)" for label in each.missed]
        lines = {
            "found": [vocabulary.title(label) for label in each.found],
            "missed": missed,
            "instead": [vocabulary.title(label) for label in each.wrong[:N_WRONG]],
        }
        for name, titles in lines.items():
            if titles:
                console.print(printable(f"  {name:<8} {', '.join(titles)}"))
    console.print()
