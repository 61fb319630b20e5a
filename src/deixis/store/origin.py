"""Which model a folder holds, whatever was done to it since, and whether it is still the one that was loaded.

A model's id is made from its first manifest; every folder that takes the place of the first one (compaction,
calibration in place) carries it on, with the generation of the last change that is inside it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import StoreError
from deixis.store.journal import Journal, journal_head, journal_of, merge_log, set_aside
from deixis.store.model_folder import StoredModel, open_model

MODEL_ID, GENERATION = "journal.model_id", "journal.generation"
"""The values of a manifest that say which model it is, and the last change that is inside it."""
MAX_ID = 64
Signature = tuple[int, int, int]
# Folders that this process wrote in place of another one: whoever loaded that one may go on saving.
_new_to_old: dict[Signature, Signature] = {}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a model was loaded from: the folder, the id of the model, and the last change that it includes.

    Examples
    --------
    >>> origin = Origin(Path("/models/cities"), "4f2a", 7, None)
    >>> {name: value.item() for name, value in origin.carried_to("/models/cities").items()}
    {'journal.model_id': '4f2a', 'journal.generation': 7}
    >>> origin.carried_to("/models/copy")
    {}
    """

    folder: Path
    model_id: str
    generation: int
    signature: Signature | None

    def carried_to(self, path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
        """What a folder at `path` is to say of itself: the same if it takes the place of this one, or nothing."""
        if Path(os.path.realpath(path)) != self.folder:
            return {}
        return {MODEL_ID: np.array(self.model_id), GENERATION: np.array(self.generation)}

    def is_still(self, path: str | os.PathLike[str]) -> bool:
        """Whether the folder at `path` is the one that was loaded, or was put in its place by this process."""
        signature = folder_signature(path)
        while signature is not None and signature != self.signature:
            signature = _new_to_old.get(signature)
        return signature == self.signature


def open_origin(
    path: str | os.PathLike[str], kind: str | None = None, *, verify: bool = False
) -> tuple[StoredModel, Origin]:
    """The model at `path`, and its origin: without the changes that are in its journal only."""
    while True:
        signature = folder_signature(path)
        stored = open_model(path, kind, verify=verify)
        if folder_signature(path) == signature:
            folder = Path(os.path.realpath(path))
            return stored, Origin(folder, _model_id(stored), _generation(stored), signature)


def folder_signature(path: str | os.PathLike[str]) -> Signature | None:
    """Which folder is at `path`: another one whenever a save replaced it. None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_mtime_ns


@contextmanager
def replacing(
    path: str | os.PathLike[str],
    origin: Origin | None,
    *,
    may_be_behind: bool = False,
    discard_changes: bool = False,
) -> Iterator[None]:
    """While the block runs, nobody changes the model at `path`, which it is about to replace by one from `origin`.

    A model whose changes would be lost is not replaced: its journal has changes that the origin lacks, unless it
    `may_be_behind`, or another process has replaced it since it was loaded.
    """
    check_replaceable(path, origin, may_be_behind=may_be_behind, discard_changes=discard_changes)
    journal, before = journal_of(path), folder_signature(path)
    head = journal_head(journal)
    if head is None:
        yield
    else:
        moved, writer = None, Journal(journal, head.model_id, head.generation)
        with writer.writing():
            check_replaceable(path, origin, may_be_behind=may_be_behind, discard_changes=discard_changes)
            yield
            if not head.n_changes or discard_changes:
                moved = set_aside(journal, has_changes=bool(head.n_changes))
        writer.close()
        if moved is not None:
            merge_log(moved)
    after = folder_signature(path)
    if before is not None and after is not None and origin is not None and origin.carried_to(path):
        _new_to_old[after] = before


def check_replaceable(
    path: str | os.PathLike[str],
    origin: Origin | None,
    *,
    may_be_behind: bool = False,
    discard_changes: bool = False,
) -> None:
    """Raises if changes would be lost by replacing the model at `path`; see `replacing`."""
    own = origin if origin is not None and origin.carried_to(path) else None
    if own is not None and not own.is_still(path):
        raise StoreError(
            f"The model {path} was replaced by another process since it was loaded. Nothing was written, so that its "
            "work is not lost: load the model and repeat this, or save it at another place."
        )
    head = journal_head(journal_of(path))
    if head is None or not head.n_changes or discard_changes:
        return
    if own is None or own.model_id != head.model_id:
        raise StoreError(
            f"The model {path} has {head.n_changes:,} changes since {head.since} in {journal_of(path).name}, which "
            f"would be lost. To bring its list up to date and keep them: deixis kb sync {path} LIST. To build it anew "
            f"without them: deixis build --discard-changes, which keeps them as {journal_of(path).name}.old."
        )
    if own.generation != head.generation and not may_be_behind:
        raise StoreError(
            f"The model {path} is at generation {head.generation}, but this one was loaded at generation "
            f"{own.generation}. Nothing was written: load the model and repeat this, or save it at another place."
        )


def _model_id(stored: StoredModel) -> str:
    """The id that the folder carries, or one made from what its manifest says."""
    carried = stored.arrays.get(MODEL_ID)
    if carried is not None:
        if carried.dtype.kind != "U" or not 0 < len(carried.item()) <= MAX_ID:
            raise StoreError(f"The id of the model {stored.path} cannot be. The model is damaged; build it again.")
        return str(carried.item())
    manifest = stored.manifest
    arrays = {name: asdict(entry) for name, entry in manifest.arrays.items()}
    facts = [manifest.kind, manifest.config, manifest.values, arrays]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode("ascii")).hexdigest()[:32]


def _generation(stored: StoredModel) -> int:
    carried = stored.arrays.get(GENERATION)
    if carried is None:
        return 0
    if carried.dtype.kind not in "iu" or carried.item() < 0:
        raise StoreError(f"The generation of the model {stored.path} cannot be. The model is damaged; build it again.")
    return int(carried.item())
