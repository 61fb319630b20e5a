"""Repeats of several systems -> rows: figures of each, ratios peer / ours (more than 1: ours needs less), recall."""

from collections.abc import Mapping, Sequence
from statistics import median

import numpy as np

from benchmarks.speed.systems import RECALL_AT, Measured
from deixis.evaluation.rows import ResultRow
from deixis.evaluation.statistics.bootstrap import share_interval

OURS = "deixis"
UNITS = {
    "cluster_cpu": "s",
    "train_cpu": "s",
    "fit_cpu": "s",
    "batch_cpu": "us/query",
    "latency": "ms",
    "load_cpu": "s",
    "tfidf_cpu": "s",
    "tfidf_transform_cpu": "s",
    "disk": "MB",
    "rss": "MB",
}
RATIO_MEANS = "peer / deixis: above 1, deixis needs less"


def summarize(
    suite: str, measured: Mapping[str, Sequence[Measured]], settings: Mapping[str, object]
) -> list[ResultRow]:
    """All rows of a suite; `measured` holds the repeats of each system, in the order they were interleaved."""
    rows: list[ResultRow] = []
    for system, repeats in measured.items():
        about = {**settings, **repeats[-1].settings}
        rows += figure_rows(suite, system, repeats, about)
        rows += recall_rows(suite, system, repeats[-1].ranks, about)
        if system != OURS and OURS in measured:
            rows += ratio_rows(suite, system, repeats, measured[OURS], {**about, "ratio": RATIO_MEANS})
    return rows


def figure_rows(
    suite: str, system: str, repeats: Sequence[Measured], settings: Mapping[str, object]
) -> list[ResultRow]:
    """The median of every figure, with the least and the greatest."""
    rows = []
    for name in repeats[0].figures:
        values = [repeat.figures[name] for repeat in repeats]
        rows.append(spread(suite, name, system, values, UNITS[name], settings))
    return rows


def ratio_rows(
    suite: str, peer: str, theirs: Sequence[Measured], ours: Sequence[Measured], settings: Mapping[str, object]
) -> list[ResultRow]:
    """Peer / ours of every figure both have; a peer that clusters and trains in one is compared with both together."""
    rows = []
    for name in theirs[0].figures:
        if name in ours[0].figures:
            pairs = zip(theirs, ours, strict=True)
            values = [their.figures[name] / max(our.figures[name], 1e-9) for their, our in pairs]
            metric = "train_cpu" if name == "fit_cpu" and "train_cpu" not in theirs[0].figures else name
            about = {**settings, "of": "clustering and training together"} if metric != name else settings
            rows.append(spread(suite, f"{metric}_ratio", f"{OURS}/{peer}", values, "x", about))
    return rows


def spread(
    suite: str, metric: str, system: str, values: Sequence[float], unit: str, settings: Mapping[str, object]
) -> ResultRow:
    """A row whose value is the median of the repeats, its bounds the extremes."""
    value, low, high = (float(f"{v:.5g}") for v in (median(values), min(values), max(values)))
    return ResultRow(suite, metric, system, value, unit, low, high, len(values), settings)


def recall_rows(suite: str, system: str, ranks: np.ndarray, settings: Mapping[str, object]) -> list[ResultRow]:
    """Recall at each depth, with a bootstrap interval over queries."""
    rows = []
    for k in RECALL_AT:
        hits = ranks < k
        interval = share_interval(hits, np.ones(len(hits)))
        bounds = (round(interval.low, 4), round(interval.high, 4))
        value = round(float(hits.mean()), 4)
        rows.append(ResultRow(suite, f"recall@{k}", system, value, "share", *bounds, len(hits), settings))
    return rows
