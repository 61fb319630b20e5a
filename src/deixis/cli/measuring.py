"""Who is under test: a model that links annotated documents now, or a file of what another run predicted."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from deixis.cli.models import BATCH_SIZE, decision_of, load_linker, without_gold
from deixis.cli.session import Session
from deixis.config import config_to_dict
from deixis.documents.reading import read_documents
from deixis.evaluation.pairing import distinct, paired
from deixis.linker import Linker
from deixis.linking.batching import in_lists
from deixis.linking.options import LinkOptions
from deixis.linking.plan import LinkPlan
from deixis.tables import EntityMask
from deixis.types import Document


class Answered(NamedTuple):
    """A gold document, what was made of it, and the same with more candidates where a deeper look was taken."""

    gold: Document
    predicted: Document
    ranked: Document | None = None


class Speed:
    """How many mentions were linked in how many seconds."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.n_mentions = 0

    @property
    def per_second(self) -> float | None:
        """Mentions per second; None if nothing was linked here."""
        return self.n_mentions / max(self.seconds, 1e-9) if self.n_mentions else None


class UnderTest(Protocol):
    """Whoever answers: each gold document comes back with an answer."""

    @property
    def settings(self) -> dict[str, Any]:
        """What to note beside the results."""

    def answers(self, gold: Iterable[Document], gold_name: str, speed: Speed) -> Iterator[Answered]:
        """One answer per gold document."""


@dataclass(frozen=True)
class LinkerUnderTest:
    """A linker as it answers; where recall is asked for deeper than it looks, with longer lists of candidates.

    Links do not depend on how many candidates are shown, so they are those of the linker, however deep the look.
    """

    linker: Linker
    depth: int = 0
    is_end_to_end: bool = False
    options: LinkOptions = LinkOptions()

    @classmethod
    def load(
        cls, path: str, session: Session, depth: int, is_end_to_end: bool, options: LinkOptions
    ) -> LinkerUnderTest:
        """The linker at `path`, ready to be asked for its `depth` best candidates."""
        return cls(load_linker(path, session, options), depth, is_end_to_end, options)

    @property
    def mask(self) -> EntityMask | None:
        """Whether each entity of its knowledge base may be linked to; None if all may."""
        return self.options.only.cached_mask(self.linker.kb)

    @property
    def settings(self) -> dict[str, Any]:
        """The linker's own with the threshold in force, and the options that differ from the default."""
        model, options = self.linker.model, self.options
        decision = decision_of(model, options)
        sources = LinkPlan.of(model, options, detects=False).sources
        settings = config_to_dict(model.config) | {"candidates": config_to_dict(sources.config)}
        settings["nil"] = {"threshold": decision.threshold, "target_precision": decision.target_precision}
        if options.rerank:
            settings["rerank"] = True
        if options.reader is not None:
            settings["reader"] = options.reader
        if options.only:
            n_ids = len(options.ids)
            settings["only"] = {"types": options.types, "n_ids": n_ids, "languages": options.languages}
        return settings

    def answers(self, gold: Iterable[Document], gold_name: str, speed: Speed) -> Iterator[Answered]:
        """The documents linked batch by batch; end to end, only their text is shown to the linker."""
        n_own = self.linker.config.n_candidates
        for batch in in_lists(distinct(gold, gold_name), BATCH_SIZE):
            bare = [document.with_mentions(()) if self.is_end_to_end else without_gold(document) for document in batch]
            started = time.perf_counter()
            linked = self._link(bare, max(self.depth, n_own))
            speed.seconds += time.perf_counter() - started
            speed.n_mentions += sum(len(document.mentions) for document in linked)
            for document, answer in zip(batch, linked, strict=True):
                yield Answered(document, _cut(answer, n_own), answer if self.depth > n_own else None)

    def _link(self, documents: list[Document], top_k: int) -> list[Document]:
        """The documents linked; given mentions are all there are, even where there are none."""
        shown = [document for document in documents if document.mentions or self.is_end_to_end]
        linked = self.linker.link_many(shown, self.options, top_k=top_k, batch_size=BATCH_SIZE)
        return [next(linked) if document.mentions or self.is_end_to_end else document for document in documents]


def _cut(document: Document, k: int) -> Document:
    """The document with the best `k` candidates of each mention."""
    return document.with_mentions([mention.with_candidates(mention.candidates[:k]) for mention in document.mentions])


@dataclass(frozen=True)
class PredictionsUnderTest:
    """A file of documents with links, of Deixis or of anybody."""

    path: str
    format: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    skipped: dict[str, int] | None = None
    """Where to count documents whose id came before; without it they are an error."""

    def answers(self, gold: Iterable[Document], gold_name: str, speed: Speed) -> Iterator[Answered]:
        """Each gold document with the predicted one of the same id; nothing is linked, so there is no speed."""
        predicted = read_documents(self.path, self.format)
        if self.skipped is not None:
            predicted = distinct(predicted, self.path, self.skipped)
        return (Answered(*pair) for pair in paired(gold, predicted, gold_name, self.path))
