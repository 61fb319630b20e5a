"""Files that a writer makes beside the one it was asked for: all of them, or none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


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
