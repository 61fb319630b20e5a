"""Which field a column is, by the words of its header: English, and those that other Europeans use most."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

_WORDS: dict[str, list[str]] = json.loads((files("deixis.kb") / "header_words.json").read_text(encoding="utf-8"))
_WORD_TO_FIELD = {word: (name, rank) for name, words in _WORDS.items() for rank, word in enumerate(words)}
_LAST_WORDS = {
    word: name
    for name, words in {
        "id": "id identifier code number no nr sku uri iri nummer",
        "title": "name label title bezeichnung naam nom nome nombre",
        "aliases": "synonyms synonym aliases alias synonyme synonymes sinonimos sinonimi",
        "description": "description definition beschreibung notes",
        "types": "type category",
        "count": "count frequency popularity",
    }.items()
    for word in words.split()
}
"""A header of several words is understood by its last one: Product Name, drug_id."""
# "Parent id" is not the id of the entity, nor "category name" its name.
_OTHERS = set("parent category brand group old manufacturer supplier vendor family created updated kategorie".split())
_RANK_OF_LAST_WORD = 1000
_NAMED = set("known sold called named marketed branded traded spelled spelt written labelled referred".split())
"""A header that begins with `also` and has one of these has other names: Also sold as. Not so: Also bought."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\W_]+")


def plain(header: str) -> str:
    """The letters and digits of a header, without case, accents and a number at its end.

    Examples
    --------
    >>> plain("Alt. Names (2)"), plain("Häufigkeit")
    ('altnames', 'haufigkeit')
    """
    folded = unicodedata.normalize("NFKD", header.strip().casefold())
    letters = "".join(character for character in folded if character.isalnum())
    return letters.rstrip("0123456789") or letters


@cache
def field_of(header: str) -> tuple[str, int] | None:
    """The field that a header names, and a rank: of several headers for one field, the lowest is meant.

    Examples
    --------
    >>> field_of("Product Name"), field_of("drug_id")[0], field_of("also sold as")[0], field_of("colour")
    (('title', 13), 'id', 'aliases', None)
    """
    known = _WORD_TO_FIELD.get(plain(header))
    if known is not None:
        return known
    words = [plain(word) for word in _CAMEL.split(header.strip()) if word]
    if words[:1] == ["also"] and _NAMED & set(words):
        return "aliases", _RANK_OF_LAST_WORD
    if len(words) > 1 and words[0] not in _OTHERS and words[-1] in _LAST_WORDS:
        return _LAST_WORDS[words[-1]], _RANK_OF_LAST_WORD
    return None


def is_header(cells: Iterable[str]) -> bool:
    """Whether a row of a table names its columns: a cell is a known word, and none is empty twice, a number or a link.

    Examples
    --------
    >>> is_header(["SKU", "Colour"]), is_header(["7", "name"]), is_header(["Paris"])
    (True, False, False)
    """
    row = [cell.strip() for cell in cells]
    if any(re.fullmatch(r"[\d.,+-]+", cell) or "://" in cell or len(cell) > 200 for cell in row):
        return False
    if len(row) == 1:
        known = _WORD_TO_FIELD.get(plain(row[0]), ("", 0))
        return (known[0] == "title" and known[1] < 20) or plain(row[0]) == "names"
    return any(field_of(cell) is not None for cell in row)
