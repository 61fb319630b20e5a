"""What a threshold buys, said beside the results."""

from __future__ import annotations

from deixis.cli.session import Session
from deixis.decision.decision import Decision


def report_expectation(session: Session, decision: Decision, rerank: bool = False) -> None:
    """Reports the precision and coverage of a threshold, by the mentions it was calibrated on."""
    if decision.curve is None:
        return
    origin = "mentions made from the knowledge base" if decision.source == "synthetic" else "held-out mentions"
    target = "" if decision.target_precision is None else f" for a precision of {decision.target_precision:g}"
    name = "Threshold of the re-ranker" if rerank else "Threshold"
    session.note(
        f"{name} {decision.min_probability:.3f}{target}: by {len(decision.curve):,} {origin} it "
        f"{decision.expectation()}."
    )


def report_detected_expectation(session: Session, decision: Decision) -> None:
    """Reports the quality of linking texts without mentions, by the documents that its decision was learned from."""
    curve, threshold = decision.curve, decision.min_probability
    if curve is None:
        return
    is_linked = curve.scores >= max(threshold, 1e-12)
    n_right, n_links, n_known = (int(each.sum()) for each in (curve.is_right & is_linked, is_linked, curve.is_known))
    session.note(
        f"In texts without mentions, threshold {threshold:.3f}: {n_right:,} of {n_links:,} links are right, of "
        f"{n_known:,} mentions annotated in {len(set(curve.documents.tolist())):,} documents."
    )
