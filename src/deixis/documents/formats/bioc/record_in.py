"""BioC's record of a document, as both of its dialects (JSON, XML) give it, turned into a `Document`.

BioC (Comeau et al., 2013): a document is a list of passages, each with an offset into the document, a text and
annotations with infons (free keys and values) and locations (offset, length). BioC's definition counts offsets in UTF-8
bytes; PubTator and most others count characters. The annotations' own texts show which it is, for each document.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from deixis.documents.json_lines import records_in, shown
from deixis.documents.places import Place
from deixis.documents.spans import (
    Claim,
    Ruler,
    checked_span,
    checked_surface,
    in_text_order,
    unit_of,
    without_surrogates,
)
from deixis.errors import DataError
from deixis.types import Document, Mention, NilReason

NIL_IDS = frozenset({"-", "-1", ""})
MAX_GAP = 1_000_000
"""Characters of text that may be missing between two passages; more is taken for a broken offset."""

_VOCABULARIES = ("mesh", "omim", "cui", "umls", "ncbi gene", "ncbi taxonomy", "chebi")
_WHOLE = re.compile(r"[0-9]{1,15}")


@dataclass(frozen=True)
class _Piece:
    """A passage, or a sentence of a passage that has no text of its own."""

    offset: int
    text: str
    joint: str
    """What parts it from the piece before, as far as the offsets leave room: a line end, or a space in a passage."""


@dataclass
class _Draft:
    """What has been read of a document."""

    pieces: list[_Piece] = field(default_factory=list)
    annotations: list[tuple[Mapping[str, Any], int | None]] = field(default_factory=list)
    """Each with the number of the piece that it was found in; None where it was found above pieces."""


def document_of(record: Any, place: Place) -> Document:  # noqa: ANN401 - any JSON value
    r"""The document that a BioC record holds.

    The passages' texts are joined by a line end and as many spaces as their offsets ask for, so that offsets into the
    document stay what they were; passages that overlap by their offsets are only joined by a line end. The entity is
    the infon `identifier`, or one whose key ends in that word, or one named after a vocabulary (`MESH`, `OMIM`, ...);
    `-` and `-1` mean NIL. An annotation of several locations becomes the span from the first to the last; one without
    a location, or of no length, is left out.

    Examples
    --------
    >>> paris = {"infons": {"identifier": "Q90"}, "locations": [{"offset": 5, "length": 5}], "text": "Paris"}
    >>> passages = [{"offset": 0, "text": "Trip"}, {"offset": 5, "text": "Paris!", "annotations": [paris]}]
    >>> document = document_of({"id": "1", "passages": passages}, Place("x.json", 1))
    >>> document.text, document.mentions[0].start, document.mentions[0].entity
    ('Trip\nParis!', 5, 'Q90')
    """
    if not isinstance(record, dict) or not isinstance(record.get("passages"), list):
        raise place.error(f"a BioC document is an object with a list 'passages', got {shown(record)}")
    try:
        return _document(record, place)
    except DataError as error:  # in a collection on one line, the line says little
        raise place.error(f"in the document {shown(record.get('id'))}: {error.reason}") from None


def _document(record: Mapping[str, Any], place: Place) -> Document:
    draft = _Draft()
    for passage in records_in(record, "passages", place, "'offset' and 'text'"):
        _add_passage(passage, draft, place)
    draft.annotations.extend((annotation, None) for annotation in _annotations(record, place))
    text, mentions = _joined(draft, place)
    infons = _infons(record, place)
    return Document(
        id=_word(record.get("id")) or str(place.line),
        text=text,
        lang=_word(infons.get("lang") or infons.get("language")),
        mentions=in_text_order(mentions),
    )


def _add_passage(passage: Mapping[str, Any], draft: _Draft, place: Place) -> None:
    sentences = records_in(passage, "sentences", place, "'offset' and 'text'")
    has_text = bool(passage.get("text")) or not sentences
    if has_text:
        _add_piece(passage, "\n", draft, place)
    inside = len(draft.pieces) - 1 if has_text else None
    draft.annotations.extend((annotation, inside) for annotation in _annotations(passage, place))
    for position, sentence in enumerate(sentences):
        if not has_text:
            _add_piece(sentence, " " if position else "\n", draft, place)
        number = len(draft.pieces) - 1
        draft.annotations.extend((annotation, number) for annotation in _annotations(sentence, place))


def _add_piece(record: Mapping[str, Any], joint: str, draft: _Draft, place: Place) -> None:
    text = record.get("text") or ""
    if not isinstance(text, str):
        raise place.error(f"a passage's 'text' must be a string, got {shown(text)}")
    offset = _whole(record.get("offset"), "a passage's offset", place)
    draft.pieces.append(_Piece(offset, without_surrogates(text), joint))


def _joined(draft: _Draft, place: Place) -> tuple[str, list[Mention]]:
    """The whole text, and the mentions in it."""
    located = list(_located(draft, place))
    unit = unit_of(claim for _, _, claim in located)
    rulers = [Ruler(piece.text, unit) for piece in draft.pieces]
    parts: list[str] = []
    starts: list[int] = []
    length = end = 0
    for piece, ruler in zip(draft.pieces, rulers, strict=True):
        gap = piece.offset - end if piece.offset >= end else 1
        if gap > MAX_GAP:
            raise place.error(f"a passage's offset is {piece.offset}, but the one before it ended at {end}")
        parts += ((piece.joint + " " * gap)[:gap], piece.text)
        starts.append(length + gap)
        length += gap + len(piece.text)
        end = piece.offset + ruler.length
    text = "".join(parts)
    mentions = [
        _mention(annotation, claim, rulers[number], starts[number], text, place)
        for annotation, number, claim in located
    ]
    return text, mentions


def _located(draft: _Draft, place: Place) -> Iterator[tuple[Mapping[str, Any], int, Claim]]:
    """Each annotation that has a place, the number of its piece, and what it claims to stand there."""
    offsets = [piece.offset for piece in draft.pieces]
    for annotation, inside in draft.annotations:
        locations = records_in(annotation, "locations", place, "'offset' and 'length'")
        if not locations:
            continue
        begins = [_whole(location.get("offset"), "a location's offset", place) for location in locations]
        sizes = [_whole(location.get("length"), "a location's length", place) for location in locations]
        begin, end = min(begins), max(map(int.__add__, begins, sizes))
        if begin == end:
            continue
        number = bisect_right(offsets, begin) - 1 if inside is None else inside
        if number < 0:
            raise place.error(f"an annotation lies at {begin}, before the first passage")
        piece = draft.pieces[number]
        surface = annotation.get("text") if len(locations) == 1 else None
        if surface is not None and not isinstance(surface, str):
            raise place.error(f"an annotation's 'text' must be a string, got {shown(surface)}")
        yield annotation, number, Claim(piece.text, begin - piece.offset, end - piece.offset, surface or None)


def _mention(annotation: Mapping[str, Any], claim: Claim, ruler: Ruler, shift: int, text: str, place: Place) -> Mention:
    start, end = ruler.code_point(claim.start), ruler.code_point(claim.end)
    if end > len(claim.text) or start < 0:
        raise place.error(
            f"the annotation {shown(annotation.get('text'))} lies outside the text of its passage: it begins "
            f"{claim.start} and ends {claim.end} after the passage's offset, and the passage is {ruler.length} long. "
            "Offsets count from the document's beginning, not the passage's"
        )
    checked_span(start, end, claim.text, place.error)
    if claim.surface is not None and not _is_respelling(without_surrogates(claim.surface), claim.text[start:end]):
        checked_surface(claim.surface, start + shift, end + shift, text, place.error)
    infons = _infons(annotation, place)
    entity, is_nil = _entity(infons)
    return Mention(
        start + shift,
        end + shift,
        claim.text[start:end],
        entity,
        _score(infons.get("score")),
        is_nil,
        mention_score=_score(infons.get("mention_score")),
        entity_score=_score(infons.get("entity_score")),
        nil_reason=next((reason for reason in get_args(NilReason) if reason == infons.get("nil_reason")), None),
    )


def _is_respelling(surface: str, written: str) -> bool:
    """Whether the two differ only where the text is not ASCII; PubTator writes `TNF-a` for `TNF-α`."""
    if surface == written or len(surface) != len(written):
        return surface == written
    return all(ours == theirs or not theirs.isascii() for ours, theirs in zip(surface, written, strict=True))


def _entity(infons: Mapping[str, Any]) -> tuple[str | None, bool]:
    """The id that the infons name, and whether they say that there is none."""
    by_key = {key.lower(): value for key, value in infons.items()}
    keys = ["identifier", *(key for key in by_key if key.endswith("identifier")), *_VOCABULARIES]
    id_key = next((key for key in keys if key in by_key), None)
    if id_key is None:
        return None, False
    entity = (_word(by_key[id_key]) or "").strip()
    return (None, True) if entity in NIL_IDS else (entity, False)


def _score(value: Any) -> float | None:  # noqa: ANN401 - any JSON value
    """The number, if it is one: infons are free, and somebody else's `score` may be a word."""
    try:
        score = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return score if math.isfinite(score) else None


def _infons(record: Mapping[str, Any], place: Place) -> Mapping[str, Any]:
    infons = record.get("infons")
    if not isinstance(infons, dict | None):
        raise place.error(f"'infons' must be an object, got {shown(infons)}")
    return infons or {}


def _annotations(record: Mapping[str, Any], place: Place) -> list[dict[str, Any]]:
    return records_in(record, "annotations", place, "'infons' and 'locations'")


def _whole(value: Any, what: str, place: Place) -> int:  # noqa: ANN401 - any JSON value
    word = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not _WHOLE.fullmatch(word):
        raise place.error(f"{what} must be a whole number from 0, got {shown(value)}")
    return int(word)


def _word(value: Any) -> str | None:  # noqa: ANN401 - any JSON value
    return without_surrogates(str(value)) if isinstance(value, str | int | float) else None
