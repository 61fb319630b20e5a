"""What linkers decide on a part of a suite: with given mentions, and on raw text where all mentions are annotated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.systems.ours import LinkerSystem
from deixis.evaluation.linking.headlines import RAW
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.types import Document

MAX_DECIDED = 10_000  # mentions of a part that are decided on, at most
GIVEN_FIGURES = (
    "accuracy_with_nil", "inkb_micro_precision", "inkb_micro_recall", "inkb_micro_f1", "nil_f1", "ece",
    "kilt_accuracy", "kilt_recall@5",
)  # fmt: skip
RAW_FIGURES = ("inkb_micro_precision", "inkb_micro_recall", "inkb_micro_f1", "span_f1", "ece")


def decision_rows(
    system: LinkerSystem,
    documents: Sequence[Document],
    suite: str,
    name: str,
    settings: Mapping[str, Any],
    has_raw: bool,
    seed: int = 0,
) -> list[ResultRow]:
    """The rows of what a linker decides; those of raw text have `raw_` before their names."""
    asked = sampled(documents, MAX_DECIDED, seed)
    rows = []
    for prefix, figures in (("", GIVEN_FIGURES), (RAW, RAW_FIGURES))[: 1 + has_raw]:
        run = system.evaluate(asked, end_to_end=prefix == RAW, seed=seed)
        metrics = [metric for metric in run.metrics if metric.name in figures]
        about = {**settings, "n_decided_documents": len(asked), "end_to_end": prefix == RAW}
        rows += [replace(row, metric=f"{prefix}{row.metric}") for row in metric_rows(metrics, suite, name, about)]
    return rows


def sampled(documents: Sequence[Document], max_mentions: int, seed: int) -> list[Document]:
    """Documents with at most about so many mentions together, drawn by the seed, in their own order.

    Their ids are their numbers: WNED-WIKI has one document twice.
    """
    chosen, n_mentions = [], 0
    for number in np.random.default_rng(seed).permutation(len(documents)).tolist():
        if n_mentions >= max_mentions:
            break
        chosen.append(number)
        n_mentions += len(documents[number].mentions)
    return [replace(documents[number], id=str(number)) for number in sorted(chosen)]
