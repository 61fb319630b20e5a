"""A model as its folder has it, and the same at any generation of its journal."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from deixis.errors import StoreError
from deixis.kb.edited_list import EditedList
from deixis.kb.edits import EntityEdits
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.corrected import with_corrections, without_corrections
from deixis.linking.corrections import Corrections, known_to
from deixis.linking.edited import with_list
from deixis.linking.model import LinkerModel
from deixis.linking.model_state import ModelState
from deixis.linking.stored import EDITS, KIND, has_edits, model_arrays, model_from
from deixis.store.change import Snapshot
from deixis.store.journal import Journal, journal_of
from deixis.store.model_folder import StoredModel
from deixis.store.origin import Origin, open_origin
from deixis.training import MAKERS


@dataclass(frozen=True, eq=False)
class FolderModel:
    """The model of a folder as it was built, and the state that the folder includes: edits and corrections.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from deixis.linking.stored_settings import stored_config
    >>> from deixis.store.model_folder import save_model
    >>> from deixis.training.build import build_model
    >>> model = build_model(KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}]))
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "model"
    >>> save_model(folder, KIND, stored_config(model), model_arrays(model))
    >>> loaded = FolderModel.load(folder)
    >>> loaded.state.generation, loaded.journal.path.name, len(loaded.built.kb)
    (0, 'model.journal', 1)
    """

    built: LinkerModel
    state: ModelState

    @classmethod
    def load(cls, path: str | os.PathLike[str], n_threads: int = 0, *, verify: bool = False) -> FolderModel:
        """The model of the folder at `path`, without the changes that only its journal has."""
        stored, origin = open_origin(path, KIND, verify=verify)
        return cls.of(stored, n_threads, origin)

    @classmethod
    def of(cls, stored: StoredModel, n_threads: int = 0, origin: Origin | None = None) -> FolderModel:
        """The model that was stored."""
        return cls(replace(model_from(stored, n_threads), origin=origin), _stored_state(stored, origin))

    @property
    def origin(self) -> Origin:
        """Where it was loaded from."""
        if self.built.origin is None:
            raise StoreError("The model was not loaded from a folder, so it has no journal. Save it, and load it.")
        return self.built.origin

    @property
    def journal(self) -> Journal:
        """The journal beside the folder."""
        return _journal(self.origin)

    def after(self, snapshot: Snapshot, before: ModelState | None = None) -> ModelState:
        """The state with what a journal says since the folder was written, or since the state `before`."""
        return (before or self.state).after(snapshot, self.built.kb)

    def corrected(self, corrections: Corrections) -> LinkerModel:
        """The built model with those of these corrections whose entities it has; enough of them refit its weights."""
        own = Corrections(tuple(known_to(self.built.kb, corrections.each)))
        if own == self.built.corrections:
            return self.built
        corrected: LinkerModel = MAKERS["corrections"](self.built, own)[0]
        return corrected

    @cached_property
    def before_corrections(self) -> LinkerModel:
        """The built model without the corrections that the folder includes."""
        return without_corrections(self.built)

    @cached_property
    def unedited(self) -> EditedList:
        """The list before any edit."""
        return EditedList.of(self.built.kb)

    def at(
        self,
        state: ModelState,
        edited: EditedList | None = None,
        corrected: LinkerModel | None = None,
        earlier: LinkerModel | None = None,
    ) -> LinkerModel:
        """The model at a state.

        `edited` is the list at that state, `corrected` what the method of that name gives, if somebody has them
        already. Edits of entities do not change the weights that corrections refit. What an `earlier` model of the same
        folder has made of added entities is not made again.
        """
        model = corrected or self.corrected(state.corrections)
        if state.entities:
            weights, weights_before = model.ranker.weights, model.uncorrected_weights
            added = None if earlier is None else earlier.added
            edited = edited or replace(state, changed=None).list_after(self.unedited)
            model = with_list(replace(self.before_corrections, added=added), edited)
            if state.corrections.each:
                model = with_corrections(model, state.corrections)
            if weights_before is not None:
                model = replace(model, ranker=model.ranker.with_weights(weights), uncorrected_weights=weights_before)
        origin = self.built.origin
        return replace(model, origin=origin and replace(origin, generation=state.generation))

    def compacted(self, state: ModelState) -> dict[str, NDArray[Any]]:
        """All that a folder needs to include a state: the parts as they were built, edits and corrections."""
        arrays = model_arrays(replace(self.corrected(state.corrections), corrections=state.corrections))
        arrays |= state.edits.to_arrays(EDITS) if len(state.edits) else {}
        return arrays | replace(self.origin, generation=state.generation).carried_to(self.origin.folder)


def current_state(stored: StoredModel, origin: Origin, built: KnowledgeBase) -> ModelState:
    """The state of a model with its journal, without loading more than its list."""
    state = _stored_state(stored, origin)
    return state.after(_journal(origin).snapshot(state.generation), built)


def _stored_state(stored: StoredModel, origin: Origin | None) -> ModelState:
    edits = EntityEdits.from_arrays(stored.arrays, EDITS) if has_edits(stored.arrays) else None
    corrections = Corrections.from_arrays(stored.arrays, "corrections")
    return ModelState.of_folder(0 if origin is None else origin.generation, edits, corrections)


def _journal(origin: Origin) -> Journal:
    return Journal(journal_of(origin.folder), origin.model_id, origin.generation)
