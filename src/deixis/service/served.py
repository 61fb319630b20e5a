"""The model that is served, with every change that any process made to it. It is replaced, never mutated."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deixis.errors import StoreError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.kb.name_prefixes import NamePrefixes
from deixis.labelling import labeller as labelling
from deixis.labelling.labeller import Labeller
from deixis.linker import Linker
from deixis.linking import stored as linking
from deixis.live import LiveModel
from deixis.service.api.failures import Refusal
from deixis.store.model_folder import open_model

KINDS = (linking.KIND, labelling.KIND)
NO_CHANGES = "This service serves a labeller, which cannot be changed here. Train it again with deixis xmr train."


@dataclass(frozen=True, eq=False)
class EntityNames:
    """The entities of a model, or its labels, and their names by prefix."""

    kb: KnowledgeBase
    popularity: NDArray[np.floating] | None

    @classmethod
    def of(cls, model: Linker | Labeller) -> EntityNames:
        """Those of a model."""
        if isinstance(model, Linker):
            return cls(model.kb, model.model.ranker.facts.popularity)
        return cls(model.vocabulary, None)

    @cached_property
    def prefixes(self) -> NamePrefixes:
        """The index, made on first use."""
        return NamePrefixes(self.kb, self.popularity)


@dataclass(frozen=True, eq=False)
class Served:
    """A linker or a labeller at one generation."""

    path: Path
    kind: str
    model: Linker | Labeller
    names: EntityNames
    loaded: float = field(default_factory=time.time)

    @property
    def linker(self) -> Linker:
        """The linker; raises Refusal (404) if the model is a labeller."""
        if isinstance(self.model, Linker):
            return self.model
        raise Refusal(404, "not_found", "This service serves a labeller, not a linker. Use /label.")

    @property
    def labeller(self) -> Labeller:
        """The labeller; raises Refusal (404) if the model is a linker."""
        if isinstance(self.model, Labeller):
            return self.model
        raise Refusal(404, "not_found", "This service serves a linker, not a labeller. Use /link.")

    @property
    def generation(self) -> int | None:
        """The number of the last change of a linker."""
        return self.model.generation if isinstance(self.model, Linker) else None

    @property
    def kb(self) -> KnowledgeBase:
        """The knowledge base, or the vocabulary of labels."""
        return self.names.kb

    @property
    def prefixes(self) -> NamePrefixes:
        """An index of names by prefix."""
        return self.names.prefixes

    def with_linker(self, linker: Linker) -> Served:
        """The same with a linker of another generation; names are indexed again only if the entities differ."""
        names = self.names if linker.kb is self.kb else EntityNames.of(linker)
        return replace(self, model=linker, names=names, loaded=time.time())


class OpenedModel:
    """A model folder, opened. The journal of a linker is followed; a labeller has none.

    Any number of threads may use it.
    """

    def __init__(self, path: Path, timeout: float) -> None:
        self.path, self.kind = path, kind_of(path)
        self._live: LiveModel | None = None
        model: Linker | Labeller
        if self.kind == labelling.KIND:
            model = Labeller.load(path, n_threads=1)
        else:
            self._live = LiveModel.open(path, n_threads=1, timeout=timeout)
            model = self._live.linker
            model.link(model.kb.title(0) if len(model.kb) else "")  # warm up, so that the first request is not slow
        self.served = Served(path, self.kind, model, EntityNames.of(model))  # the last that was used

    @property
    def live(self) -> LiveModel:
        """The ways to change the model; raises Refusal (404) if it is a labeller."""
        if self._live is None:
            raise Refusal(404, "not_found", NO_CHANGES)
        return self._live

    def newest(self) -> Served:
        """The model with every change so far: microseconds if there is no new one, else the time to apply it."""
        served = self.served
        if self._live is not None:
            # A folder that was replaced is loaded in the background, by another object of this class.
            linker, _ = self._live.current(reload=False)
            if linker is not served.model:
                self.served = served = served.with_linker(linker)
        return served

    def close(self) -> None:
        """Closes the journal; work in progress opens it again if it must."""
        if self._live is not None:
            self._live.close()


def kind_of(path: Path, *, verify: bool = False) -> str:
    """The kind of model in a folder; an error if that kind cannot be served, or with `verify` if a hash differs."""
    kind = open_model(path, verify=verify).kind
    if kind not in KINDS:
        raise StoreError(f"{path} holds a model of the kind {kind!r}; the service needs one of {', '.join(KINDS)}.")
    return kind
