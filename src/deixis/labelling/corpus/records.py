"""A labelled document as a file has it, before its labels are looked up in a vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from deixis.documents.places import Place
from deixis.documents.spans import without_surrogates
from deixis.errors import DataError
from deixis.store.files import decode_line


class LabelReference(NamedTuple):
    """How a file means a label: by `id`, by `name`, or by a `word` that may be either; the others are empty.

    With an `id`, a `name` says what the label is called.
    """

    id: str = ""
    name: str = ""
    word: str = ""

    def __str__(self) -> str:
        return self.id or self.name or self.word


class LabelledRecord(NamedTuple):
    """A text, its labels and where it stands; `id` is empty if the file gives none.

    `label_places` says where each label stands, if not with the text.
    """

    place: Place
    id: str
    text: str
    labels: list[LabelReference]
    label_places: Sequence[Place] = ()


def records_of_lines(
    lines: Iterable[tuple[int, bytes]], path: str, parse: Callable[[str, Place], LabelledRecord]
) -> Iterator[LabelledRecord | DataError]:
    """What `parse` makes of each line that is not blank, or why it could not."""
    for number, raw in lines:
        if raw and not raw.isspace():
            try:
                yield parse(decode_line(raw, path, number), Place(path, number))
            except DataError as error:
                yield error


def checked_text(text: str, location: Place) -> str:
    """The text, which must hold something."""
    if not text or text.isspace():
        raise location.error("the text is empty; a document needs text to be learned from or labelled. Leave it out")
    return without_surrogates(text)
