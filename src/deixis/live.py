"""A model that can be changed while it is used: entities added, edited, removed, links corrected, all of it undone.

In short, for those who build on it:

- `live = LiveModel.open("model")` opens a model folder and the journal beside it (`model.journal`).
- `live.linker` is a `Linker` with every change that any process committed; checking that costs microseconds. A linker
  is a value: keep the one you got for as long as one answer takes; `linker.generation` is the last change that it has.
- `live.add(records)`, `live.edit(id, {"title": ...})`, `live.remove(ids)`, `live.add_alias(id, alias)`,
  `live.remove_alias(id, alias)`, `live.correct(corrections)`, `live.uncorrect(corrections)`, `live.sync(kb)` and
  `live.undo(generation | (first, last) | None)` each write one durable change and return it as a `Change`
  (`generation`, `time`, `author`, `reason`, `verb`, `items`, `undoes`; `to_dict()` for JSON). All take `author=`,
  `reason=` and `dry_run=`; a dry run, or a wish that changes nothing, returns a change without a generation.
- `live.log(limit, since)` are the changes, the newest first; `live.diff(first, last)` is what they come to together.
- `live.compact()` writes the changes into the folder; `live.close()` closes the journal.
- Wrong input is a `DataError`; a journal that cannot be used, or is written to for too long by others, a `StoreError`.

One object may be used by any number of threads. After a fork, open another one.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypedDict, Unpack

from deixis.documents.corrections import Correction
from deixis.errors import DataError
from deixis.kb.edited_list import EditedList
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.changes import EntityRecord, Items, ModelView
from deixis.linking.corrections import Corrections
from deixis.linking.model import LinkerModel
from deixis.linking.model_state import ENTITY, ModelState
from deixis.linking.stored import KIND
from deixis.linking.stored_settings import stored_config
from deixis.linking.undo import SYNC, UNDO, last_undoable, source_records, undone
from deixis.store.change import Change, ChangeItem
from deixis.store.journal import TIMEOUT, Journal, Version
from deixis.store.model_folder import save_model
from deixis.store.origin import Signature, folder_signature, replacing
from deixis.training.folder_model import FolderModel

MAX_REMOVED = 0.5
"""The share of all entities that a sync removes only if it is forced to."""


class About(TypedDict, total=False):
    """What every change can be given: who makes it and why, and whether it is only planned."""

    author: str
    reason: str
    dry_run: bool


class LiveModel:
    """A model folder and its journal: a linker that is up to date, and the ways to change it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "model"
    >>> Linker.build(KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}])).save(folder)
    >>> live = LiveModel.open(folder)
    >>> live.add({"id": "Q84", "title": "London"}, author="eve").generation
    1
    >>> live.linker.link("From Paris to London.").mentions[1].entity
    'Q84'
    >>> live.undo().undoes, len(live.linker.kb)
    ((1, 1), 1)
    """

    def __init__(self, folder: FolderModel, n_threads: int = 0, timeout: float = TIMEOUT) -> None:
        self.path = folder.origin.folder
        self._n_threads, self._timeout = n_threads, timeout
        self._refreshing = threading.RLock()
        self._linker: Linker | None = None  # made when it is wanted
        self._version: Version | tuple[()] = ()  # none that a journal has: the first use reads it
        self._take(folder)

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], n_threads: int = 0, *, verify: bool = False, timeout: float = TIMEOUT
    ) -> LiveModel:
        """The model at `path`; a writer waits `timeout` seconds for others."""
        return cls(FolderModel.load(path, n_threads, verify=verify), n_threads, timeout)

    def close(self) -> None:
        """Closes the journal."""
        self._journal.close()

    @property
    def linker(self) -> Linker:
        """The linker with every change so far."""
        return self.current()[0]

    @property
    def generation(self) -> int:
        """The number of the last change."""
        with self._refreshing:
            self._refresh()
            return self._state.generation

    def current(self, *, reload: bool = True) -> tuple[Linker, int]:
        """The linker with every change so far, and the number of the last one.

        A folder that was replaced is loaded; without `reload` only its journal is followed, which takes milliseconds.
        """
        with self._refreshing:
            self._refresh(reload)
            if self._linker is None:
                self._linker = self._made()
            return self._linker, self._state.generation

    def add(self, records: EntityRecord | Iterable[EntityRecord], **about: Unpack[About]) -> Change:
        """Adds entities, one or many; an id that is there already is an error."""
        several = [records] if isinstance(records, Mapping) or not isinstance(records, Iterable) else list(records)
        return self._change("add", lambda view: view.added(several), **about)

    def edit(self, identifier: str, changes: Mapping[str, Any], **about: Unpack[About]) -> Change:
        """Replaces fields of an entity, as in native records; None empties a field."""
        return self._change("edit", lambda view: view.edited(identifier, changes), **about)

    def remove(self, identifiers: str | Iterable[str], **about: Unpack[About]) -> Change:
        """Removes entities, and corrections that name them."""
        several = [identifiers] if isinstance(identifiers, str) else list(identifiers)
        return self._change("remove", lambda view: view.removed(several), **about)

    def add_alias(self, identifier: str, alias: str | Mapping[str, Any], **about: Unpack[About]) -> Change:
        """Gives an entity one more name: a text, or a record with `text`, `lang` and `count`."""
        return self._change("alias", lambda view: view.with_alias(identifier, alias), **about)

    def remove_alias(self, identifier: str, alias: str, **about: Unpack[About]) -> Change:
        """Takes a name from an entity."""
        return self._change("alias", lambda view: view.without_alias(identifier, alias), **about)

    def correct(self, corrections: Iterable[Correction], **about: Unpack[About]) -> Change:
        """Corrects what spans of texts mean, or that they mean nothing; of two about one span the later one holds."""
        several = list(corrections)
        return self._change("correct", lambda view: view.corrected(several), **about)

    def uncorrect(self, corrections: Iterable[Correction], **about: Unpack[About]) -> Change:
        """Removes these corrections; those that there are not are passed over."""
        several = list(corrections)
        return self._change("uncorrect", lambda view: view.without_corrections(several), **about)

    def sync(
        self,
        source: KnowledgeBase | str | os.PathLike[str],
        *,
        force: bool = False,
        **about: Unpack[About],
    ) -> Change:
        """Brings the list up to date with its source: what the source changed since it was last read, as one change.

        What people changed here, and the source did not, stays. To remove more than half of all entities is refused
        unless it is forced.
        """
        kb = source if isinstance(source, KnowledgeBase) else KnowledgeBase.read(source)

        def difference(view: ModelView) -> Items:
            items = view.synced(kb, source_records(self._journal.changes()))
            n_removed = sum(item.after is None for item in items if item.kind == ENTITY)
            if n_removed > MAX_REMOVED * view.kb.n_entities and not force and not about.get("dry_run"):
                raise DataError(
                    f"the list has {len(kb):,} entities, and {n_removed:,} of {view.kb.n_entities:,} in the model "
                    "would be removed. Is it the right list? Look with --dry-run (dry_run=True); to do it, --force "
                    "(force=True)"
                )
            return items

        return self._change(SYNC, difference, **about)

    def undo(self, generation: int | tuple[int, int] | None = None, **about: Unpack[About]) -> Change:
        """Takes back a change, a range of changes, or the last one that was not taken back.

        Answers are then the same as before it. A change that took others back can be taken back, too.
        """
        which: list[tuple[int, int]] = []

        def restored(view: ModelView) -> Items:
            which[:] = [self._range(generation)]
            changes = self._journal.changes(*which[0])
            has_entity = lambda identifier: view.kb.own_id(identifier) is not None  # noqa: E731
            return tuple(undone(changes, self._journal.entry, view.state, has_entity))

        return self._change(UNDO, restored, lambda: which[0], **about)

    def log(self, limit: int | None = None, since: int = 0) -> list[Change]:
        """The changes after the generation `since`, the newest first."""
        return self._journal.changes(since + 1, limit=limit)

    def diff(self, first: int = 0, last: int | None = None) -> Change:
        """What the changes after the generation `first` up to `last` come to together, as one change."""
        end = self._journal.generation if last is None else last
        if first > end:
            raise DataError(f"generation {first} is not before generation {end}")
        key_to_item: dict[tuple[str, str], ChangeItem] = {}
        for change in reversed(self._journal.changes(first + 1, end)):
            for item in change.items:
                before = key_to_item.get((item.kind, item.key), item)
                key_to_item[item.kind, item.key] = replace(item, before=before.before)
        return Change("diff", tuple(item for item in key_to_item.values() if item.before != item.after))

    def compact(self) -> int:
        """Writes all changes into the model folder, and returns the last one that is inside it.

        The journal stays, so that older changes can still be undone; those made meanwhile stay in it alone.
        """
        with self._refreshing:
            self._refresh()
            folder, state = self._folder, self._state
        origin, arrays = folder.origin, folder.compacted(state)
        swapping = replacing(self.path, origin, may_be_behind=True)
        save_model(self.path, KIND, stored_config(folder.built), arrays, swapping=swapping)
        return state.generation

    def _range(self, generation: int | tuple[int, int] | None) -> tuple[int, int]:
        if generation is None:
            generation = last_undoable(self._journal.changes(has_items=False))
            if generation is None:
                raise DataError("there is no change to undo")
        first, last = (generation, generation) if isinstance(generation, int) else generation
        newest = self._journal.generation
        if not 1 <= first <= last <= newest or not self._journal.changes(first, first, has_items=False):
            shown = f"{first}" if first == last else f"{first}-{last}"
            raise DataError(f"there is no change {shown} to undo; the last one is {newest}. deixis kb log lists them")
        return first, last

    def _change(
        self,
        verb: str,
        plan: Callable[[ModelView], Items],
        undoes: Callable[[], tuple[int, int]] | None = None,
        *,
        author: str = "",
        reason: str = "",
        dry_run: bool = False,
    ) -> Change:
        """Plans a change on the model as it is when nobody else can change it, and writes it."""
        change, generation = self._planned(verb, plan)
        change = replace(change, author=author, reason=reason)
        if dry_run or not change.items:  # nothing to write: no journal is begun for it
            return change if undoes is None else replace(change, undoes=undoes())
        with self._journal.writing() as writer:
            if (writer.generation, folder_signature(self.path)) != (generation, self._signature):
                change = replace(change, items=self._planned(verb, plan)[0].items)
            change = change if undoes is None else replace(change, undoes=undoes())
            return writer.append(change) if change.items else change

    def _planned(self, verb: str, plan: Callable[[ModelView], Items]) -> tuple[Change, int]:
        with self._refreshing:
            self._refresh()
            view = ModelView(self._list.kb, self._state, self._folder.built.kb)
            generation = self._state.generation
        return Change(verb, plan(view)), generation

    def _refresh(self, reload: bool = True) -> None:
        """Takes up what others changed: in the journal, or by replacing the folder."""
        if reload and folder_signature(self.path) != self._signature:
            self._take(FolderModel.load(self.path, self._n_threads))
        version = self._journal.version()
        if version == self._version:
            return
        snapshot = self._journal.snapshot(self._state.generation)
        if snapshot.generation < self._state.generation:  # another journal, or none any more
            self._set(self._folder.state)
            snapshot = self._journal.snapshot(self._state.generation)
        if snapshot.generation != self._state.generation:
            self._set(self._folder.after(snapshot, self._state))
        self._version = version

    def _take(self, folder: FolderModel) -> None:
        """Starts from a folder."""
        self._folder: FolderModel = folder
        self._signature: Signature | None = folder.origin.signature
        self._journal: Journal = folder.journal
        self._journal.timeout = self._timeout
        self._corrected: tuple[Corrections, LinkerModel] = (folder.state.corrections, folder.built)
        self._latest: LinkerModel | None = None  # whose parts of added entities are used again
        self._version = ()
        self._state: ModelState = folder.state
        self._list: EditedList = folder.unedited
        self._set(folder.state)
        self._set(folder.after(self._journal.snapshot(folder.state.generation)))

    def _set(self, state: ModelState) -> None:
        """Takes up a state that was made from the one before; the linker is made when it is wanted."""
        self._list = state.list_after(self._list)
        self._state, self._linker = state, None

    def _made(self) -> Linker:
        corrections = self._state.corrections
        if corrections != self._corrected[0]:
            self._corrected = corrections, self._folder.corrected(corrections)
        self._latest = self._folder.at(self._state, self._list, self._corrected[1], self._latest)
        return Linker(self._latest)
