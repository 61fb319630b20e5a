"""MeSH in XML to records: descriptors (`desc2026.xml`) or supplementary records (`supp2026.xml`), one at a time.

The name of the record is the title, the terms of all its concepts are aliases, the scope note is the description and
the tree numbers are the types. The names of the DTDs in NLM's DOCTYPE lines are allowed, declarations are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.parsers import expat

from deixis.errors import DataError
from deixis.kb.records import BadRecord
from deixis.xml_prolog import without_declarations

_KINDS = ("Descriptor", "Supplemental")
ROOTS = tuple(f"{kind}RecordSet" for kind in _KINDS)
_RECORDS = {f"{kind}Record" for kind in _KINDS}
_FIELDS = {"String", "TreeNumber", "ScopeNote", "Note", "DescriptorUI", "SupplementalRecordUI"}
_BEGIN = re.compile(rb"<(?:%s)[\s>]" % "|".join(sorted(_RECORDS)).encode())
_MAX_DEPTH = 100  # real files have fewer than ten
_TERM = ("ConceptList", "Concept", "TermList", "Term", "String")


def read_mesh(lines: Iterator[tuple[int, bytes]], path: object) -> Iterator[tuple[int, dict[str, Any] | BadRecord]]:
    """The record of each descriptor, with the line on which it begins."""
    records, number = _Records(), 1
    root = ""
    for number, raw in without_declarations(lines, path):
        rest = raw + b"\n"
        while rest:
            if root:  # after damage, the next record is looked for
                begin = _BEGIN.search(rest)
                if begin is None:
                    break
                records, rest, root = _Records(root), rest[begin.start() :], ""
            try:
                records.feed(rest, number)
                yield from records.take()
                break
            except (expat.ExpatError, BadRecord) as error:
                yield from records.take()
                yield number, _damage(error, records.root, path, number)
                root, rest = records.root, rest[max(getattr(error, "offset", 0), 0) + 1 :]
    if not root:
        try:
            records.end()
        except expat.ExpatError as error:
            yield number, _damage(error, records.root, path, number)
    if (root or records.root) not in ROOTS:
        raise DataError(f"not MeSH: the outermost element is {records.root!a}, not {' or '.join(ROOTS)}", path=path)


def _damage(error: expat.ExpatError | BadRecord, root: str, path: object, line: int) -> BadRecord:
    """What is wrong with a record; before there is any, a `DataError`."""
    if isinstance(error, BadRecord):
        return error
    reason = f"not XML: {expat.ErrorString(error.code)} (column {error.offset + 1})"
    if root not in ROOTS:
        raise DataError(reason, path=path, line=line) from error
    return BadRecord("bad_xml", reason)


class _Records:
    """Collects records while a file is parsed; only what an entity needs is kept."""

    def __init__(self, root: str = "") -> None:
        self._parser = expat.ParserCreate(encoding="utf-8")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._open: list[str] = []
        self._text: list[str] = []
        self._record: dict[str, Any] = {}
        self._line = self._begin = 1
        self._is_preferred = False
        self._ready: list[tuple[int, dict[str, Any]]] = []
        self.root = ""
        if root:
            self.feed(f"<{root}>\n".encode(), 1)

    def feed(self, data: bytes, line: int) -> None:
        self._line = line
        self._parser.Parse(data, False)

    def end(self) -> None:
        self._parser.Parse(b"", True)

    def take(self) -> list[tuple[int, dict[str, Any]]]:
        """The records that have ended since this was last called."""
        ready, self._ready = self._ready, []
        return ready

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.root = self.root or name
        self._open.append(name)
        if len(self._open) > _MAX_DEPTH:
            raise BadRecord("bad_xml", f"not MeSH: elements within elements, more than {_MAX_DEPTH} deep")
        self._text.clear()
        if len(self._open) == 2:
            self._begin = self._line
            self._record = {"aliases": [], "types": []}
        elif name == "Concept":
            self._is_preferred = attributes.get("PreferredConceptYN") == "Y"

    def _characters(self, text: str) -> None:
        self._text.append(text)

    def _end(self, name: str) -> None:
        if name in _FIELDS:
            self._add("".join(self._text).strip())
        self._open.pop()
        self._text.clear()
        if len(self._open) == 1 and name in _RECORDS and self.root in ROOTS:
            self._finish()

    def _add(self, text: str) -> None:
        """Keep the text of the element that ends, if it is one of the record's own."""
        inner = tuple(self._open[2:])
        kind = self._open[1].removesuffix("Record") if len(self._open) > 1 else ""
        if inner in ((f"{kind}UI",), (f"{kind}RecordUI",)):
            self._record["id"] = text
        elif inner in ((f"{kind}Name", "String"), (f"{kind}RecordName", "String")):
            self._record["title"] = text
        elif inner == ("TreeNumberList", "TreeNumber"):
            self._record["types"].append(text)
        elif inner == ("ConceptList", "Concept", "ScopeNote"):
            if self._is_preferred or "description" not in self._record:
                self._record["description"] = text
        elif inner == ("Note",):
            self._record.setdefault("description", text)
        elif inner == _TERM:
            self._record["aliases"].append(text)

    def _finish(self) -> None:
        title = self._record.get("title")
        self._record["aliases"] = [each for each in dict.fromkeys(self._record["aliases"]) if each != title]
        self._ready.append((self._begin, self._record))
