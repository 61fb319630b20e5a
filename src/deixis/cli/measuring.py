"""Who is under test: a model that links annotated documents now, or a file of what another run predicted."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from deixis.candidates.filters import EntityFilter
from deixis.candidates.sources.vectors import Contents
from deixis.cli.filtering import link_only
from deixis.cli.models import batches, load_linker, without_gold
from deixis.cli.session import Session
from deixis.config import config_to_dict
from deixis.documents.reading import read_documents
from deixis.evaluation.pairing import distinct, paired
from deixis.linking.linker import Linker
from deixis.linking.portions import MENTIONS_AT_ONCE
from deixis.nearest.mask_cache import Mask
from deixis.types import Candidate, Document, Mention


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
    """A linker as it answers; and, where recall is asked for deeper than it looks, what its generator proposes next.

    Its own candidates stay the first, so links and recall are those of the linker, however deep the look.
    """

    linker: Linker
    depth: int = 0
    is_end_to_end: bool = False
    only: EntityFilter = field(default_factory=EntityFilter)
    """What may be linked to."""
    rerank: bool = False
    """Whether the best candidates are looked at again."""

    @classmethod
    def load(
        cls,
        path: str,
        session: Session,
        depth: int,
        is_end_to_end: bool = False,
        only: EntityFilter | None = None,
        rerank: bool = False,
        contents: Contents | None = None,
    ) -> LinkerUnderTest:
        """The linker at `path`, ready to be asked for its `depth` best candidates."""
        linker = load_linker(path, session, rerank=rerank, contents=contents)
        return cls(linker, depth, is_end_to_end, only or EntityFilter(), rerank)

    @property
    def allowed(self) -> Mask | None:
        """Whether each entity of its knowledge base may be linked to; None if all may."""
        return self.linker.allowed(self.only)

    @property
    def settings(self) -> dict[str, Any]:
        """The linker's own, and what it may link to if that is not everything."""
        settings = config_to_dict(self.linker.config)
        if self.rerank:
            settings |= {"rerank": True, "nil": config_to_dict(self.linker.decision(rerank=True)[1])}
        if not self.only:
            return settings
        only = {"types": self.only.types, "n_ids": len(self.only.ids), "languages": self.only.languages}
        return settings | {"only": only}

    def answers(self, gold: Iterable[Document], gold_name: str, speed: Speed) -> Iterator[Answered]:
        """The documents linked batch by batch; end to end, only their text is shown to the linker."""
        for batch in batches(distinct(gold, gold_name)):
            bare = [without_gold(document) for document in batch]
            if self.is_end_to_end:
                bare = [document.with_mentions(()) for document in bare]
            started = time.perf_counter()
            predicted = self._link(bare)
            speed.seconds += time.perf_counter() - started
            speed.n_mentions += sum(len(document.mentions) for document in predicted)
            is_deep_enough = self.depth <= self.linker.config.n_candidates
            ranked = [None] * len(batch) if is_deep_enough else self._deeper(predicted)
            yield from map(Answered, batch, predicted, ranked)

    def _deeper(self, documents: list[Document]) -> Iterator[Document]:
        """The documents with longer lists: behind the candidates of each mention come others, in all `depth`."""
        asked = [mention for document in documents for mention in document.mentions_in_context()]
        proposed = (
            listed
            for begin in range(0, len(asked), MENTIONS_AT_ONCE)
            for listed in self.linker.generator.generate(
                asked[begin : begin + MENTIONS_AT_ONCE], self.depth, self.allowed
            )
        )
        for document in documents:
            yield document.with_mentions([self._longer(m, next(proposed)) for m in document.mentions])

    def _longer(self, mention: Mention, proposed: list[Candidate]) -> Mention:
        own = {candidate.id for candidate in mention.candidates}
        others = tuple(candidate for candidate in proposed if candidate.id not in own)
        return replace(mention, candidates=(mention.candidates + others)[: self.depth])

    def _link(self, documents: list[Document]) -> list[Document]:
        """The documents linked; given mentions are all there are, even where there are none."""
        asked = [document for document in documents if document.mentions or self.is_end_to_end]
        linked = iter(link_only(self.linker, asked, self.only, self.rerank))
        return [next(linked) if document.mentions or self.is_end_to_end else document for document in documents]


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
