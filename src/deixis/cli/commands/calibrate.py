"""`deixis calibrate`: scores that say how often a link is right, and the threshold for a wanted precision."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import click

from deixis.cli.expectations import report_detected_expectation, report_expectation
from deixis.cli.files import read_all
from deixis.cli.link_options import link_options, load_linker
from deixis.cli.options import CommandWithSettings
from deixis.cli.output import output_stream
from deixis.cli.render import console_on
from deixis.cli.render_tables import print_calibration
from deixis.cli.session import Session, examples, session_options
from deixis.decision.calibrator import Calibrator, Method
from deixis.decision.decision import Decision
from deixis.decision.threshold_curve import Expectation, ThresholdCurve
from deixis.documents.formats import READERS
from deixis.linker import Linker
from deixis.linking.model import LinkerModel
from deixis.linking.options import LinkOptions
from deixis.progress import stage, track
from deixis.reports.reliability import held_out_links, reliability_chart
from deixis.training.calibrate import judge, with_decision
from deixis.training.detector import fit_detected
from deixis.training.vectors import with_vectors
from deixis.types import Document

PRECISIONS = (0.9, 0.95, 0.99)


@click.command(
    cls=CommandWithSettings,
    heading="Input and output",
    epilog=examples(
        "deixis calibrate model dev.jsonl.gz                          # in place",
        "deixis calibrate model dev.jsonl --target-precision 0.95 -o precise",
        "deixis calibrate model dev.jsonl --report reliability.svg",
        "deixis calibrate model dev.jsonl --rerank      # the re-ranker's scores",
        "deixis calibrate m dev.jsonl --vectors descriptions -o m2",
    ),
)
@click.argument("model", type=click.Path())
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="DATA...")
@click.option("-o", "--output", metavar="MODEL", help="The model folder to write. [default: in place]")
@link_options("target_precision", "threshold", "rerank", "vectors")
@click.option("--method", type=click.Choice(get_args(Method)), help="Curve from score to probability. [default: auto]")
@click.option("--format", "format_", help=f"Format of DATA: {', '.join(READERS)}. [default: by the file]")
@click.option(
    "--given-only", is_flag=True, help="DATA have not all mentions annotated: learn nothing about finding them."
)
@click.option("--report", metavar="FILE", help="Write a picture (SVG) of probabilities before and after.")
@session_options("json", "threads", "verify")
def calibrate(
    session: Session,
    model: str,
    files: tuple[str, ...],
    output: str | None,
    options: LinkOptions,
    method: Method | None,
    format_: str | None,
    given_only: bool,
    report: str | None,
) -> None:
    """Learn from annotated documents how often MODEL's links of each score are right, and where to stop linking.

    DATA are documents that the model was not built with. Their mentions have an `entity`, null for NIL; a link where
    gold is NIL, or an entity that the knowledge base lacks, is wrong. Without a target precision or a threshold, the
    threshold is the one with the best F1. Figures after calibration are those of curves that had not seen the document.
    Where a model finds mentions by their probabilities, when to link in texts that bring none is learned anew, too:
    whatever is not annotated in DATA counts as no mention there. A re-ranker has a curve and a threshold of its own:
    --rerank learns these. With --vectors the model that is written compares with those from then on, since it is their
    scores that were calibrated.
    """
    documents, rerank = read_all(files, format_), options.rerank
    with session.watching():
        before = _with_settings(load_linker(model, session, _without_threshold(options)).model, options, method)
        annotated = list(track(documents, "reading"))
        _warn_of_seen(session, before, annotated, rerank)
        with stage("ranking held-out mentions"):
            measured = judge(before, annotated, rerank)
        decision = measured.decision(before.config.calibration)
        after = with_decision(before, decision, options.threshold, options.target_precision, rerank)
        final_decision = (after.decisions.reranked if rerank else after.decisions.given) or decision
        if not (given_only or rerank):
            after = fit_detected(after, annotated, options.threshold, final_decision.target_precision)
        calibrated = measured.cross_validated(before.config.calibration)
        if report is not None:
            with output_stream(report) as stream:
                stream.write(reliability_chart(measured.curve, calibrated))
        Linker(after).save(output or model)
    if session.is_json:
        click.echo(json.dumps(_summary(output or model, final_decision, measured.curve, calibrated)))
    else:
        print_calibration(console_on(sys.stdout), measured.curve, calibrated, PRECISIONS)
    report_expectation(session, final_decision, rerank)
    if after.decisions.detected is not before.decisions.detected:
        report_detected_expectation(session, after.decisions.detected)
    session.note(f"Model written to {Path(output or model)}.")


def _warn_of_seen(session: Session, model: LinkerModel, documents: Sequence[Document], rerank: bool = False) -> None:
    """Warns that a model is measured on documents that it has learned from."""
    seen = model.all_seen
    if rerank and model.reranker is not None:
        seen |= model.reranker.seen
    n_seen = int(seen.holds(documents).sum())
    if n_seen:
        session.note(
            f"Warning: the model has learned from {n_seen:,} of these {len(documents):,} documents and looks better on "
            "them than on others. Give documents that it has not seen."
        )


def _without_threshold(options: LinkOptions) -> LinkOptions:
    """The same without what is yet to be learned: a model not calibrated yet has no threshold for a precision."""
    return replace(options, threshold=None, target_precision=None)


def _with_settings(model: LinkerModel, options: LinkOptions, method: Method | None) -> LinkerModel:
    """The model with the vectors and the method of the options, which it keeps."""
    vectors = model.sources.get("vectors")
    if options.vectors is not None and vectors is not None:
        model = with_vectors(model, vectors.with_contents(options.vectors))
    if method is None:
        return model
    calibration = replace(model.config.calibration, method=method)
    return replace(model, config=replace(model.config, calibration=calibration))


def _summary(path: str, decision: Decision, before: ThresholdCurve, after: ThresholdCurve) -> dict[str, Any]:
    figures = {
        name: {metric.name: metric.value for metric in held_out_links(curve).metrics(n_draws=1)}
        for name, curve in (("before", before), ("after", after))
    }
    expected = decision.expectation()
    return {
        "model": path,
        "mentions": len(before),
        "method": decision.model.method if isinstance(decision.model, Calibrator) else "none",
        "threshold": decision.threshold,
        "target_precision": decision.target_precision,
        **({} if expected is None else _expected(expected)),
        **figures,
    }


def _expected(expected: Expectation) -> dict[str, float]:
    return {
        "precision": expected.precision,
        "coverage": expected.coverage,
        "coverage_low": expected.coverage_interval.low,
        "coverage_high": expected.coverage_interval.high,
    }
