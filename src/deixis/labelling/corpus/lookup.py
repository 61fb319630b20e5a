"""From what a file calls a label to its row: in a vocabulary that is given, or in one that grows with the files."""

from __future__ import annotations

from collections import defaultdict
from typing import Protocol

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.kb.records import clean
from deixis.labelling.corpus.records import LabelReference

_MAX_SHOWN = 3


class UnknownLabel(Exception):
    """A label that the vocabulary does not have, or has several of; says which, and what to do."""


class LabelLookup(Protocol):
    """Finds the rows of labels."""

    def row_of(self, label: LabelReference) -> int:
        """The label's row, or `UnknownLabel`."""

    def vocabulary(self) -> KnowledgeBase:
        """The vocabulary that the rows are rows of."""


class GivenLabels:
    """Looks labels up in a vocabulary: by id, and where a file has names by title, then by alias.

    Examples
    --------
    >>> vocabulary = KnowledgeBase.from_records([{"id": "p1", "title": "paper"}, {"id": "p2", "title": "cats"}])
    >>> labels = GivenLabels(vocabulary)
    >>> labels.row_of(LabelReference(id="p2")), labels.row_of(LabelReference(name="paper"))
    (1, 0)
    """

    def __init__(self, vocabulary: KnowledgeBase) -> None:
        self._vocabulary = vocabulary
        self._known: dict[LabelReference, int] = {}
        self._name_to_rows: dict[str, list[int]] | None = None

    def vocabulary(self) -> KnowledgeBase:
        """The vocabulary as it was given."""
        return self._vocabulary

    def row_of(self, label: LabelReference) -> int:
        """The label's row, or `UnknownLabel`; a word is taken for an id, if there is one, before it is a name."""
        row = self._known.get(label)
        if row is None:
            row = self._known[label] = self._find(label)
        return row

    def _find(self, label: LabelReference) -> int:
        identifier = label.id or label.word
        row = self._vocabulary.row_of(identifier) if identifier else None
        if row is not None:
            return row
        if label.id:
            raise UnknownLabel(
                f"the label {label.id!r} is not in the vocabulary of {len(self._vocabulary):,}{_WAY_OUT}"
            )
        name = label.name or label.word
        rows = self._rows_by_name(clean(name))
        if not rows:
            what = "is the name of no label in" if label.name else "is neither id nor name of a label in"
            raise UnknownLabel(f"{name!r} {what} the vocabulary of {len(self._vocabulary):,}{_WAY_OUT}")
        if len(rows) > 1:
            ids = ", ".join(repr(self._vocabulary.ids[row]) for row in rows[:_MAX_SHOWN])
            raise UnknownLabel(f"{name!r} is the name of {len(rows)} labels ({ids}); give the id of the one you mean")
        return rows[0]

    def _rows_by_name(self, name: str) -> list[int]:
        """The labels with this title; if there are none, those with this alias."""
        if self._name_to_rows is None:
            self._name_to_rows = _titles_then_aliases(self._vocabulary)
        return self._name_to_rows.get(name, [])


_WAY_OUT = "; mend it, give a vocabulary that has it, or skip unknown labels"


def _titles_then_aliases(vocabulary: KnowledgeBase) -> dict[str, list[int]]:
    title_to_rows: dict[str, list[int]] = defaultdict(list)
    alias_to_rows: dict[str, list[int]] = defaultdict(list)
    names, rows = vocabulary.names()
    for place, (name, row) in enumerate(zip(names, rows.tolist(), strict=True)):
        (title_to_rows if place < len(vocabulary) else alias_to_rows)[name].append(row)
    return {**alias_to_rows, **title_to_rows}


class FoundLabels:
    """Gives each new label the next row: for documents whose labels are all the vocabulary there is.

    Examples
    --------
    >>> labels = FoundLabels()
    >>> [labels.row_of(LabelReference(word=word)) for word in ("paper", "cats", "paper")]
    [0, 1, 0]
    >>> labels.vocabulary().title(1)
    'cats'
    """

    def __init__(self) -> None:
        self._id_to_row: dict[str, int] = {}
        self._titles: list[str] = []

    def row_of(self, label: LabelReference) -> int:
        """The label's row."""
        identifier = str(label)
        row = self._id_to_row.get(identifier)
        if row is None:
            row = self._id_to_row[identifier] = len(self._titles)
            self._titles.append(label.name or identifier)
        return row

    def vocabulary(self) -> KnowledgeBase:
        """The labels in the order in which they were first seen; a label without a name is called by its id."""
        records = zip(self._id_to_row, self._titles, strict=True)
        return KnowledgeBase.from_records({"id": id_, "title": title} for id_, title in records)
