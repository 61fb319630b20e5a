"""BioC XML in and out, a document at a time. Nothing is fetched and no entity is expanded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, TextIO
from xml.parsers import expat
from xml.sax.saxutils import escape

from deixis.documents.formats.bioc.record_in import document_of
from deixis.documents.formats.bioc.record_out import record_of
from deixis.documents.places import Place
from deixis.documents.spans import without_surrogates
from deixis.types import Document

_CHUNK = 1 << 16
_NESTED = {"passage": "passages", "sentence": "sentences", "annotation": "annotations"}
_LEAVES = frozenset({"id", "offset", "text", "infon"})
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE collection SYSTEM "BioC.dtd">\n'
    "<collection><source>Deixis</source><date></date><key></key>\n"
)


def read_bioc_xml(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Document]:
    """The documents of a BioC collection; entity declarations, which can blow up or fetch files, are refused.

    Examples
    --------
    >>> line = "<collection><document><id>1</id><passage><offset>0</offset><text>Paris</text></passage></document>"
    >>> [document.text for document in read_bioc_xml([(1, line), (2, "</collection>")], "x.xml")]
    ['Paris']
    """
    builder = _Builder(path)
    for number, line in lines:
        if builder.is_untouched and not line.strip():
            continue  # an XML declaration must stand at the very beginning
        for begin in range(0, len(line) + 1, _CHUNK):
            builder.feed(without_surrogates(line[begin : begin + _CHUNK]), number)
            yield from builder.finished()
        builder.feed("\n", number)
        yield from builder.finished()
    if not builder.is_untouched:
        builder.close()


class _Builder:
    """Makes BioC records, of the shape that BioC JSON has, out of what the XML parser reports."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._line = 1
        self.is_untouched = True
        self._records: list[dict[str, Any]] = []  # those of the open elements, outermost first
        self._words: list[str] | None = None  # the text of the open leaf
        self._key = ""
        self._begun = 1
        self._done: list[Document] = []
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.EntityDeclHandler = self._refuse_entity
        self._parser.SkippedEntityHandler = self._refuse_reference

    def feed(self, text: str, line: int) -> None:
        """Takes more of the file."""
        self._line = line
        self.is_untouched = False
        self._parse(text, is_last=False)

    def close(self) -> None:
        """Checks that everything that was opened has been closed."""
        self._parse("", is_last=True)

    def finished(self) -> Iterator[Document]:
        """The documents that have ended since the last call."""
        yield from self._done
        self._done.clear()

    def _parse(self, text: str, is_last: bool) -> None:
        try:
            self._parser.Parse(text, is_last)
        except expat.ExpatError as error:
            problem = expat.ErrorString(error.code)
            hint = ". Is the file cut off?" if is_last else ""
            raise self._place.error(f"not well-formed XML ({problem}, column {error.offset + 1}){hint}") from None

    @property
    def _place(self) -> Place:
        return Place(self._path, self._line)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if self._words is not None:
            raise self._place.error(f"<{name}> stands inside of a text; BioC allows no elements there")
        if not self._records and name not in ("collection", "document"):
            raise self._place.error(f"BioC XML begins with <collection>, got <{name}>")
        if name in _LEAVES:
            self._words = []
            self._key = attributes.get("key", "")
            return
        record: dict[str, Any] = {"infons": {}}
        if name == "document":
            record["passages"] = []
            self._begun = self._line
        elif name in _NESTED:
            if not any("passages" in opened for opened in self._records):
                raise self._place.error(f"<{name}> stands outside of a <document>")
            self._records[-1].setdefault(_NESTED[name], []).append(record)
        elif name == "location":
            self._records[-1].setdefault("locations", []).append(dict(attributes))
        self._records.append(record)  # a record that nobody was given, such as a relation's, is forgotten

    def _end(self, name: str) -> None:
        if name in _LEAVES:
            text = "".join(self._words or ())
            self._words = None
            if name == "infon":
                self._records[-1]["infons"][self._key] = text
            else:
                self._records[-1][name] = text
            return
        record = self._records.pop()
        if name == "document":
            self._done.append(document_of(record, Place(self._path, self._begun)))

    def _characters(self, data: str) -> None:
        if self._words is not None:
            self._words.append(data)

    def _refuse_entity(self, name: str, *_: object) -> None:
        raise self._place.error(
            f"the file declares the XML entity {name!r}; entities are refused because they can grow without bound or "
            "fetch other files. Take the declaration out of the DOCTYPE"
        )

    def _refuse_reference(self, name: str, *_: object) -> None:
        raise self._place.error(f"the XML entity &{name}; is not declared; write the character itself, or &#...;")


def write_bioc_xml(documents: Iterable[Document], stream: TextIO, path: str = "-") -> int:
    """Writes one collection, a document a line, and returns how many there were; offsets count code points.

    Control characters, which XML cannot hold, become U+FFFD.
    """
    stream.write(_HEAD)
    n_documents = 0
    for document in documents:
        stream.write(_document(record_of(document, path)) + "\n")
        n_documents += 1
    stream.write("</collection>\n")
    return n_documents


def _document(record: dict[str, Any]) -> str:
    (passage,) = record["passages"]
    inner = _infons(record) + "<passage>" + _leaf("offset", passage["offset"]) + _leaf("text", passage["text"])
    annotations = "".join(map(_annotation, passage["annotations"]))
    return f"<document>{_leaf('id', record['id'])}{inner}{annotations}</passage></document>"


def _annotation(record: dict[str, Any]) -> str:
    (location,) = record["locations"]
    where = f'<location offset="{location["offset"]}" length="{location["length"]}"/>'
    return f'<annotation id="{record["id"]}">{_infons(record)}{where}{_leaf("text", record["text"])}</annotation>'


def _infons(record: dict[str, Any]) -> str:
    return "".join(f'<infon key="{key}">{_text(value)}</infon>' for key, value in record["infons"].items())


def _leaf(name: str, value: object) -> str:
    return f"<{name}>{_text(value)}</{name}>"


def _text(value: object) -> str:
    # A carriage return that is not written as a reference would be read as a line feed.
    return escape(_NOT_XML.sub("\ufffd", str(value)), {"\r": "&#13;"})
