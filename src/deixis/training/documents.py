"""Annotated documents to train on: those that a model has not seen, their mentions that it can learn from."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np

from deixis.candidates.annotated import known_mentions
from deixis.errors import DataError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.model import LinkerModel
from deixis.linking.seen_documents import SeenDocuments
from deixis.types import Document, MentionInContext

logger = logging.getLogger(__name__)

N_SHOWN = 3  # ids that an error shows


def split_documents(documents: Sequence[Document], fraction: float, seed: int) -> tuple[list[Document], list[Document]]:
    """The documents to learn from and those held out, drawn at random; both in their old order.

    Examples
    --------
    >>> documents = [Document(str(number), "") for number in range(10)]
    >>> [len(part) for part in split_documents(documents, 0.2, seed=0)]
    [8, 2]
    """
    is_held_out = np.random.default_rng(seed).permutation(len(documents)) < round(len(documents) * fraction)
    pairs = list(zip(documents, is_held_out.tolist(), strict=True))
    return [document for document, is_out in pairs if not is_out], [document for document, is_out in pairs if is_out]


def unseen(model: LinkerModel, documents: Sequence[Document], purpose: str) -> list[Document]:
    """The documents that a model was not trained on; none left is an error, and so is none given."""
    if not documents:
        raise DataError(f"There are no documents {purpose}.")
    seen, new = model.all_seen.split(documents)
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
    """The documents without those held out, compared by their text."""
    _, others = SeenDocuments.of(held_out).split(documents)
    return others


def n_known(kb: KnowledgeBase, documents: Sequence[Document]) -> int:
    """How many mentions have an entity of the knowledge base."""
    return sum(1 for _ in known_mentions(kb, documents))


def known(
    kb: KnowledgeBase, documents: Sequence[Document], purpose: str
) -> tuple[list[MentionInContext], list[list[int]]]:
    """The mentions whose entity the knowledge base holds, and the rows that answer each; an error if there are none."""
    pairs = list(known_mentions(kb, documents))
    if not documents:
        raise DataError(
            f"No documents are left {purpose}: some are held out for evaluation. Give more, or give those with --dev."
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
