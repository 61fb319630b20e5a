"""Mentions that go through all sources together, and what several sources need of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, overload

from deixis.store.strings import StringTable
from deixis.types import MentionInContext

T = TypeVar("T")


class MentionBatch(Sequence[MentionInContext]):
    """Mentions that go through all sources together; what several calls need of them is computed once.

    Examples
    --------
    >>> batch = MentionBatch.of([MentionInContext("Paris", "Paris fled", 0, 5)])
    >>> batch.texts, batch.once("lengths", lambda: [len(text) for text in batch.texts])
    (['Paris'], [5])
    """

    def __init__(self, mentions: Sequence[MentionInContext]) -> None:
        self.mentions = mentions
        self.texts = [mention.text for mention in mentions]
        self.langs = [mention.lang for mention in mentions]
        self.table = StringTable.from_strings(self.texts)
        """The texts as the core takes them."""
        self._values: dict[object, Any] = {}

    @classmethod
    def of(cls, mentions: Sequence[MentionInContext]) -> MentionBatch:
        """The mentions as a batch, which may be one already."""
        return mentions if isinstance(mentions, MentionBatch) else cls(mentions)

    @overload
    def __getitem__(self, positions: int) -> MentionInContext: ...

    @overload
    def __getitem__(self, positions: slice) -> Sequence[MentionInContext]: ...

    def __getitem__(self, positions: int | slice) -> MentionInContext | Sequence[MentionInContext]:
        return self.mentions[positions]

    def __len__(self) -> int:
        return len(self.mentions)

    def __iter__(self) -> Iterator[MentionInContext]:
        return iter(self.mentions)

    def once(self, key: object, compute: Callable[[], T]) -> T:
        """What `compute` gives, computed at the first call with this key only."""
        if key not in self._values:
            self._values[key] = compute()
        value: T = self._values[key]
        return value
