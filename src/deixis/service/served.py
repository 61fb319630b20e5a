"""The model that is served: loaded from its folder, with the corrections made since. It is replaced, never mutated."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from deixis.documents.corrections import Correction
from deixis.errors import StoreError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.kb.name_prefixes import NamePrefixes
from deixis.labelling import labeller as labelling
from deixis.labelling.labeller import Labeller
from deixis.linker import Linker
from deixis.linking import stored as linking
from deixis.linking.corrections import known_to
from deixis.service.api.failures import Refusal
from deixis.store.model_folder import open_model

KINDS = (linking.KIND, labelling.KIND)


@dataclass(frozen=True, eq=False)
class Opened:
    """A linker or a labeller as saved in its folder, memory-mapped."""

    path: Path
    kind: str
    model: Linker | Labeller

    @classmethod
    def at(cls, path: Path) -> Opened:
        """The model in a folder."""
        kind = kind_of(path)
        if kind == labelling.KIND:
            return cls(path, kind, Labeller.load(path, n_threads=1))
        linker = Linker.load(path, n_threads=1)
        linker.link(linker.kb.title(0) if len(linker.kb) else "")  # warm up, so that the first request is not slow
        return cls(path, kind, linker)

    @property
    def kb(self) -> KnowledgeBase:
        """The knowledge base, or the vocabulary of labels."""
        return self.model.kb if isinstance(self.model, Linker) else self.model.vocabulary

    @cached_property
    def prefixes(self) -> NamePrefixes:
        """An index of names by prefix, built on first use."""
        popularity = self.model.model.ranker.facts.popularity if isinstance(self.model, Linker) else None
        return NamePrefixes(self.kb, popularity)


@dataclass(frozen=True, eq=False)
class Served:
    """The model in a folder, with the corrections made since it was saved."""

    opened: Opened
    model: Linker | Labeller
    n_left_out: int = 0  # corrections whose entities are no longer in the knowledge base
    loaded: float = field(default_factory=time.time)

    @classmethod
    def load(cls, path: Path, corrections: Sequence[Correction] = ()) -> Served:
        """The model in a folder, with these corrections applied."""
        opened = Opened.at(path)
        return cls(opened, opened.model).corrected(corrections)

    @property
    def path(self) -> Path:
        """The folder."""
        return self.opened.path

    @property
    def kind(self) -> str:
        """The kind of model: linker or labeller."""
        return self.opened.kind

    @property
    def linker(self) -> Linker:
        """The linker; raises Refusal (404) if the model is a labeller."""
        return _linker(self.model)

    @property
    def labeller(self) -> Labeller:
        """The labeller; raises Refusal (404) if the model is a linker."""
        if isinstance(self.model, Labeller):
            return self.model
        raise Refusal(404, "not_found", "This service serves a linker, not a labeller. Use /link.")

    @property
    def kb(self) -> KnowledgeBase:
        """The knowledge base, or the vocabulary of labels."""
        return self.opened.kb

    @property
    def prefixes(self) -> NamePrefixes:
        """An index of names by prefix."""
        return self.opened.prefixes

    def corrected(self, corrections: Sequence[Correction]) -> Served:
        """The saved model with exactly these corrections; those with unknown entities are left out."""
        model = self.opened.model
        if not corrections or not isinstance(model, Linker):
            return replace(self, model=model, n_left_out=0, loaded=time.time())
        known = known_to(self.kb, corrections)
        return replace(self.with_linker(model.correct(known)), n_left_out=len(corrections) - len(known))

    def with_linker(self, linker: Linker) -> Served:
        """The same with a linker that has more corrections."""
        return replace(self, model=linker, loaded=time.time())


def _linker(model: Linker | Labeller) -> Linker:
    if isinstance(model, Linker):
        return model
    raise Refusal(404, "not_found", "This service serves a labeller, not a linker. Use /label.")


def kind_of(path: Path) -> str:
    """The kind of model in a folder; an error if that kind cannot be served."""
    kind = open_model(path).kind
    if kind not in KINDS:
        raise StoreError(f"{path} holds a model of the kind {kind!r}; the service needs one of {', '.join(KINDS)}.")
    return kind
