"""Where commands meet a linker: loading it, feeding it batch by batch, and glossing its entities."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

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


def load_linker(path: str, session: Session, top_k: int | None = None, rule: NilRule | None = None) -> Linker:
    """The linker at `path`; it keeps `top_k` candidates and decides by `rule`, where they are given."""
    linker = Linker.load(path, n_threads=session.threads)
    config = linker.config
    if top_k is not None:
        config = replace(config, n_candidates=top_k)
    if rule is not None:
        config = replace(config, nil=_settled(linker, rule, path))
    linker.config = config
    return linker


def _settled(linker: Linker, rule: NilRule, path: str) -> NilRule:
    if rule.target_precision is None:
        return rule
    if linker.calibration is None:
        raise ConfigError(
            f"The model {path} cannot tell which threshold has a precision of {rule.target_precision}: it was never "
            f"calibrated. Calibrate it with: deixis calibrate {path} ANNOTATED"
        )
    return linker.calibration.settled(rule)


def tell_expectation(session: Session, linker: Linker) -> None:
    """Says what the linker's threshold buys, by the mentions it was calibrated on."""
    if linker.calibration is None:
        return
    rule, held_out = linker.config.nil, linker.calibration.held_out
    made = "mentions made from the knowledge base" if linker.calibration.source == "rehearsed" else "held-out mentions"
    wish = "" if rule.target_precision is None else f" for a precision of {rule.target_precision:g}"
    expected = held_out.at(rule.least_score)
    session.note(f"Threshold {rule.least_score:.3f}{wish}: by {len(held_out):,} {made} it {expected}.")


def without_gold(document: Document) -> Document:
    """The document with the same mentions and none of the answers: what a linker may be shown in a test."""
    return document.with_mentions([Mention(m.start, m.end, m.text) for m in document.mentions])


def gloss_of(kb: KnowledgeBase) -> Callable[[str], str]:
    """A function from an entity's id to its description, or to its types if it has none."""

    def gloss(name: str) -> str:
        row = kb.row_of(name)
        if row is None:
            return ""
        entity = kb.entity(row)
        descriptions = entity.descriptions or {}
        chosen = descriptions.get("en") or descriptions.get("") or next(iter(descriptions.values()), "")
        return chosen or ", ".join(entity.types)

    return gloss
