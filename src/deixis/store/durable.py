"""Writing so that a power cut or a kill cannot leave half: fsync, locks that die with their owner, sibling folders."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

if sys.platform != "win32":
    import fcntl

NO_LOCKS = -1
"""What `lock_folder` gives where there are no locks."""


def fsync_folder(path: Path) -> None:
    """Make the folder's list of names last; where the system cannot (Windows), do nothing."""
    if sys.platform == "win32":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def fsync_file(path: Path) -> None:
    """Make a file that is written and closed last."""
    with open(path, "rb+") as stream:
        os.fsync(stream.fileno())


def replace_durably(partial: Path, path: Path) -> None:
    """Put a file that is written and closed in the place of another; after a power cut one of both is whole."""
    fsync_file(partial)
    os.replace(partial, path)
    fsync_folder(path.parent)


@contextmanager
def temporary_sibling(path: Path) -> Iterator[Path]:
    """A new empty folder beside `path`, locked while the block runs; what is left of it afterwards is removed."""
    remove_abandoned_siblings(path)
    while True:
        folder = path.parent / f"{_sibling_prefix(path)}{token_hex(6)}"
        folder.mkdir()
        descriptor = lock_folder(folder)
        if descriptor is not None:
            break
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if descriptor != NO_LOCKS:
            os.close(descriptor)


def remove_abandoned_siblings(path: Path) -> None:
    """Remove temporary folders beside `path` whose makers are dead (nobody holds their lock)."""
    prefix = _sibling_prefix(path)
    for folder in path.parent.iterdir():
        if folder.name.startswith(prefix) and folder.is_dir() and not folder.is_symlink():
            descriptor = lock_folder(folder)
            if descriptor is not None and descriptor != NO_LOCKS:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(descriptor)


def _sibling_prefix(path: Path) -> str:
    return f".{path.name}.saving-"


def unlock_folder(lock: int) -> None:
    """Let others have the lock of a folder."""
    if lock != NO_LOCKS:
        os.close(lock)


def lock_folder(folder: Path) -> int | None:
    """A descriptor that holds the folder's lock, or None when somebody else has it or has removed the folder."""
    if sys.platform == "win32":
        return NO_LOCKS
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), os.stat(folder)):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except OSError:  # a file system without locks
        os.close(descriptor)
        return NO_LOCKS
    os.close(descriptor)
    return None
