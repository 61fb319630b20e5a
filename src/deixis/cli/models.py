"""Where commands meet a linker: loading it, feeding it batch by batch, and glossing its entities."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import get_args

import click

from deixis.candidates.sources.vectors import Contents
from deixis.cli.session import Session
from deixis.errors import ConfigError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.linker import Linker
from deixis.linking.nil import NilRule
from deixis.types import Document, Mention

BATCH_SIZE = 256


def batches(documents: Iterable[Document], size: int = BATCH_SIZE) -> Iterator[list[Document]]:
    """The documents in lists of `size`, the last one shorter.

    Examples
    --------
    >>> [len(batch) for batch in batches([Document(str(n), "") for n in range(5)], size=2)]
    [2, 2, 1]
    """
    iterator = iter(documents)
    while batch := list(itertools.islice(iterator, size)):
        yield batch


rerank_option = click.option(
    "--rerank", is_flag=True, help="Look again at the best candidates: slower, for a model that was taught to."
)

reader_option = click.option(
    "--reader/--no-reader",
    "read",
    default=None,
    help="Ask the model's reader about texts without mentions, or do not. [default: ask if it has one]",
)

contents_option = click.option(
    "--dense-contents",
    type=click.Choice(get_args(Contents)),
    help="What vectors of mentions are held against, for a model with an encoder. [default: as it was built]",
)


def load_linker(
    path: str,
    session: Session,
    top_k: int | None = None,
    rule: NilRule | None = None,
    rerank: bool = False,
    contents: Contents | None = None,
) -> Linker:
    """The linker at `path`; it shows `top_k` candidates and decides by `rule`, where they are given.

    With `rerank` it must have a re-ranker, and the rule is that one's. With `contents` it must have a dense list, of
    which descriptions, contexts or both are asked.
    """
    linker = Linker.load(path, n_threads=session.threads)
    if rerank and linker.reranking is None:
        raise ConfigError(
            f"The model {path} has no re-ranker, so it cannot rerank. Teach it one from annotated mentions: "
            f"deixis learn {path} --mentions train.jsonl --rerank"
        )
    if contents is not None:
        linker = _with_contents(linker, contents, path)
    if top_k is not None:
        linker = linker.showing(top_k)
    if rule is None:
        return linker
    if rule.target_precision is not None and linker.decision(rerank)[0] is None:
        raise ConfigError(
            f"The model {path} cannot tell which threshold has a precision of {rule.target_precision}: it was never "
            f"calibrated. Calibrate it with: deixis calibrate {path} ANNOTATED{' --rerank' if rerank else ''}"
        )
    return linker.ruled_by(rule, rerank)


def _with_contents(linker: Linker, contents: Contents, path: str) -> Linker:
    dense = linker.generator.dense
    if dense is None:
        raise ConfigError(
            f"The model {path} has no vectors, so there is nothing to choose with --dense-contents. Build one that has "
            "with: deixis build KB --encoder static"
        )
    if contents == "contexts" and dense.contexts is None:
        raise ConfigError(
            f"The model {path} has vectors of descriptions only. Build it with annotated mentions to have contexts: "
            "deixis build KB --encoder static --mentions train.jsonl"
        )
    return linker.with_dense(dense.with_contents(contents))


def tell_expectation(session: Session, linker: Linker, rerank: bool = False) -> None:
    """Says what the linker's threshold buys, by the mentions it was calibrated on."""
    calibration, rule = linker.decision(rerank)
    if calibration is None:
        return
    held_out = calibration.held_out
    made = "mentions made from the knowledge base" if calibration.source == "rehearsed" else "held-out mentions"
    wish = "" if rule.target_precision is None else f" for a precision of {rule.target_precision:g}"
    expected = held_out.at(rule.least_score)
    name = "Threshold of the re-ranker" if rerank else "Threshold"
    session.note(f"{name} {rule.least_score:.3f}{wish}: by {len(held_out):,} {made} it {expected}.")


def tell_found_expectation(session: Session, linker: Linker) -> None:
    """Says what linking texts without mentions brings, by the documents that its decision was learned from."""
    if linker.finding.calibration is None:
        return
    held_out, least = linker.finding.calibration.held_out, linker.finding.nil.least_score
    is_linked = held_out.scores >= max(least, 1e-12)
    n_right, n_links, n_known = (
        int(each.sum()) for each in (held_out.is_right & is_linked, is_linked, held_out.is_known)
    )
    session.note(
        f"In texts without mentions, threshold {least:.3f}: {n_right:,} of {n_links:,} links are right, of {n_known:,} "
        f"mentions annotated in {len(set(held_out.documents.tolist())):,} documents."
    )


def tell_seen(session: Session, linker: Linker, documents: Sequence[Document], rerank: bool = False) -> None:
    """Warns that a model is judged on documents that it has learned from."""
    seen = linker.learned_from
    if rerank and linker.reranking is not None:
        seen |= linker.reranking.learned_from
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
