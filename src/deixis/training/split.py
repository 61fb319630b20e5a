"""Annotated documents split into train and dev, with a model for evaluation that has not seen dev.

A model looks better on documents that it was trained on. So documents that it has not seen are held out first, and
where there are none, a second model is built without those held out.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from deixis.linking.model import LinkerModel
from deixis.linking.seen_documents import SeenDocuments
from deixis.training.build import build_model
from deixis.training.documents import apart_from, known, n_known, split_documents, unseen
from deixis.training.vectors import with_vectors
from deixis.types import Document

logger = logging.getLogger(__name__)

MIN_DEV = 20  # mentions of the knowledge base's entities; fewer are not enough for an evaluation


@dataclass(frozen=True, eq=False)
class TrainDevSplit:
    """Documents to train on, dev documents, and a model that was not trained on the latter."""

    train: list[Document]
    dev: list[Document]
    judge: LinkerModel

    @classmethod
    def of(
        cls,
        model: LinkerModel,
        documents: Sequence[Document],
        dev: Sequence[Document] | None = None,
        fraction: float = 0.2,
        seed: int = 0,
    ) -> TrainDevSplit:
        """The documents split; given `dev` documents are used without those seen before.

        Documents without any mention of an entity of the knowledge base are an error.
        """
        known(model.kb, documents, "to learn from")
        if dev is not None:
            held_out = unseen(model, dev, "to hold out")
            return cls(apart_from(held_out, documents), held_out, model)
        seen = model.all_seen
        _, new = seen.split(documents)
        is_new_enough = not len(seen) or n_known(model.kb, new) >= MIN_DEV
        held_out = _drawn(new if is_new_enough else documents, len(documents), fraction, seed)
        train = apart_from(held_out, documents)
        if is_new_enough:
            return cls(train, held_out, model)
        logger.warning(
            "The model was trained on these documents already, so it looks better on them than it is. A second one "
            "is built without the %d held out, for evaluation. With documents that the model has not seen (--dev) "
            "that is not needed.",
            len(held_out),
        )
        return cls(train, held_out, rebuilt_on(model, train, seed))

    def train_as_unseen(self, seed: int = 0) -> Iterator[tuple[list[Document], LinkerModel]]:
        """The train documents in parts, each with a model that was not trained on it.

        The same model for all, or, if it has seen them, a model built on one half for the other half.
        """
        if not self.judge.seen.holds(self.train).any():
            yield self.train, self.judge
            return
        halves = split_documents(self.train, 0.5, seed)
        for own, other in (halves, halves[::-1]):
            yield own, rebuilt_on(self.judge, other, seed)


def _drawn(documents: Sequence[Document], n_all: int, fraction: float, seed: int) -> list[Document]:
    """As many of the documents as are that fraction of all, or all of them."""
    n_drawn = max(1, round(n_all * fraction))
    return split_documents(documents, min(1.0, n_drawn / max(1, len(documents))), seed)[1]


def rebuilt_on(model: LinkerModel, train: Sequence[Document], seed: int = 0) -> LinkerModel:
    """A model like this one that was trained on `train` only; what each feature weighs is the same."""
    vectors = model.sources.get("vectors")
    if not len(model.ranker.facts.seen_names.hashes):  # built without documents: at most contexts of vectors were seen
        other = model if vectors is None else with_vectors(model, vectors.with_documents_only(train))
        given = replace(model.decisions.given, model=None, curve=None)
        return replace(other, seen=SeenDocuments.of(train), decisions=replace(model.decisions, given=given))
    config = replace(model.config, held_out_share=0.0)
    other = build_model(model.kb, train, config, seed=seed, n_threads=model.n_threads, earlier=model.sources.by_name)
    return replace(other, ranker=other.ranker.with_weights_of(model.ranker))
