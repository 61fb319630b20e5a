"""Corrections of links: the right answer for a span of a text, or that it is wrong, one JSON object a line."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from deixis.documents.json_lines import entity_in, name_in, read_records, shown, text_in
from deixis.documents.places import Place
from deixis.documents.spans import checked_span, checked_surface, without_surrogates
from deixis.errors import DataError
from deixis.store.files import open_lines
from deixis.types import MentionInContext

Verdict = Literal["gold", "wrong", "not_an_entity"]
VERDICTS: tuple[Verdict, ...] = ("gold", "wrong", "not_an_entity")
KEYS = ("id", "text", "lang", "start", "end", "surface", *VERDICTS, "all_equal")
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
        """The correction as a line of a file, which `corrections_from` reads again."""
        record: dict[str, Any] = {"text": self.text} | ({} if self.lang is None else {"lang": self.lang})
        record |= {"start": self.start, "end": self.end, "surface": self.surface}
        return record | {self.verdict: True if self.entity is None else self.entity}

    def for_all_equal(self) -> list[Correction]:
        """The same verdict for every span of the text with the same words: this one, then the others in order.

        Examples
        --------
        >>> second = Correction("Paris saw Paris, Parisians Paris.", 10, 15, "gold", "Q90")
        >>> [each.start for each in second.for_all_equal()]
        [10, 0, 27]
        """
        starts = [match.start() for match in re.finditer(f"(?={re.escape(self.surface)})", self.text)]
        n = self.end - self.start
        others = [
            replace(self, start=start, end=start + n)
            for start in starts
            if start != self.start and _are_whole_words(self.text, start, start + n)
        ]
        return [self, *others]

    def in_context(self) -> MentionInContext:
        """The span as the stages see mentions."""
        return MentionInContext(self.surface, self.text, self.start, self.end, self.lang)


def read_corrections(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], *, all_equal: bool = False
) -> list[Correction]:
    """The corrections of a file or of several, in order; files without any are an error.

    A line without a `text` is about the text that a line before it, in any of the files, gave under the same `id`. With
    `all_equal` lines that do not say whether they hold for all spans with the same words do.

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
            corrections += corrections_from(record, place, texts, all_equal=all_equal)
        if len(corrections) == n_before:
            raise DataError(f"there are no corrections. Write one JSON object a line: {_EXAMPLE}", path=path)
    return corrections


def corrections_from(
    record: Mapping[str, Any],
    place: Place,
    texts: dict[str, tuple[str, str | None]] | None = None,
    *,
    all_equal: bool = False,
) -> list[Correction]:
    """The correction that a record is, or with `all_equal` those of all spans with the same words, its own first.

    `texts` are those given under an id before, and take up this one's.
    """
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
    if not isinstance(record.get("all_equal"), bool | None):
        raise place.error(f"'all_equal' is true or false, got {shown(record['all_equal'])}")
    correction = Correction(text, start, end, verdict, entity, lang, place)
    return correction.for_all_equal() if record.get("all_equal", all_equal) else [correction]


def _are_whole_words(text: str, start: int, end: int) -> bool:
    """Whether a span neither begins nor ends within a word, in scripts that put spaces between words."""
    edges = ((text[at - 1], text[at]) for at in (start, end) if 0 < at < len(text))
    return not any(before.isalnum() and after.isalnum() and _has_spaces(before + after) for before, after in edges)


def _has_spaces(letters: str) -> bool:
    """Whether the scripts of these letters put spaces between words."""
    return all(ord(each) < 0x0E00 or 0x10A0 <= ord(each) < 0x1780 or 0x1E00 <= ord(each) < 0x2000 for each in letters)


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
