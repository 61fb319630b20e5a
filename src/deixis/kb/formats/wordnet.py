"""WordNet to records: the folder of its database files, as Debian's `wordnet-base` installs it in /usr/share/wordnet.

An entity is a synset: its first lemma is the title, the others are aliases, its gloss is the description and its part
of speech the type. The quoted usage examples inside glosses are kept apart too, so that a benchmark can hold them out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deixis.errors import DataError
from deixis.kb.list_lines import LineDecoder, ListLines
from deixis.kb.read_options import ReadOptions
from deixis.kb.records import BadRecord

PARTS = {"n": "data.noun", "v": "data.verb", "a": "data.adj", "r": "data.adv"}
TYPES = {"n": "noun", "v": "verb", "a": "adjective", "r": "adverb"}
_EXAMPLE = re.compile(r'"([^"]+)"?')
_SYNTACTIC_MARKER = re.compile(r"\((?:p|a|ip)\)$")
_EMPTY_ENDS = re.compile(r"[\s;]+(?=;|$)")


@dataclass(frozen=True, slots=True)
class Synset:
    """One entity: `definition` is the gloss without its usage examples."""

    id: str
    lemmas: tuple[str, ...]
    gloss: str
    definition: str
    examples: tuple[str, ...]

    def record(self, description: str | None = None) -> dict[str, Any]:
        """The synset in the native shape of an entity; its description is the gloss, or the one given."""
        return {
            "id": self.id,
            "title": self.lemmas[0],
            "aliases": list(self.lemmas[1:]),
            "description": self.gloss if description is None else description,
            "types": [TYPES[self.id[0]]],
        }


def is_wordnet(folder: Path) -> bool:
    """Whether the folder holds WordNet's four data files."""
    return all((folder / name).is_file() for name in PARTS.values())


def read_wordnet(folder: Path, options: ReadOptions | None = None) -> Iterator[tuple[int, dict[str, Any] | BadRecord]]:
    """Every synset's line in its file, and its record or what is wrong with it."""
    if not is_wordnet(folder):
        what = "is a folder; give a file" if folder.is_dir() else "is no folder"
        raise DataError(f"{what}, or a folder with WordNet's {', '.join(PARTS.values())}", path=folder)
    for number, synset in _read_lines(folder, options or ReadOptions()):
        yield number, synset if isinstance(synset, BadRecord) else synset.record()


def read_synsets(folder: Path) -> Iterator[Synset]:
    """All synsets, nouns first, in file order; a line that is none is an error."""
    for _, synset in _read_lines(folder, ReadOptions()):
        if isinstance(synset, BadRecord):
            raise synset
        yield synset


def parse_synset(letter: str, line: str) -> Synset:
    """The synset of one line of a data file, or `BadRecord`."""
    fields, _, gloss = line.partition(" | ")
    parts = fields.split(" ")
    try:
        words = parts[4 : 4 + 2 * int(parts[3], 16) : 2]
    except (IndexError, ValueError):
        words = []
    if not words or not parts[0].isdigit():
        raise BadRecord("bad_row", f"not a synset of WordNet: {line[:60]!a}")
    lemmas = tuple(dict.fromkeys(_SYNTACTIC_MARKER.sub("", word).replace("_", " ") for word in words))
    gloss = gloss.strip()
    definition = _EMPTY_ENDS.sub("", _EXAMPLE.sub(" ", gloss)).strip(" ;")
    return Synset(letter + parts[0], lemmas, gloss, definition, tuple(_EXAMPLE.findall(gloss)))


def _read_lines(folder: Path, options: ReadOptions) -> Iterator[tuple[int, Synset | BadRecord]]:
    for letter, name in PARTS.items():
        decode = LineDecoder(has_fallback=False).decode
        for number, raw in ListLines(folder / name, options):
            if raw.startswith(b"  "):  # the licence at the head of each file is indented
                continue
            try:
                yield number, parse_synset(letter, decode(raw, number))
            except BadRecord as bad:
                yield number, BadRecord(bad.kind, f"in {name}: {bad.reason}", folder / name)
