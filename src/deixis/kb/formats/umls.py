"""UMLS in Rich Release Format to records: `MRCONSO.RRF`, with `MRDEF.RRF` and `MRSTY.RRF` from the same folder.

An entity is a concept (CUI). Its title is the preferred name in English, or the first one there is; all its names are
aliases with their language, but suppressed ones are left out. Definitions are the description, semantic types the
types. UMLS sorts these files by concept, so that they are read side by side and no file is ever held in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, groupby
from pathlib import Path
from typing import Any

from deixis.errors import DataError
from deixis.kb.list_lines import LineDecoder, ListLines
from deixis.kb.read_options import ReadOptions
from deixis.kb.records import BadRecord

CONCEPTS, DEFINITIONS, TYPES = "MRCONSO.RRF", "MRDEF.RRF", "MRSTY.RRF"
_COMPRESSIONS = ("", ".gz", ".bz2", ".xz", ".zst")
_N_COLUMNS = {CONCEPTS: 18, DEFINITIONS: 8, TYPES: 6}
_LANG, _STATUS, _STRING_TYPE, _IS_PREFERRED, _STRING, _SUPPRESSED = 1, 2, 4, 6, 14, 16
_DEFINITION, _DEFINITION_SUPPRESSED, _TYPE = 5, 6, 3
_LANGS = dict(
    ENG="en", SPA="es", FRE="fr", GER="de", ITA="it", POR="pt", DUT="nl", JPN="ja", CHI="zh", KOR="ko", RUS="ru",
    CZE="cs", POL="pl", SWE="sv", NOR="no", FIN="fi", DAN="da", HUN="hu", TUR="tr", SCR="hr", GRE="el", EST="et",
    LAV="lv", BAQ="eu", HEB="he", ARA="ar", UKR="uk",
)  # fmt: skip
_Group = tuple[str, list[tuple[int, list[str]]]]


def is_umls(path: Path) -> bool:
    """Whether a path is the file of UMLS's names, or the folder of it."""
    return _present(path, CONCEPTS) is not None or path.name.upper().startswith(CONCEPTS)


def read_umls(path: Path, options: ReadOptions | None = None) -> Iterator[tuple[int, dict[str, Any] | BadRecord]]:
    """Each concept with the line of its first name."""
    names = _file(path)
    if names is None:
        raise DataError(f"no {CONCEPTS} here; give that file, or the folder it is in", path=path)
    tables = _Tables(options or ReadOptions())
    definitions = _Beside(tables, names.parent, DEFINITIONS)
    types = _Beside(tables, names.parent, TYPES)
    for concept, rows in tables.concepts(names, CONCEPTS):
        described = [row[_DEFINITION] for row in definitions.of(concept) if row[_DEFINITION_SUPPRESSED] in ("N", "")]
        named = [row for _, row in rows if row[_SUPPRESSED] in ("N", "")]
        if named:
            record = _record(concept, named)
            record["description"] = " ".join(described) or None
            record["types"] = [row[_TYPE] for row in types.of(concept)]
            yield from tables.take_bad()
            yield rows[0][0], record
    yield from tables.take_bad()


def _record(concept: str, rows: list[list[str]]) -> dict[str, Any]:
    preferred = min(rows, key=_preference)
    aliases = dict.fromkeys((row[_STRING], _LANGS.get(row[_LANG], row[_LANG].lower())) for row in rows)
    return {
        "id": concept,
        "title": preferred[_STRING],
        "aliases": [{"text": text, "lang": lang} for text, lang in aliases],
    }


def _preference(row: list[str]) -> tuple[bool, bool, bool, bool]:
    """English first, then the preferred term in its preferred form, as UMLS marks them."""
    return row[_LANG] != "ENG", row[_STATUS] != "P", row[_STRING_TYPE] != "PF", row[_IS_PREFERRED] != "Y"


class _Beside:
    """The rows of another file for one concept after the other; a file that is not there has none."""

    def __init__(self, tables: _Tables, folder: Path, name: str) -> None:
        file = _present(folder, name)
        self._groups = iter(()) if file is None else tables.concepts(file, name)
        self._waiting: _Group | None = next(self._groups, None)

    def of(self, concept: str) -> list[list[str]]:
        """The rows of a concept; concepts must come in their order."""
        while self._waiting is not None and self._waiting[0] < concept:
            self._waiting = next(self._groups, None)
        if self._waiting is None or self._waiting[0] != concept:
            return []
        return [row for _, row in self._waiting[1]]


class _Tables:
    """The rows of tables by concept; rows that are none are left out and kept as bad records."""

    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self._bad: list[tuple[int, BadRecord]] = []

    def take_bad(self) -> list[tuple[int, BadRecord]]:
        """The bad rows since this was last called."""
        bad, self._bad = self._bad, []
        return bad

    def concepts(self, file: Path, name: str) -> Iterator[_Group]:
        """Each concept of a sorted table with its rows."""
        last, waiting = "", None
        for following in chain(self._groups(file, name), [None]):
            if waiting is not None:
                concept, rows = waiting
                # Of three concepts, the middle one is out of order if the last would come right after the first.
                if concept <= last:
                    self._out_of_order(rows[0][0], f"{concept} comes after {last}", file)
                elif following is not None and last < following[0] < concept:
                    self._out_of_order(rows[0][0], f"{concept} comes before {following[0]}", file)
                else:
                    last = concept
                    yield waiting
            waiting = following

    def _out_of_order(self, line: int, what: str, file: Path) -> None:
        reason = f"the concept {what}; sort the file: LC_ALL=C sort -t'|' -k1,1 -s"
        self._bad.append((line, BadRecord("bad_row", reason, file)))

    def _groups(self, file: Path, name: str) -> Iterator[_Group]:
        for concept, rows in groupby(self._rows(file, name), key=lambda numbered: numbered[1][0]):
            yield concept, list(rows)

    def _rows(self, file: Path, name: str) -> Iterator[tuple[int, list[str]]]:
        decode = LineDecoder(has_fallback=False).decode
        n_cells = _N_COLUMNS[name] + 1  # each column ends in a bar
        for number, raw in ListLines(file, self._options):
            try:
                row = decode(raw, number).split("|")
            except BadRecord as bad:
                self._bad.append((number, BadRecord(bad.kind, f"in {name}: {bad.reason}", file)))
                continue
            if len(row) != n_cells:
                reason = f"{len(row) - 1} columns where {name} has {_N_COLUMNS[name]}"
                self._bad.append((number, BadRecord("bad_row", reason, file)))
            else:
                yield number, row


def _file(path: Path) -> Path | None:
    """The file of names that a path means."""
    return path if path.is_file() else _present(path, CONCEPTS)


def _present(folder: Path, name: str) -> Path | None:
    """The file of this name in a folder, compressed or not; None if there is none."""
    return next((folder / f"{name}{end}" for end in _COMPRESSIONS if (folder / f"{name}{end}").is_file()), None)
