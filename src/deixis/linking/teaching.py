"""Annotated documents shared out: some to learn from, others to judge by, which the judged linker must not have seen.

A linker looks better on documents that it has learned from. Whoever weighs its word there against another's trusts it
too much; so documents that it has not seen are held out first, and where there are none, a second linker is built
without those held out.
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from deixis.candidates.annotated import known_mentions
from deixis.errors import DataError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.held_out import split_documents
from deixis.linking.linker import Linker
from deixis.linking.seen import SeenDocuments
from deixis.types import Document, MentionInContext

logger = logging.getLogger(__name__)

N_SHOWN = 3  # ids that an error shows
MIN_HELD_OUT = 20  # mentions of the knowledge base's entities; fewer judge nothing


@dataclass(frozen=True, eq=False)
class Teaching:
    """Documents to learn from, others to judge by, and a linker that has learned from none of the latter."""

    taught: list[Document]
    held_out: list[Document]
    linker: Linker

    @classmethod
    def of(
        cls,
        linker: Linker,
        documents: Sequence[Document],
        dev: Sequence[Document] | None = None,
        share: float = 0.2,
        seed: int = 0,
    ) -> Teaching:
        """The documents shared out; `dev` are those to judge by, where they are given, without those seen before.

        Documents without any mention of an entity of the knowledge base are an error.
        """
        known(linker.kb, documents, "to learn from")
        if dev is not None:
            held_out = unseen(linker, dev, "to hold out")
            return cls(apart_from(held_out, documents), held_out, linker)
        _, new = linker.learned_from.split(documents)
        is_new_enough = not len(linker.learned_from) or n_known(linker.kb, new) >= MIN_HELD_OUT
        held_out = _drawn(new if is_new_enough else documents, len(documents), share, seed)
        taught = apart_from(held_out, documents)
        if is_new_enough:
            return cls(taught, held_out, linker)
        logger.warning(
            "The model has learned from these documents already, so it looks better on them than it is. A second one "
            "is built without the %d held out, to judge by. With documents that the model has not seen (--dev) that is "
            "not needed.",
            len(held_out),
        )
        return cls(taught, held_out, without(linker, taught, seed))


def _drawn(documents: Sequence[Document], n_all: int, share: float, seed: int) -> list[Document]:
    """As many of the documents as are that share of all, or all of them."""
    n_wanted = max(1, round(n_all * share))
    return split_documents(documents, min(1.0, n_wanted / max(1, len(documents))), seed)[1]


def unseen(linker: Linker, documents: Sequence[Document], purpose: str) -> list[Document]:
    """The documents that a linker has not learned from; none left is an error, and so is none given."""
    if not documents:
        raise DataError(f"There are no documents {purpose}.")
    seen, new = linker.learned_from.split(documents)
    if not new:
        raise DataError(
            f"The model has learned from all {len(documents):,} documents {purpose} already, and looks better on them "
            "than it is. Give documents that it has not seen."
        )
    if seen:
        logger.warning(
            "The model has learned from %d of the %d documents %s already; they are left out.",
            len(seen), len(documents), purpose,
        )  # fmt: skip
    return new


def apart_from(held_out: Sequence[Document], documents: Sequence[Document]) -> list[Document]:
    """The documents without those held out, told by their text."""
    _, others = SeenDocuments.of(held_out).split(documents)
    return others


def without(linker: Linker, taught: Sequence[Document], seed: int = 0) -> Linker:
    """A linker like this one that has learned from `taught` only; what each kind of evidence weighs is the same."""
    if not len(
        linker.generator.tree.learned.hashes
    ):  # it was built without any: at most contexts of vectors are learned
        dense = linker.generator.dense
        other = copy.copy(linker) if dense is None else linker.with_dense(dense.taught_anew(taught))
        other.learned_from, other.calibration = SeenDocuments.of(taught), None
        return other
    config = replace(linker.config, held_out_share=0.0, rehearsal=replace(linker.config.rehearsal, use="never"))
    other = Linker.build(linker.kb, taught, config, seed, linker.n_threads, linker.generator.dense)
    other.ranker = other.ranker.with_weights(linker.ranker.weights)
    return other


def n_known(kb: KnowledgeBase, documents: Sequence[Document]) -> int:
    """How many mentions have an entity of the knowledge base."""
    return sum(1 for _ in known_mentions(kb, documents))


def known(
    kb: KnowledgeBase, documents: Sequence[Document], purpose: str
) -> tuple[list[MentionInContext], list[list[int]]]:
    """The mentions whose entity the knowledge base holds, and the rows that answer each; none at all is an error."""
    pairs = list(known_mentions(kb, documents))
    if not documents:
        raise DataError(
            f"No documents are left {purpose}: some are held out to judge by. Give more, or give those with --dev."
        )
    if pairs:
        return [mention for mention, _ in pairs], [rows for _, rows in pairs]
    named = [mention.entity for document in documents for mention in document.mentions if mention.entity is not None]
    if not named:
        raise DataError(
            f"None of the {len(documents):,} documents {purpose} has an annotated mention. Annotate mentions as "
            '{"start": 14, "end": 19, "entity": "Q167646"}.'
        )
    some = list(dict.fromkeys(named))[:N_SHOWN], kb.ids.strings(range(min(N_SHOWN, len(kb))))
    theirs, ours = (", ".join(map(repr, ids)) for ids in some)
    raise DataError(
        f"None of the {len(named):,} annotated mentions {purpose} has an entity of the knowledge base: they name "
        f"{theirs}, its ids look like {ours}. Is it another one, or are its ids of another kind?"
    )
