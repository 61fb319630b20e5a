"""`deixis calibrate`: scores that say how often a link is right, and the threshold for a wanted precision."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import click

from deixis.candidates.sources.vectors import Contents
from deixis.cli.calibration_tables import print_calibration, reliability_chart
from deixis.cli.examples import examples
from deixis.cli.files import read_all
from deixis.cli.models import (
    contents_option,
    load_linker,
    rerank_option,
    tell_expectation,
    tell_found_expectation,
    tell_seen,
)
from deixis.cli.output import output_stream
from deixis.cli.render import console_on
from deixis.cli.session import Session, session_options
from deixis.decision.calibrator import Method
from deixis.documents.formats import READERS
from deixis.linking.calibration import Calibration
from deixis.linking.held_out import HeldOut
from deixis.linking.nil import NilRule
from deixis.progress import stage, track

PRECISIONS = (0.9, 0.95, 0.99)


@click.command(
    epilog=examples(
        "deixis calibrate model dev.jsonl.gz                          # in place",
        "deixis calibrate model dev.jsonl --target-precision 0.95 -o precise",
        "deixis calibrate model dev.jsonl --report reliability.svg",
        "deixis calibrate model dev.jsonl --rerank      # the re-ranker's scores",
        "deixis calibrate m dev.jsonl --dense-contents descriptions -o m2",
    )
)
@click.argument("model", type=click.Path())
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="DATA...")
@click.option("-o", "--output", metavar="MODEL", help="The model folder to write. [default: in place]")
@click.option("--target-precision", type=click.FloatRange(0, 1, min_open=True), help="Share of links to be right.")
@click.option("--threshold", type=click.FloatRange(0, 1), help="Least probability of a link, chosen by you.")
@click.option("--method", type=click.Choice(get_args(Method)), help="Curve from score to probability. [default: auto]")
@click.option("--format", "format_", help=f"Format of DATA: {', '.join(READERS)}. [default: the file tells]")
@click.option(
    "--given-only", is_flag=True, help="DATA have not all mentions annotated: learn nothing about finding them."
)
@rerank_option
@contents_option
@click.option("--report", metavar="FILE", help="Write a picture (SVG) of probabilities before and after.")
@session_options("json", "threads")
def calibrate(
    session: Session,
    model: str,
    files: tuple[str, ...],
    output: str | None,
    target_precision: float | None,
    threshold: float | None,
    method: Method | None,
    format_: str | None,
    given_only: bool,
    rerank: bool,
    dense_contents: Contents | None,
    report: str | None,
) -> None:
    """Learn from annotated documents how often MODEL's links of each score are right, and where to stop linking.

    DATA are documents that the model was not built with. Their mentions have an `entity`, null for NIL; a link where
    gold is NIL, or an entity that the knowledge base lacks, is wrong. Without a target precision or a threshold, the
    threshold is the one with the best F1. Figures after calibration are those of curves that had not seen the document.
    Where a model finds mentions by their chances, when to link in texts that bring none is learned anew, too: whatever
    is not annotated in DATA counts as no mention there. A re-ranker has a curve and a threshold of its own: --rerank
    learns these. With --dense-contents the model that is written asks those from then on, since it is their scores that
    were calibrated.
    """
    if target_precision is not None and threshold is not None:
        raise click.UsageError("Give --target-precision or --threshold, and not both.")
    documents = read_all(files, format_)
    with session.watching():
        linker = load_linker(model, session, rerank=rerank, contents=dense_contents)
        if method is not None:
            linker.config = replace(linker.config, calibration=replace(linker.config.calibration, method=method))
        annotated = list(track(documents, "reading"))
        tell_seen(session, linker, annotated, rerank)
        with stage("ranking held-out mentions"):
            judged = linker.judged(annotated, rerank)
        calibration = Calibration.fit(judged, linker.config.calibration)
        rule = NilRule(threshold, target_precision)
        if rule == NilRule():
            rule = NilRule(target_precision=linker.decision(rerank)[1].target_precision)
        linker = linker.calibrated_by(calibration, rule, rerank)
        before = linker.finding
        if not (given_only or rerank):
            linker = linker.decided_by(annotated, rule)
        after = judged.cross_validated(linker.config.calibration)
        if report is not None:
            with output_stream(report) as stream:
                stream.write(reliability_chart(judged.held_out, after))
        linker.save(output or model)
    if session.is_json:
        settled = linker.decision(rerank)[1]
        click.echo(json.dumps(_summary(output or model, settled, calibration, judged.held_out, after)))
    else:
        print_calibration(console_on(sys.stdout), judged.held_out, after, PRECISIONS)
    tell_expectation(session, linker, rerank)
    if linker.finding is not before:
        tell_found_expectation(session, linker)
    session.note(f"Model written to {Path(output or model)}.")


def _summary(path: str, rule: NilRule, calibration: Calibration, before: HeldOut, after: HeldOut) -> dict[str, Any]:
    expected = calibration.held_out.at(rule.least_score)
    calibrator = calibration.calibrator
    figures = {
        name: {metric.name: metric.value for metric in held_out.confidences.metrics(n_draws=1)}
        for name, held_out in (("before", before), ("after", after))
    }
    return {
        "model": path,
        "mentions": len(before),
        "method": "none" if calibrator is None else calibrator.method,
        "threshold": rule.threshold,
        "target_precision": rule.target_precision,
        "precision": expected.precision,
        "coverage": expected.coverage,
        "coverage_low": expected.coverage_interval.low,
        "coverage_high": expected.coverage_interval.high,
        **figures,
    }
