"""Opening the files of a model folder, which may come from anybody: plain files only, and nothing that waits."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from deixis.errors import StoreError

RESTORE = "Restore or build the model again."
# What is put in a file's place after it was looked at is neither waited for nor followed; Windows has no such flags.
_FLAGS = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOFOLLOW", "O_NOCTTY", "O_CLOEXEC", "O_BINARY")
)
_KINDS = {stat.S_IFIFO: "FIFO", stat.S_IFSOCK: "socket", stat.S_IFDIR: "folder"}


def open_regular(path: Path) -> BinaryIO:
    """The file, opened for reading; a `StoreError` if it is missing, a link, or no plain file."""
    try:
        _check_mode(path, os.lstat(path).st_mode)
        descriptor = os.open(path, _FLAGS)
    except FileNotFoundError:
        raise StoreError(f"{path} is missing. {RESTORE}") from None
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}. {RESTORE}") from error
    stream = os.fdopen(descriptor, "rb")
    try:
        _check_mode(path, os.fstat(descriptor).st_mode)
    except StoreError:
        stream.close()
        raise
    return stream


def check_regular(path: Path) -> None:
    """Raises unless the path is a plain file; a `FileNotFoundError` if there is nothing. The file is not opened."""
    _check_mode(path, os.lstat(path).st_mode)


def _check_mode(path: Path, mode: int) -> None:
    if stat.S_ISLNK(mode):
        raise StoreError(f"{path} is a link; a model's files must be its own. Copy the file there.")
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "device")
        raise StoreError(f"{path} is a {kind}, where a model has a file. {RESTORE}")
