"""Where commands meet a model: loading it for the options asked for, and saying what its threshold buys."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from deixis.cli.session import Session
from deixis.decision.decision import Decision
from deixis.errors import ConfigError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.model import LinkerModel
from deixis.linking.options import LinkOptions
from deixis.linking.plan import LinkPlan, LinkPlans
from deixis.types import Document, Mention

BATCH_SIZE = 256  # documents linked together

_WITH_PATH = {
    "This model": "The model {path}",
    "the model was": "the model {path} was",
    "deixis learn MODEL": "deixis learn {path}",
    "(deixis calibrate)": "(deixis calibrate {path} ANNOTATED{rerank})",
}
"""Words of errors about a model whose path the library does not know, and the same with its path."""


def load_linker(path: str, session: Session, options: LinkOptions) -> Linker:
    """The linker at `path`; what it cannot do of the options is an error that names the model and what to run."""
    linker = Linker.load(path, n_threads=session.threads)
    try:
        LinkPlans.of(linker.model, options)
    except ConfigError as error:
        message = str(error)
        for words, with_path in _WITH_PATH.items():
            told = with_path.format(path=path, rerank=" --rerank" if options.rerank else "")
            message = message.replace(words, told)
        raise ConfigError(message) from None
    return linker


def decision_of(model: LinkerModel, options: LinkOptions) -> Decision:
    """The decision on given mentions that these options lead to."""
    return LinkPlan.of(model, options, detects=False).deciding


def tell_expectation(session: Session, decision: Decision, rerank: bool = False) -> None:
    """Says what a threshold buys, by the mentions it was calibrated on."""
    if decision.curve is None:
        return
    origin = "mentions made from the knowledge base" if decision.source == "synthetic" else "held-out mentions"
    target = "" if decision.target_precision is None else f" for a precision of {decision.target_precision:g}"
    name = "Threshold of the re-ranker" if rerank else "Threshold"
    session.note(
        f"{name} {decision.min_probability:.3f}{target}: by {len(decision.curve):,} {origin} it "
        f"{decision.expectation()}."
    )


def tell_detected_expectation(session: Session, decision: Decision) -> None:
    """Says what linking texts without mentions brings, by the documents that its decision was learned from."""
    curve, threshold = decision.curve, decision.min_probability
    if curve is None:
        return
    is_linked = curve.scores >= max(threshold, 1e-12)
    n_right, n_links, n_known = (int(each.sum()) for each in (curve.is_right & is_linked, is_linked, curve.is_known))
    session.note(
        f"In texts without mentions, threshold {threshold:.3f}: {n_right:,} of {n_links:,} links are right, of "
        f"{n_known:,} mentions annotated in {len(set(curve.documents.tolist())):,} documents."
    )


def tell_seen(session: Session, model: LinkerModel, documents: Sequence[Document], rerank: bool = False) -> None:
    """Warns that a model is judged on documents that it has learned from."""
    seen = model.all_seen
    if rerank and model.reranker is not None:
        seen |= model.reranker.seen
    n_seen = int(seen.holds(documents).sum())
    if n_seen:
        session.note(
            f"Warning: the model has learned from {n_seen:,} of these {len(documents):,} documents and looks better on "
            "them than on others. Give documents that it has not seen."
        )


def without_gold(document: Document) -> Document:
    """The document with the same mentions and none of the answers: what a linker may be shown in a test."""
    return document.with_mentions([Mention(m.start, m.end, m.text) for m in document.mentions])


def gloss_of(kb: KnowledgeBase) -> Callable[[str], str]:
    """A function from an entity's id to its description, or to its types if it has none."""

    def gloss(name: str) -> str:
        row = kb.row_of(name)
        return "" if row is None else kb.entity(row).gloss

    return gloss
