"""Model folders: saved whole or not at all, opened in no time (arrays are memory-mapped), verified by hash.

A save writes a temporary sibling, fsyncs it and renames it in. When a model is replaced the old one is first renamed
aside (`.NAME.previous`); a kill between the two renames leaves it there, and `open_model` finds it.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from numpy.typing import NDArray

from deixis.config import config_from_dict
from deixis.errors import ConfigError, StoreError, ToolkitError
from deixis.store.array_files import FileCheck, hash_files, map_arrays, write_file
from deixis.store.durable import fsync_folder, temporary_sibling
from deixis.store.layout import Layout, value_arrays
from deixis.store.manifest import ARRAY_SUFFIX, MANIFEST_NAME, ArrayEntry, Manifest
from deixis.store.manifest_reading import read_manifest
from deixis.store.regular_files import RESTORE
from deixis.store.upgrade import upgraded

C = TypeVar("C")

USES = {"linker": "deixis link", "labeller": "deixis xmr predict"}
"""Kind of a model -> the command that puts it to use."""
MAX_REASON = 500  # letters of an error that may quote a manifest


@dataclass(frozen=True, slots=True)
class StoredModel:
    """An opened model: its kind, its config, and its arrays, memory-mapped and read-only.

    Values of the manifest are arrays without dimensions. The arrays of an older format have the names of today.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> folder = Path(tempfile.mkdtemp()) / "model"
    >>> save_model(folder, "toy", {"width": 3}, {"tree.sizes": np.arange(3)})
    >>> model = open_model(folder, kind="toy")
    >>> model.config["width"], model.arrays["tree.sizes"].tolist()
    (3, [0, 1, 2])
    """

    path: Path
    manifest: Manifest
    arrays: dict[str, NDArray[Any]]

    @property
    def kind(self) -> str:
        """What the model is, for example `linker`."""
        return self.manifest.kind

    @property
    def config(self) -> dict[str, Any]:
        """The settings it was built with."""
        return self.manifest.config

    def settings(self, config: type[C]) -> C:
        """The same as an instance of its config class."""
        try:
            return config_from_dict(config, self.config, is_saved=True)
        except ConfigError as error:
            raise self.unusable(error) from error

    def unusable(self, error: ToolkitError) -> StoreError:
        """The error that its settings cannot be used, with the reason, of which a manifest decides the length."""
        reason = f"{error}"[:MAX_REASON]
        return StoreError(
            f"The settings in {self.path / MANIFEST_NAME} cannot be used: {reason} The model is damaged or from "
            "another version; build it again."
        )


def save_model(
    path: str | os.PathLike[str],
    kind: str,
    config: dict[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    *,
    overwrite: bool = True,
    swapping: AbstractContextManager[None] | None = None,
) -> None:
    """Save a model folder at `path`, or leave what was there as it was and raise.

    It is put in its place within `swapping`, which may wait for others, and may refuse.
    """
    from importlib.metadata import version  # only who saves waits for this import

    target = Path(os.path.realpath(path))
    layout = Layout.of(arrays)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _recover(target)
        _check_replaceable(target, overwrite)
        with temporary_sibling(target) as folder:
            entries: dict[str, ArrayEntry] = dict(layout.zeros)
            for file, held, is_small in layout.files():
                entries |= write_file(folder / file, held, is_small)
            manifest = Manifest(kind, config, layout.values, entries, deixis_version=version("deixis"))
            _write_manifest(folder, manifest)
            with swapping or nullcontext():
                _swap_in(folder, target)
    except OSError as error:
        what_to_do = "Choose another place."
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            what_to_do = f"It needs {layout.n_bytes:,} bytes there; make room or choose another place."
        reason = error.strerror or error
        raise StoreError(f"The model could not be saved at {target}: {reason}. {what_to_do}") from error


def open_model(path: str | os.PathLike[str], kind: str | None = None, *, verify: bool = False) -> StoredModel:
    """The model at `path`; `verify` also compares every hash, which reads every byte."""
    while True:
        folder, identity = _resolved(path)
        try:
            model = _open_folder(folder, kind, verify)
        except StoreError:
            if _resolved(path) == (folder, identity):
                raise
            continue
        # A save that replaced the folder meanwhile may have mixed two models: read again.
        if _resolved(path)[1] == identity:
            return model


def verify_model(path: str | os.PathLike[str]) -> list[FileCheck]:
    """One verdict per file of the model, hashes compared, and one per file that does not belong to it."""
    folder, _ = _resolved(path)
    manifest = read_manifest(folder)
    checks = [FileCheck(MANIFEST_NAME)]
    checks += hash_files(folder, manifest)
    checks += [FileCheck(name, "is not part of the model") for name in _foreign_files(folder, manifest)]
    return checks


def _open_folder(folder: Path, kind: str | None, verify: bool) -> StoredModel:
    manifest = read_manifest(folder)
    if kind is not None:
        check_kind(manifest, kind, str(folder))
    _check_strays(folder, manifest)
    arrays = map_arrays(folder, manifest)
    if verify:
        for check in hash_files(folder, manifest):
            if not check.ok:
                raise StoreError(f"{folder / check.file} {check.problem}. {RESTORE}")
    return StoredModel(folder, manifest, stored_arrays(manifest, arrays))


def stored_arrays(manifest: Manifest, arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays of a model and its values, under the names of today."""
    both = arrays | value_arrays(manifest.values)
    return upgraded(manifest.kind, manifest.config, both) if manifest.format_version == 1 else both


def check_kind(manifest: Manifest, kind: str, where: str) -> None:
    """Raises unless the model is of the kind that is needed; `where` is named in the error."""
    if manifest.kind != kind:
        use = f" (it is for: {USES[manifest.kind]})" if manifest.kind in USES else ""
        raise StoreError(
            f"{where} holds a model of kind {manifest.kind!r}{use}, but {kind!r} is needed. Check the path."
        )


def _previous(target: Path) -> Path:
    return target.parent / f".{target.name}.previous"


def _resolved(path: str | os.PathLike[str]) -> tuple[Path, tuple[int, int] | None]:
    """Where the model is and which folder that is: `path`, or aside after a save killed between its two renames."""
    target = Path(os.path.realpath(path))
    for folder in (target, _previous(target)):
        try:
            status = os.stat(folder)
        except OSError:
            continue
        return folder, (status.st_dev, status.st_ino)
    return target, None


def _recover(target: Path) -> None:
    """Finish what a killed save began: put the old model back, or remove it when the new one is in place."""
    previous = _previous(target)
    if not previous.is_dir():
        return
    if target.exists():
        shutil.rmtree(previous, ignore_errors=True)
    else:
        previous.rename(target)


def _check_replaceable(target: Path, overwrite: bool) -> None:
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    if not overwrite:
        raise StoreError(f"{target} exists already. Choose another place, or allow overwriting.")
    try:
        manifest = read_manifest(target, is_any_version=True)
    except StoreError as error:
        raise StoreError(
            f"{target} is in the way and is not a whole Deixis model, so it is not overwritten. Choose another "
            f"place or remove it yourself. ({error})"
        ) from error
    foreign = _foreign_files(target, manifest)
    if foreign:
        raise StoreError(
            f"{target} holds files that are not part of the model and would be lost: {', '.join(foreign[:5])}. "
            f"Move them away first."
        )


def _write_manifest(folder: Path, manifest: Manifest) -> None:
    try:
        text = manifest.to_json()
    except (TypeError, ValueError) as error:
        raise StoreError(f"The config cannot be written as JSON: {error}. Use plain finite values only.") from error
    with open(folder / MANIFEST_NAME, "w", encoding="utf-8", newline="\n") as stream:
        stream.write(text + "\n")
        stream.flush()
        os.fsync(stream.fileno())
    fsync_folder(folder)


def _swap_in(folder: Path, target: Path) -> None:
    previous = _previous(target)
    replaces = target.is_dir() and any(target.iterdir())
    if replaces:
        target.rename(previous)
    elif target.is_dir():
        target.rmdir()
    try:
        folder.rename(target)
    except OSError:
        if replaces:
            previous.rename(target)
        raise
    fsync_folder(target.parent)
    if replaces:
        shutil.rmtree(previous, ignore_errors=True)


def _check_strays(folder: Path, manifest: Manifest) -> None:
    """An array file that the manifest does not know means that two models were mixed."""
    for name in _foreign_files(folder, manifest):
        if name.endswith(ARRAY_SUFFIX):
            raise StoreError(f"{folder / name} is not part of the model. Were two models mixed? Remove the file.")


def _foreign_files(folder: Path, manifest: Manifest) -> list[str]:
    known = {MANIFEST_NAME, *manifest.files}
    try:
        return sorted(entry.name for entry in folder.iterdir() if entry.name not in known)
    except OSError as error:  # replaced by a save, or taken away, since its manifest was read
        raise StoreError(f"{folder} cannot be read: {error.strerror}. Check the path.") from error
