"""What `deixis learn` tells in the end: how many held-out mentions are right, and at what cost."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import click

from deixis.cli.evaluation_tables import table_of
from deixis.cli.models import tell_expectation
from deixis.cli.render import console_on
from deixis.cli.session import Session
from deixis.cli.timing import cpu_seconds, peak_memory
from deixis.decision.decision import Decision
from deixis.evaluation.statistics.metric import Metric
from deixis.linking.model import LinkerModel
from deixis.training.result import TrainingResult


def tell_training(session: Session, path: str, result: TrainingResult, trained: list[str], rerank: bool) -> None:
    """Prints how the linker did before and after, as tables or as JSON, and says what to do with it."""
    if session.is_json:
        click.echo(json.dumps(_summary(session, path, result, trained, rerank)))
    else:
        title = f"learned from {result.n_train:,} mentions"
        if result.accuracies:
            print_shares(title, "accuracy on held-out mentions", result.accuracies)
        if result.f1s:
            print_shares(title, "F1 from text to links, held-out documents", result.f1s)
        if result.recalls:
            print_shares("", "encoder alone, recall@10", result.recalls)
    if result.mentions_per_second is not None:
        session.note(f"With --rerank it links {result.mentions_per_second:,.1f} mentions a second here.")
    if result.characters_per_second is not None:
        session.note(f"With its reader it links {result.characters_per_second:,.0f} characters a second here.")
    tell_expectation(session, _decision(result.model, rerank), rerank)
    session.note(f"Model written to {path}." + (f" Use it: deixis link {path} --rerank" if rerank else ""))


def print_shares(title: str, what: str, metrics: tuple[Metric, ...]) -> None:
    """A table of shares with their intervals."""
    table = table_of(title, ((what, "left"), ("", "right"), ("95 % interval", "left"), ("n", "right")))
    for metric in metrics:
        interval = f"{metric.interval.low:.3f} - {metric.interval.high:.3f}"
        table.add_row(metric.name, f"{metric.value:.3f}", interval, f"{metric.n:,}")
    console_on(sys.stdout).print(table)


def shares(metrics: tuple[Metric, ...]) -> dict[str, dict[str, float]]:
    """The shares as JSON holds them."""
    return {
        each.name: {"value": each.value, "low": each.interval.low, "high": each.interval.high, "n": each.n}
        for each in metrics
    }


def _summary(session: Session, path: str, result: TrainingResult, trained: list[str], rerank: bool) -> dict[str, Any]:
    return {
        "model": path,
        "learned": trained,
        "mentions": result.n_train,
        "accuracies": shares(result.accuracies),
        "encoder_recall@10": shares(result.recalls),
        "f1_from_text": shares(result.f1s),
        "mentions_per_second": result.mentions_per_second,
        "characters_per_second": result.characters_per_second,
        "threshold": _decision(result.model, rerank).threshold,
        "seconds": round(time.perf_counter() - session.started, 3),
        "cpu_seconds": round(cpu_seconds(), 3),
        "peak_memory_bytes": peak_memory(),
    }  # fmt: skip


def _decision(model: LinkerModel, rerank: bool) -> Decision:
    """The decision on given mentions, by the re-ranker or without it."""
    return (model.decisions.reranked if rerank else None) or model.decisions.given
