"""All parts of entities that were added to a list, or edited, since its model was built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.entity_facts import WORDS
from deixis.candidates.sources.names import NameSource
from deixis.detection.name_edits import AddedNames
from deixis.features.added_ngrams import AddedNgrams, AddedVectorizer
from deixis.features.entity_words import EntityWords
from deixis.kb.edited_list import EditedList
from deixis.linking.added_part import AddedPart
from deixis.linking.model import LinkerModel
from deixis.ranking.entity_facts import EntityFacts
from deixis.store.row_parts import RowParts
from deixis.store.strings import StringTable


@dataclass(frozen=True, eq=False)
class AddedParts:
    """A list with edits, its parts of added entities, and the n-grams that only these have."""

    edited: EditedList
    parts: tuple[AddedPart, ...]
    name_to_ngrams: Mapping[str, AddedNgrams]
    names: tuple[AddedNames, ...]
    """The names of each part, those of its entities that count."""
    removed_names: tuple[NDArray[np.int32], NDArray[np.int64]]
    """The detector's numbers, rising, of names of built entities that do not count, or did not before; and the rows."""

    @classmethod
    def of(cls, built: LinkerModel, edited: EditedList, earlier: AddedParts | None) -> AddedParts:
        """What the stages need of a list's edits; parts that were there before stay as they are."""
        ngrams = _ngrams(built) if earlier is None else earlier.name_to_ngrams
        known = {} if earlier is None else {id(part.kb): part for part in earlier.parts}
        parts = tuple(known.get(id(part.kb)) or AddedPart.of(built, part, ngrams) for part in edited.parts)
        names = _live_names(built, edited, parts, earlier)
        return cls(edited, parts, ngrams, names, _removed_names(built, edited, earlier))

    @property
    def row_parts(self) -> RowParts:
        """Where the rows of each part begin."""
        return self.edited.row_parts

    def words(self, built: LinkerModel) -> EntityWords:
        """The words of all entities."""
        words = [built.sources.words, *(part.words for part in self.parts)]
        return EntityWords.joined(words, self.row_parts, self._vectorizer(WORDS))

    def facts(self, built: LinkerModel, words: EntityWords) -> EntityFacts:
        """The facts of all entities; `words` are theirs."""
        return EntityFacts.joined([built.ranker.facts, *(part.facts for part in self.parts)], words, self.row_parts)

    @property
    def name_vectorizer(self) -> AddedVectorizer:
        """What turns names into n-grams, those included that only names of added entities have."""
        return self._vectorizer(NameSource.name)

    def _vectorizer(self, name: str) -> AddedVectorizer:
        """The vectorizer with those new n-grams that some entity has which still counts."""
        ngrams = self.name_to_ngrams[name]
        is_there = np.zeros(len(ngrams), dtype=bool)
        starts = self.row_parts.starts
        for number, part in enumerate(self.parts, start=1):
            is_live = self.edited.is_live[starts[number] : starts[number + 1]]
            rows = part.name_to_ngrams[name]
            is_held = slice(None) if is_live.all() else np.repeat(is_live, np.diff(rows.indptr))
            is_there[rows.indices[is_held]] = True
        return AddedVectorizer(ngrams, is_there)


def _live_names(
    built: LinkerModel, edited: EditedList, parts: Sequence[AddedPart], earlier: AddedParts | None
) -> tuple[AddedNames, ...]:
    """The names of each part, those of its entities that count; where these are as before, nothing is made again."""
    latest = {} if earlier is None else dict(zip(map(id, earlier.parts), earlier.names, strict=True))
    bounds = pairwise(edited.row_parts.starts.tolist()[1:])
    masks = (edited.is_live[first:last] for first, last in bounds)
    return tuple(
        (part.names if mask.all() else latest.get(id(part), part.names)).of_live(mask, built.config.detection)
        for part, mask in zip(parts, masks, strict=True)
    )


def _removed_names(
    built: LinkerModel, edited: EditedList, earlier: AddedParts | None
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Numbers of names of built entities that do not count, and their rows; those found earlier are not read again."""
    numbers, rows = (np.zeros(0, np.int32), np.zeros(0, np.int64)) if earlier is None else earlier.removed_names
    was_live = np.ones(len(built.kb), dtype=bool) if earlier is None else earlier.edited.is_live[: len(built.kb)]
    new = np.flatnonzero(was_live & ~edited.is_live[: len(built.kb)])
    pairs = [(name, row) for row in new.tolist() for name in built.kb.names_of(row)]
    if not pairs:
        return numbers, rows
    new_numbers = built.detector.names.numbers(StringTable.from_strings(name for name, _ in pairs), 1)
    numbers = np.concatenate([numbers, new_numbers])
    rows = np.concatenate([rows, [row for _, row in pairs]])
    order = np.argsort(numbers, kind="stable")
    order = order[numbers[order] >= 0]
    return numbers[order], rows[order]


def _ngrams(built: LinkerModel) -> dict[str, AddedNgrams]:
    words, names = built.sources.words, built.sources.get(NameSource.name)
    vectorizers = {WORDS: words.vectorizer, NameSource.name: (names or words).vectorizer}
    return {name: AddedNgrams(each) for name, each in vectorizers.items() if not isinstance(each, AddedVectorizer)}
