"""Finished parts of a model that is being built: files beside the model, which an interrupted build goes on from.

A part is a model folder of its own: written whole or not at all, its arrays with hashes, which are compared before
another process relies on it. Parts hold for one digest of everything that the model is made of.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from numpy.typing import NDArray

from deixis.errors import StoreError
from deixis.store.durable import lock_folder, unlock_folder
from deixis.store.model_folder import open_model, save_model
from deixis.store.part import Part
from deixis.store.scratch import scratch_in

logger = logging.getLogger(__name__)

KIND = "build-part"
PART = "part"
"""What the names of a part's arrays begin with."""
Arrays = Mapping[str, NDArray[Any]]


class Stored(Protocol):
    """What can be stored as arrays."""

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Everything as arrays under names that begin with `prefix`."""


P = TypeVar("P", bound="Stored | None")
Q = TypeVar("Q", bound=Part)


@dataclass(frozen=True)
class BuildFolder:
    """The finished parts of one build, by name; `prefix` is put before their names.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> folder = BuildFolder(Path(tempfile.mkdtemp()), "digest of list and settings")
    >>> for _ in range(2):
    ...     part = folder.part("squares", lambda: print("made") or {"part.squares": np.arange(3) ** 2})
    made
    >>> part["part.squares"].tolist()
    [0, 1, 4]
    """

    path: Path
    digest: str
    prefix: str = ""
    _checked: set[str] = field(default_factory=set, repr=False, compare=False)

    def has(self, name: str) -> bool:
        """Whether a part is finished."""
        return (self.path / f"{self.prefix}{name}").is_dir()

    def part(self, name: str, make: Callable[[], Arrays]) -> Arrays:
        """The arrays of a part, mapped: of one that is finished, or of what `make` gives."""
        full_name = f"{self.prefix}{name}"
        folder = self.path / full_name
        if folder.is_dir():
            arrays = self._opened(folder, full_name)
            if arrays is not None:
                return arrays
        save_model(folder, KIND, {"digest": self.digest}, make())
        self._checked.add(full_name)
        return open_model(folder, KIND).arrays

    def _opened(self, folder: Path, name: str) -> Arrays | None:
        """The arrays of a finished part; None if it is damaged or of another build, and has to be made again."""
        try:
            part = open_model(folder, KIND, verify=name not in self._checked)
        except StoreError as error:
            logger.warning("A part of the interrupted build is made again: %s", error)
        else:
            if part.config.get("digest") == self.digest:
                self._checked.add(name)
                return part.arrays
        shutil.rmtree(folder, ignore_errors=True)
        return None


_current: ContextVar[BuildFolder | None] = ContextVar("deixis_build_folder", default=None)


def saved_part(name: str, make: Callable[[], P], read: Callable[[Arrays], P]) -> P:
    """What `make` gives; within `building_in` it is what `read` makes of its files, made by this build or before.

    None is kept as a part without arrays.
    """
    folder = _current.get()
    return make() if folder is None else read(folder.part(name, lambda: _arrays_of(make())))


def stored_part(make: Callable[[], Q], name: str, part: type[Q], **context: Any) -> Q:  # noqa: ANN401 - whatever it needs
    """The same for a `Part`, whose `from_arrays` takes the context."""
    return saved_part(name, make, lambda arrays: part.from_arrays(arrays, PART, **context))


def _arrays_of(part: Stored | None) -> Arrays:
    return {} if part is None else part.to_arrays(PART)


def build_folder() -> BuildFolder | None:
    """Where the running build keeps its parts; None if it keeps none."""
    return _current.get()


@contextmanager
def building_in(folder: BuildFolder | None) -> Iterator[None]:
    """Keep finished parts, and large arrays on the way to them, in a folder for as long as the block runs."""
    if folder is None:
        yield
        return
    token = _current.set(folder)
    try:
        with scratch_in(folder.path):
            yield
    finally:
        _current.reset(token)


@contextmanager
def parts_below(prefix: str) -> Iterator[None]:
    """Names of parts begin with this for as long as the block runs; nothing where no parts are kept."""
    folder = _current.get()
    if folder is None:
        yield
        return
    token = _current.set(replace(folder, prefix=folder.prefix + prefix))
    try:
        yield
    finally:
        _current.reset(token)


def parts_folder(model: str | os.PathLike[str]) -> Path:
    """Where the parts of a model that is being built lie."""
    target = Path(os.path.realpath(model))
    return target.parent / f".{target.name}.building"


@contextmanager
def parts_of(model: str | os.PathLike[str], digest: str, *, resumes: bool) -> Iterator[BuildFolder]:
    """The folder for the parts of a model; those of an earlier build stay only if it `resumes` and nothing changed.

    It is removed when the block ends well, and stays when it is interrupted. One build at a time can have it.
    """
    path = parts_folder(model)
    path.mkdir(parents=True, exist_ok=True)
    lock = lock_folder(path)
    if lock is None:
        raise StoreError(f"Another build is writing {model} (its parts are in {path}). Wait for it, or stop it.")
    try:
        for part in path.iterdir():
            if part.name.startswith(".") or not resumes or _digest_of(part) != digest:
                shutil.rmtree(part, ignore_errors=True)
        yield BuildFolder(path, digest)
        shutil.rmtree(path, ignore_errors=True)
    except BaseException:
        if any(path.iterdir()):
            logger.warning("What was finished stays in %s; the same command with --resume goes on from there.", path)
        else:
            path.rmdir()
        raise
    finally:
        unlock_folder(lock)


def _digest_of(part: Path) -> object:
    """What a finished part was made of; None if nobody can say."""
    try:
        return open_model(part, KIND).config.get("digest")
    except StoreError:
        return None
