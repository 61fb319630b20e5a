"""Progress of long work: silent until a door listens. The library itself never prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
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

    def noted(self, task: int, text: str) -> None:
        """Note a text about the progress, such as the loss of a training step; it replaces the last one."""

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
def steps(label: str, total: int | None) -> Iterator[Callable[[int, str], None]]:
    """For work that counts its own steps: a function to call with how many more are done, and a word on how it goes.

    Examples
    --------
    >>> with steps("training", 2) as advance:
    ...     advance(1, "loss 0.7")
    """
    listener = _listener.get()
    if listener is None:
        yield lambda n, text: None
        return
    task = listener.started(label, total)

    def advance(n: int, text: str) -> None:
        listener.advanced(task, n)
        listener.noted(task, text)

    try:
        yield advance
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
