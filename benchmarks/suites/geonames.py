"""GeoNames as a test of names across spellings and scripts: names are taken out of the knowledge base and asked for.

Of every eighth place with a title in Latin letters nothing but Latin names is left. Asked for is then one of the names
it lost in each other script (`cyrillic`, `arabic`, `cjk` for Han and kana, ...): only a transliteration leads there.
Taken out, and asked for, are also its title with other or no diacritics (`diacritics`) and one Latin name of another
spelling (`latin`). Of every other eighth place a name is asked for that stays (`kept`). A question has one answer,
though other places may bear the name.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from deixis.store.files import open_lines
from deixis.types import Document, Mention

ONE_IN = 8
MIN_LETTERS = 3  # shorter Latin names are mostly codes (AD, USA)
_SCRIPTS = {"CJK": "cjk", "HIRAGANA": "cjk", "KATAKANA": "cjk", "KATAKANA-HIRAGANA": "cjk"}

Record = dict[str, Any]


class Held(NamedTuple):
    """What is asked of a place, by kind of question, and the aliases it keeps."""

    kind_to_name: dict[str, str]
    aliases: list[str]


def geonames_records(path: Path) -> Iterator[Record]:
    """The places, without the names that are asked for."""
    for record in _records(path):
        held = hold_out(record)
        yield record if held is None else record | {"aliases": held.aliases}


def geonames_documents(path: Path) -> Iterator[Document]:
    """One document per question, whose text is the name; `735679#greek` asks for the place 735679 in Greek."""
    for place, kind, name in _questions(path):
        yield Document(f"{place}#{kind}", name, mentions=(Mention(0, len(name), name, entity=place),))


@lru_cache(maxsize=1)  # each script is a part of the suite, and the file has a million names
def _questions(path: Path) -> list[tuple[str, str, str]]:
    return [
        (str(record["id"]), kind, name)
        for record in _records(path)
        if (held := hold_out(record)) is not None
        for kind, name in held.kind_to_name.items()
    ]


def hold_out(record: Record) -> Held | None:
    """What is asked of this place; None if nothing is.

    Examples
    --------
    >>> hold_out({"id": 8, "title": "Koíla", "aliases": ["KLA", "Koila", "Lamnidhes", "Lamnídhes", "Κοίλα"]})
    Held(kind_to_name={'greek': 'Κοίλα', 'diacritics': 'Koila', 'latin': 'Lamnidhes'}, aliases=['KLA'])
    """
    title, aliases = record["title"], record.get("aliases", [])
    draw = hashlib.sha256(f"geonames {record['id']}".encode()).digest()
    if draw[0] % ONE_IN > 1 or not aliases or script_of(title) != "latin":
        return None
    if draw[0] % ONE_IN == 1:
        named = [alias for alias in aliases if _is_name(alias)]
        return Held({"kept": named[draw[1] % len(named)]}, aliases) if named else None
    scripts = {alias: script_of(alias) for alias in aliases}
    asked: dict[str, str] = {}
    for alias, script in scripts.items():
        if script not in ("", "latin"):
            asked.setdefault(script, alias)
    latin = [alias for alias, script in scripts.items() if script == "latin"]
    respelled = [alias for alias in latin if plain(alias) == plain(title) and alias.casefold() != title.casefold()]
    others = sorted({plain(alias) for alias in latin if _is_name(alias)} - {plain(title)})
    chosen = others[draw[1] % len(others)] if others else None
    if respelled:
        asked["diacritics"] = respelled[0]
    if chosen is not None:
        asked["latin"] = next(alias for alias in latin if plain(alias) == chosen and _is_name(alias))
    kept = [alias for alias in latin if plain(alias) != chosen and alias not in respelled]
    return Held(asked, kept) if asked else None


def script_of(name: str) -> str:
    """The script all letters of a name are of; empty if they are of several, or none.

    Examples
    --------
    >>> script_of("Thessaloníki"), script_of("Θεσσαλονίκη"), script_of("バクー 市"), script_of("Kˌuvajn Ελ")
    ('latin', 'greek', 'cjk', '')
    """
    words = {unicodedata.name(letter, "?").split()[0] for letter in name if letter.isalpha()}
    scripts = {_SCRIPTS.get(word, word.lower()) for word in words}
    return scripts.pop() if len(scripts) == 1 else ""


def plain(name: str) -> str:
    """The name in lower case, without diacritics.

    Examples
    --------
    >>> plain("Kleidíon")
    'kleidion'
    """
    letters = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _is_name(alias: str) -> bool:
    """Whether it is more than a code; other scripts have short names and no codes."""
    return script_of(alias) != "latin" or (len(alias) > MIN_LETTERS and not alias.isupper())


def _records(path: Path) -> Iterator[Record]:
    return (json.loads(line) for _, line in open_lines(path))
