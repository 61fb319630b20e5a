"""Corrections of links: the right answer for a span of a text, or that it is wrong, one JSON object a line."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from deixis.documents.json_lines import entity_in, name_in, read_records, shown, text_in
from deixis.documents.places import Place
from deixis.documents.spans import checked_span, checked_surface, without_surrogates
from deixis.errors import DataError
from deixis.store.files import open_lines
from deixis.types import MentionInContext

Verdict = Literal["gold", "wrong", "not_an_entity"]
VERDICTS: tuple[Verdict, ...] = ("gold", "wrong", "not_an_entity")
KEYS = ("id", "text", "lang", "start", "end", "surface", *VERDICTS)
_EXAMPLE = '{"text": "So Paris fled.", "start": 3, "end": 8, "gold": "Q167646"}'


@dataclass(frozen=True, slots=True)
class Correction:
    """What a span of a text means (`gold`), does not mean (`wrong`), or that it means nothing (`not_an_entity`).

    `place` is where it was read, for errors; it does not count when corrections are compared.

    Examples
    --------
    >>> Correction("So Paris fled.", 3, 8, "gold", "Q167646").surface
    'Paris'
    """

    text: str
    start: int
    end: int
    verdict: Verdict
    entity: str | None = None
    lang: str | None = None
    place: Place | None = None

    def __post_init__(self) -> None:
        checked_span(self.start, self.end, self.text, self.error)
        if without_surrogates(self.text) != self.text:
            raise self.error("the text has a lone surrogate, which UTF-8 cannot hold. Put U+FFFD in its place")
        if self.verdict not in VERDICTS:
            raise self.error(f"a correction says one of {_joined(VERDICTS)}, got {self.verdict!r}")
        if (self.entity is None) != (self.verdict == "not_an_entity") or self.entity == "":
            raise self.error(f"'gold' and 'wrong' name an entity, 'not_an_entity' names none; got {self.entity!r}")

    def error(self, message: str) -> DataError:
        """The error that names where this stands, if that is known."""
        return DataError(message) if self.place is None else self.place.error(message)

    @property
    def surface(self) -> str:
        """The words of the span."""
        return self.text[self.start : self.end]

    @property
    def key(self) -> tuple[str, int, int]:
        """What it is about: a span of a text. Of two corrections with one key that contradict, the later one holds."""
        return self.text, self.start, self.end

    def to_dict(self) -> dict[str, Any]:
        """The correction as a line of a file, which `correction_from` reads again."""
        record: dict[str, Any] = {"text": self.text} | ({} if self.lang is None else {"lang": self.lang})
        record |= {"start": self.start, "end": self.end, "surface": self.surface}
        return record | {self.verdict: True if self.entity is None else self.entity}

    def in_context(self) -> MentionInContext:
        """The span as the stages see mentions."""
        return MentionInContext(self.surface, self.text, self.start, self.end, self.lang)


def read_corrections(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[Correction]:
    """The corrections of a file or of several, in order; files without any are an error.

    A line without a `text` is about the text that a line before it, in any of the files, gave under the same `id`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "corrections.jsonl"
    >>> _ = path.write_text('{"text": "So Paris fled.", "start": 3, "end": 8, "gold": "Q167646"}')
    >>> [(each.surface, each.verdict, each.entity) for each in read_corrections(path)]
    [('Paris', 'gold', 'Q167646')]
    """
    files = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    texts: dict[str, tuple[str, str | None]] = {}
    corrections: list[Correction] = []
    for file in files:
        path = os.fspath(file)
        n_before = len(corrections)
        for record, place in read_records(open_lines(path), path):
            corrections.append(correction_from(record, place, texts))
        if len(corrections) == n_before:
            raise DataError(f"there are no corrections. Write one JSON object a line: {_EXAMPLE}", path=path)
    return corrections


def correction_from(
    record: Mapping[str, Any], place: Place, texts: dict[str, tuple[str, str | None]] | None = None
) -> Correction:
    """The correction that a record is; `texts` are those given under an id before, and take up this one's."""
    unknown = [key for key in record if key not in KEYS]
    if unknown:
        close = difflib.get_close_matches(unknown[0], KEYS, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise place.error(f"a correction has no key {unknown[0]!r}. Known: {_joined(KEYS)}.{hint}")
    text, lang = _text_of(record, place, {} if texts is None else texts)
    start, end = checked_span(record.get("start"), record.get("end"), text, place.error)
    if record.get("surface") is not None:
        checked_surface(record["surface"], start, end, text, place.error, "Or leave out 'surface' to trust the offsets")
    verdict, entity = _verdict_of(record, place)
    return Correction(text, start, end, verdict, entity, lang, place)


def _text_of(
    record: Mapping[str, Any], place: Place, texts: dict[str, tuple[str, str | None]]
) -> tuple[str, str | None]:
    name = name_in(record, "id", place)
    if record.get("text") is None and name is not None:
        if name not in texts:
            raise place.error(f"no line before this one gave the text of the document {name!r}. Give it as 'text'")
        return texts[name]
    text_and_lang = text_in(record, "text", place, _EXAMPLE), name_in(record, "lang", place)
    if name is not None:
        texts[name] = text_and_lang
    return text_and_lang


def _verdict_of(record: Mapping[str, Any], place: Place) -> tuple[Verdict, str | None]:
    verdicts = [verdict for verdict in VERDICTS if verdict in record]
    if len(verdicts) != 1:
        got = "none of them" if not verdicts else f"{_joined(verdicts)} at once"
        raise place.error(f"a correction says one of {_joined(VERDICTS)}, got {got}. Example: {_EXAMPLE}")
    verdict = verdicts[0]
    if verdict == "not_an_entity":
        if record[verdict] is not True:
            raise place.error(f"'not_an_entity' is true or is left out, got {shown(record[verdict])}")
        return verdict, None
    entity = entity_in(record, verdict, place)
    if entity is not None:
        return verdict, entity
    if verdict == "wrong":
        raise place.error("'wrong' names the entity that is not meant, got null. If none is: \"not_an_entity\": true")
    return "not_an_entity", None  # as in gold of the native format: null means nothing in the knowledge base


def _joined(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))
