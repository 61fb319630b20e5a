"""Progress of long work: silent until a door listens. The library itself never prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

T = TypeVar("T")


class Listener(Protocol):
    """Whoever shows progress to a person."""

    def started(self, label: str, total: int | None) -> int:
        """Note that work has begun; returns a number for the calls that follow."""

    def advanced(self, task: int, n: int) -> None:
        """Note that `n` more items are done."""

    def finished(self, task: int) -> None:
        """Note that the work has ended, well or badly."""


_listener: ContextVar[Listener | None] = ContextVar("deixis_progress_listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send progress to `listener` for as long as the block runs."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def track(items: Iterable[T], label: str, total: int | None = None) -> Iterator[T]:
    """The same items; a listening door hears how many have passed.

    Examples
    --------
    >>> list(track([1, 2, 3], "counting"))
    [1, 2, 3]
    """
    listener = _listener.get()
    if listener is None:
        yield from items
        return
    if total is None and isinstance(items, Sized):
        total = len(items)
    task = listener.started(label, total)
    try:
        for item in items:
            yield item
            listener.advanced(task, 1)
    finally:
        listener.finished(task)


@contextmanager
def stage(label: str) -> Iterator[None]:
    """One step of work whose length is not known beforehand."""
    listener = _listener.get()
    if listener is None:
        yield
        return
    task = listener.started(label, None)
    try:
        yield
    finally:
        listener.finished(task)
