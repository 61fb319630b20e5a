"""Who is under test: a model that links annotated documents now, or a file of what another run predicted."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from deixis.cli.models import batches, load_linker, without_gold
from deixis.cli.session import Session
from deixis.config import config_to_dict
from deixis.documents.reading import read_documents
from deixis.evaluation.distinct import distinct
from deixis.evaluation.pairing import paired
from deixis.linking.linker import Linker
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
    """A linker as it answers; and, where recall is asked for deeper than it looks, the same one looking deeper.

    More candidates share the confidence among more of them, so links are always judged by the first.
    """

    linker: Linker
    deeper: Linker | None = None
    is_end_to_end: bool = False

    @classmethod
    def load(cls, path: str, session: Session, depth: int, is_end_to_end: bool = False) -> LinkerUnderTest:
        """The linker at `path`, ready to be asked for its `depth` best candidates."""
        linker = load_linker(path, session)
        is_deep_enough = depth <= linker.config.n_candidates
        return cls(linker, None if is_deep_enough else load_linker(path, session, top_k=depth), is_end_to_end)

    @property
    def settings(self) -> dict[str, Any]:
        """The linker's own."""
        return config_to_dict(self.linker.config)

    def answers(self, gold: Iterable[Document], gold_name: str, speed: Speed) -> Iterator[Answered]:
        """The documents linked batch by batch; end to end, only their text is shown to the linker."""
        for batch in batches(distinct(gold, gold_name)):
            bare = [without_gold(document) for document in batch]
            if self.is_end_to_end:
                bare = [document.with_mentions(()) for document in bare]
            started = time.perf_counter()
            predicted = self._link(self.linker, bare)
            speed.seconds += time.perf_counter() - started
            speed.n_mentions += sum(len(document.mentions) for document in predicted)
            ranked = [None] * len(batch) if self.deeper is None else self._link(self.deeper, bare)
            yield from map(Answered, batch, predicted, ranked)

    def _link(self, linker: Linker, documents: list[Document]) -> list[Document]:
        """The documents linked; given mentions are all there are, even where there are none."""
        asked = [document for document in documents if document.mentions or self.is_end_to_end]
        linked = iter(linker.link(asked))
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
