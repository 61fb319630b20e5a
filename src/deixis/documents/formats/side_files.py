"""Files beside the named one, for formats that need several; written, all of them come to be or none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from deixis.errors import DataError
from deixis.store.files import STDIN


def check_has_folder(path: str, format: str) -> None:
    """Raises if nothing can stand beside `path`, because it is standard input or output, a pipe or a device.

    Examples
    --------
    >>> check_has_folder("-", "mewsli")
    Traceback (most recent call last):
        ...
    deixis.errors.DataError: the format 'mewsli' keeps texts in files of their own: give a file name, not '-'
    """
    if path == STDIN or (Path(path).exists() and not Path(path).is_file()):
        raise DataError(f"the format {format!r} keeps texts in files of their own: give a file name, not {path!r}")


@contextmanager
def undone_if_it_fails() -> Iterator[list[Path]]:
    """A list for files and folders as they are made; if the block fails, those on it are taken away, last first.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "text"
    >>> with suppress(ValueError), undone_if_it_fails() as made:
    ...     made.append(path)
    ...     _ = path.write_text("So Paris fled.")
    ...     raise ValueError("no room")
    >>> path.exists()
    False
    """
    made: list[Path] = []
    try:
        yield made
    except BaseException:  # an interrupt too
        for path in reversed(made):
            with suppress(OSError):  # a folder that somebody else has put something into stays
                path.rmdir() if path.is_dir() else path.unlink()
        raise
