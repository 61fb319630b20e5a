"""What a ranking feature is, and what it is computed from. The features themselves are in `ranking/features`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from deixis.features.word_rows import Pairs
from deixis.ranking.entity_facts import EntityFacts
from deixis.ranking.own_names import NameColumns, initials_of
from deixis.store.strings import StringTable
from deixis.tables import CandidateTable, FlatRows
from deixis.types import MentionInContext

T = TypeVar("T")
Column = NDArray[np.float32]
"""One number for each candidate of a table."""

_NO_COLUMN: Column = np.zeros(0, dtype=np.float32)

Sign = Literal["+", "+-"]
"""`+`: more of it never counts against a candidate, whatever the examples say; `+-`: it may."""


@dataclass(frozen=True)
class RankingFeature:
    """One number that the ranker knows of a candidate; called with a context, it is computed once.

    `sentence` says in explanations what it is. Without the sources that it `needs`, a model does not have the feature.
    One that does not read the context depends on the text and language of the mention alone: what it is for a name is
    computed once and kept.
    """

    name: str
    sentence: str
    compute: Callable[[FeatureContext], Column]
    sign: Sign = "+-"
    needs: tuple[str, ...] = ()
    reads_context: bool = True

    def __call__(self, context: FeatureContext) -> Column:
        """The number of each candidate."""
        if self.name not in context.columns:
            context.columns[self.name] = self.compute(context)
        return context.columns[self.name]

    def is_supported(self, columns: Collection[str]) -> bool:
        """Whether a candidate table with these columns has all that the feature needs."""
        return set(self.needs) <= set(columns)


def feature(
    name: str, sentence: str, *, sign: Sign = "+-", needs: Sequence[str] = (), reads_context: bool = True
) -> Callable[[Callable[[FeatureContext], Column]], RankingFeature]:
    """Declares a function of a `FeatureContext` as a ranking feature; `deixis.ranking.features` lists it.

    Examples
    --------
    >>> @feature("popular", "is popular", sign="+")
    ... def popular(context: FeatureContext) -> Column:
    ...     return (context.popularity > 0.5).astype(np.float32)
    >>> popular.name, popular.sentence, popular.needs
    ('popular', 'is popular', ())
    """
    return lambda compute: RankingFeature(name, sentence, compute, sign, tuple(needs), reads_context)


class FeatureContext:
    """A batch of mentions as features see it: their candidates, facts of entities, and what several features share.

    A batch holds whole documents, but for one of very many mentions, so features may compare mentions of a document.
    `features` are the names of those that will be computed, where that is known.
    """

    def __init__(
        self,
        mentions: Sequence[MentionInContext],
        table: CandidateTable,
        facts: EntityFacts,
        n_threads: int = 0,
        features: Collection[str] | None = None,
    ) -> None:
        self.mentions = mentions
        self.texts = [mention.text for mention in mentions]
        self.table = table
        self.rows = table.rows
        """The entity of each candidate, as a row of the knowledge base."""
        self.pairs = Pairs(table.starts, table.rows)
        """Mentions and their candidates, as `words` compares them."""
        self.source = table.column
        """The score that a source gives each candidate; 0 where it did not propose it, or where there is no source."""
        self.facts = facts
        self.words = facts.words
        self.n_threads = n_threads
        self.features = features
        self.columns: dict[str, Column] = {}
        """What was computed, by the name of the feature."""
        self._shared: dict[Callable[[FeatureContext], Any], Any] = {}

    def shared(self, make: Callable[[FeatureContext], T]) -> T:
        """What the function makes of this context, made once however many features use it."""
        if make not in self._shared:
            self._shared[make] = make(self)
        value: T = self._shared[make]
        return value

    def computes(self, name: str) -> bool:
        """Whether the feature of this name may be computed."""
        return self.features is None or name in self.features

    @cached_property
    def names(self) -> NameColumns:
        """What the names of candidates say of the mentions."""
        return self.names_of(self.table)

    def names_of(self, table: CandidateTable) -> NameColumns:
        """The same for other candidates of the mentions."""
        texts = self.name_table
        columns = self.facts.names.columns(
            texts.data, texts.offsets, initials_of(self.texts), table.starts, table.rows,
            table.signals.get("alias", _NO_COLUMN), self.n_threads,
        )  # fmt: skip
        return NameColumns(*columns.reshape(len(NameColumns._fields), len(table.rows)))

    @property
    def popularity(self) -> Column:
        """The popularity of each candidate, 0 to 1."""
        return self.names.popularity

    def per_candidate(self, values: NDArray[Any]) -> NDArray[Any]:
        """The value of its mention for each candidate."""
        return values.repeat(self.table.starts[1:] - self.table.starts[:-1])

    @cached_property
    def name_table(self) -> StringTable:
        """The text of each mention."""
        return StringTable.from_strings(self.texts)

    @cached_property
    def mention_words(self) -> FlatRows:
        """mentions_by_words: the words of each mention."""
        return self.words.rows_of(self.name_table, self.n_threads)

    @cached_property
    def known_fractions(self) -> Column:
        """How much of each mention are words that the knowledge base has, by weight: one unheard of weighs most.

        In models that were built before unknown words counted, all of it.
        """
        if self.facts.own_names is None:
            return np.ones(len(self.mentions), dtype=np.float32)
        return self.words.known_fractions(self.texts, self.mention_words)

    @cached_property
    def is_seen(self) -> NDArray[np.bool_]:
        """Whether each mention has a name that was seen annotated."""
        return self.facts.seen_names.holds(self.texts)

    @cached_property
    def has_seen(self) -> bool:
        """Whether any mention has."""
        return bool(self.is_seen.any())

    @cached_property
    def zeros(self) -> Column:
        """0 for each candidate."""
        return np.zeros(len(self.rows), dtype=np.float32)

    @cached_property
    def document_numbers(self) -> NDArray[np.int64]:
        """The number of each mention's document, from 0."""
        return document_numbers(self.mentions)


def document_numbers(mentions: Sequence[MentionInContext]) -> NDArray[np.int64]:
    """The number of each mention's document, from 0: mentions that follow one another belong to one, or do not."""
    numbers, number = [], -1
    last: MentionInContext | None = None
    for mention in mentions:
        if last is None or mention.document_id != last.document_id or mention.document_text != last.document_text:
            number += 1
        numbers.append(number)
        last = mention
    return np.array(numbers, dtype=np.int64)


def surroundings(mention: MentionInContext, n_characters: int) -> str:
    """The text around the mention without the mention: its own words are the same for all namesakes."""
    context = mention.context(n_characters)
    written = mention.document_text[mention.start : mention.end]
    return context.replace(written, " ") if written else context
