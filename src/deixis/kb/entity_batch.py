"""Some entities field by field: lists of a few hundred values, which are checked and stored at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice, repeat
from typing import NamedTuple

NamedText = tuple[str, str, int]
"""A text, its language (empty if unknown) and its count (0 if unknown)."""


class EntityFields(NamedTuple):
    """The checked fields of one record; languages are empty and counts (`n_seen` is the entity's) zero when unknown."""

    id: str
    title: str
    aliases: list[tuple[str, str, int]]
    descriptions: list[tuple[str, str]]
    types: list[str]
    n_seen: int
    url: str
    alt_ids: list[str]


@dataclass(frozen=True, slots=True)
class RaggedTexts:
    """Several texts an entity, one entity's after another's; each list is empty if it would say nothing.

    Examples
    --------
    >>> names = RaggedTexts.of([[("Paris", "", 0), ("Parigi", "it", 0)], []])
    >>> names.lengths, names.texts, names.langs, names.counts
    ([2, 0], ['Paris', 'Parigi'], ['', 'it'], ())
    """

    lengths: Sequence[int] = ()
    """How many texts each entity has."""
    texts: Sequence[str] = ()
    langs: Sequence[str] = ()
    counts: Sequence[int] = ()

    @classmethod
    def of(cls, rows: Sequence[Sequence[NamedText]]) -> RaggedTexts:
        """The texts of each entity, given as lists."""
        items = list(chain.from_iterable(rows))
        if not items:
            return cls()
        texts, langs, counts = (list(part) for part in zip(*items, strict=True))
        return cls(list(map(len, rows)), texts, langs if any(langs) else (), counts if any(counts) else ())

    def rows(self, n_rows: int) -> Iterator[list[NamedText]]:
        """The texts of each of so many entities."""
        items = zip(self.texts, self.langs or repeat(""), self.counts or repeat(0), strict=False)
        return (list(islice(items, length)) for length in self.lengths or repeat(0, n_rows))


@dataclass(frozen=True, slots=True)
class EntityBatch:
    """The checked fields of some records; `n_seen` and `urls` are empty if no entity has any.

    Examples
    --------
    >>> batch = EntityBatch(["Q90"], ["Paris"], RaggedTexts.of([[("Parigi", "it", 0)]]))
    >>> len(batch), next(batch.rows()).aliases
    (1, [('Parigi', 'it', 0)])
    """

    ids: Sequence[str]
    titles: Sequence[str]
    aliases: RaggedTexts = field(default_factory=RaggedTexts)
    descriptions: RaggedTexts = field(default_factory=RaggedTexts)
    types: RaggedTexts = field(default_factory=RaggedTexts)
    n_seen: Sequence[int] = ()
    urls: Sequence[str] = ()
    alt_ids: RaggedTexts = field(default_factory=RaggedTexts)

    def __len__(self) -> int:
        return len(self.ids)

    def rows(self) -> Iterator[EntityFields]:
        """One entity after another."""
        n_rows = len(self)
        several = zip(*(part.rows(n_rows) for part in (self.descriptions, self.types, self.alt_ids)), strict=True)
        for identifier, title, aliases, (descriptions, types, alt_ids), n_seen, url in zip(
            self.ids,
            self.titles,
            self.aliases.rows(n_rows),
            several,
            self.n_seen or repeat(0, n_rows),
            self.urls or repeat("", n_rows),
            strict=True,
        ):
            texts = [(lang, text) for text, lang, _ in descriptions]
            yield EntityFields(
                identifier, title, aliases, texts, [t for t, _, _ in types], n_seen, url, [t for t, _, _ in alt_ids]
            )

    def in_languages(self, langs: Iterable[str | None]) -> EntityBatch:
        """The entities with a language wherever they have none, and their titles as names of it; None changes none."""
        aliases, descriptions = [], []
        for lang, title, names, texts in zip(
            langs, self.titles, self.aliases.rows(len(self)), self.descriptions.rows(len(self)), strict=True
        ):
            own = [] if lang is None else [(title, lang, 0)]
            aliases.append([*own, *((text, of_text or lang or "", count) for text, of_text, count in names)])
            descriptions.append([(text, of_text or lang or "", 0) for text, of_text, _ in texts])
        return replace(self, aliases=RaggedTexts.of(aliases), descriptions=RaggedTexts.of(descriptions))

    def of_source(self, name: str) -> EntityBatch:
        """The entities with the name of their list as a type."""
        source = (f"source:{name}", "", 0)
        return replace(self, types=RaggedTexts.of([[*types, source] for types in self.types.rows(len(self))]))

    def with_prefix(self, name: str) -> EntityBatch:
        """The entities with a name before their ids."""
        return replace(self, ids=[f"{name}:{identifier}" for identifier in self.ids])
