"""HIPE-2022: a token a line under a header, and `# hipe2022:document_id = ...` before each document.

Mentions are the `NE-COARSE-LIT` column's (B-, I-; also E- and S-; an I- that continues nothing begins a mention, as in
the shared task's scorer), their entities the `NEL-LIT` column's: a Wikidata id, `NIL`, or `_` for undecided. Types,
fine, nested and metonymic annotations are not read. The file has no offsets: the text is its tokens joined by spaces,
by nothing after `NoSpaceAfter` (also at the end of a line: `d'|entre`), by a line end after `EndOfLine`; mentions are
counted in that text, in code points.

Not carried: scores and candidates, and which white space, and how much, stood between two tokens. Entity types are
written as `ent`. Overlapping mentions are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TextIO

from deixis.documents.formats.token_text import Token, TokenSpan, document_of_tokens, tokens_of
from deixis.documents.places import Place
from deixis.documents.spans import MakeError
from deixis.documents.tab_columns import column_value, writing_error
from deixis.types import Document

HEADER = (
    "TOKEN",
    "NE-COARSE-LIT",
    "NE-COARSE-METO",
    "NE-FINE-LIT",
    "NE-FINE-METO",
    "NE-FINE-COMP",
    "NE-NESTED",
    "NEL-LIT",
    "NEL-METO",
    "MISC",
)
_NEEDED = ("TOKEN", "NE-COARSE-LIT", "NEL-LIT")
_COMMENT = re.compile(r"# .*|#[^\t]*")
_FACT = re.compile(r"# *(?:[\w.-]+:)?(\w+) *=(.*)")
_TAG = re.compile(r"([BIES])-(.+)")
_OUTSIDE = ("O", "_", "")
_NIL = "NIL"
_NONE = "_"
_GAP_TO_MISC = {"": "NoSpaceAfter", " ": _NONE, "\n": "EndOfLine"}


def read_hipe(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Document]:
    r"""One document per `document_id`, with a mention per literal coarse entity.

    Examples
    --------
    >>> rows = ["TOKEN\tNE-COARSE-LIT\tNEL-LIT\tMISC", "# hipe2022:document_id = EXP-1888", "# hipe2022:language = fr",
    ...         "de\tO\t_\t_", "Munich\tB-loc\tQ1726\tNoSpaceAfter", ".\tO\t_\tEndOfLine"]
    >>> document = next(read_hipe(enumerate(rows, start=1), "hipe.tsv"))
    >>> document.id, document.lang, document.text, document.mentions[0].entity
    ('EXP-1888', 'fr', 'de Munich.', 'Q1726')
    """
    column_to_number: dict[str, int] = {}
    head: dict[str, str] = {}
    current: _Rows | None = None
    for number, line in lines:
        place = Place(path, number)
        if _is_header(line, column_to_number):
            column_to_number = _columns(line, place)
        elif _COMMENT.fullmatch(line):
            fact = _FACT.fullmatch(line)
            if fact is not None and fact[1] == "document_id" and "document_id" in head:
                yield from _closed(current)  # the document named before has no tokens
                current, head = _Rows(head), {}
            if fact is not None:
                head[fact[1]] = fact[2].strip()
        elif line.strip(" \t\r"):
            if "document_id" in head:
                yield from _closed(current)
                current = _Rows(head)
            head = {}  # what stands between a document's own tokens says nothing of the next one
            _checked(current, column_to_number, place).add(_row(line, column_to_number, place), place)
    yield from _closed(current)
    if "document_id" in head:
        yield _Rows(head).document()


def write_hipe(documents: Iterable[Document], stream: TextIO, path: str = "-") -> int:
    """Writes the header and the documents as they come, and returns how many documents there were."""
    stream.write("\t".join(HEADER) + "\n")
    n_documents = 0
    for document in documents:
        error = writing_error(document.id, "hipe", path)
        stream.write(f"# hipe2022:document_id = {_comment_value(document.id, 'its id', error)}\n")
        if document.lang:
            stream.write(f"# hipe2022:language = {_comment_value(document.lang, 'its language', error)}\n")
        tokens, spans = tokens_of(document, error)
        number_to_tags = {
            number: _tags(span, number, error) for span in spans for number in range(span.first, span.end)
        }
        for number, token in enumerate(tokens):
            tag, link = number_to_tags.get(number, ("O", _NONE))
            row = (token.text, tag, "O", "O", "O", "O", "O", link, _NONE, _GAP_TO_MISC[token.gap])
            stream.write("\t".join(row) + "\n")
        stream.write("\n")
        n_documents += 1
    return n_documents


class _Rows:
    """The lines of one document, as they come."""

    def __init__(self, head: dict[str, str]) -> None:
        self._id = head["document_id"]
        self._lang = head.get("language") or None
        self._tokens: list[Token] = []
        self._spans: list[TokenSpan] = []
        self._open_type: str | None = None

    def add(self, row: dict[str, str], place: Place) -> None:
        here = len(self._tokens)
        flags = row.get("MISC", "").split("|")
        gap = "" if "NoSpaceAfter" in flags else "\n" if "EndOfLine" in flags else " "
        self._tokens.append(Token(row["TOKEN"], gap))
        if row["NE-COARSE-LIT"] in _OUTSIDE:
            self._open_type = None
            return
        tag = _TAG.fullmatch(row["NE-COARSE-LIT"])
        if tag is None:
            raise place.error(f"NE-COARSE-LIT must be 'O' or like 'B-loc' or 'I-loc', got {row['NE-COARSE-LIT']!r}")
        if tag[1] in "IE" and self._open_type == tag[2]:
            last = self._spans[-1]
            self._spans[-1] = TokenSpan(last.first, here + 1, last.entity, last.is_nil)
        else:
            link = row["NEL-LIT"]
            is_linked = link not in (_NIL, _NONE, "")
            self._spans.append(TokenSpan(here, here + 1, link if is_linked else None, link == _NIL))
        self._open_type = tag[2] if tag[1] in "BI" else None

    def document(self) -> Document:
        return document_of_tokens(self._id, self._lang, self._tokens, self._spans)


def _closed(rows: _Rows | None) -> Iterator[Document]:
    if rows is not None:
        yield rows.document()


def _checked(rows: _Rows | None, column_to_number: dict[str, int], place: Place) -> _Rows:
    if not column_to_number:
        raise place.error(f"the first line must be the header: {' '.join(HEADER)} (tabs between)")
    if rows is None:
        raise place.error("a line like '# hipe2022:document_id = NZZ-1798-01-20-a-p0001' must stand before the tokens")
    return rows


def _is_header(line: str, column_to_number: dict[str, int]) -> bool:
    """Whether the line is the header, or, in files that were put together, one more of it."""
    return line.startswith("TOKEN\t") and (not column_to_number or "\tNE-COARSE-LIT" in line)


def _columns(line: str, place: Place) -> dict[str, int]:
    names = line.rstrip("\r").split("\t")
    missing = [name for name in _NEEDED if name not in names]
    if missing:
        raise place.error(f"the header lacks {', '.join(missing)}. Columns here: {', '.join(names)}")
    return {name: number for number, name in enumerate(names)}


def _row(line: str, column_to_number: dict[str, int], place: Place) -> dict[str, str]:
    values = line.split("\t")
    if len(values) != len(column_to_number):
        raise place.error(
            f"a line needs {len(column_to_number)} columns as in the header, got {len(values)}: {line[:80]!r}. "
            "Is the file cut off?"
        )
    if not values[0]:
        raise place.error("the TOKEN column is empty")
    return dict(zip(column_to_number, values, strict=True))


def _tags(span: TokenSpan, number: int, error: MakeError) -> tuple[str, str]:
    link = _NIL if span.is_nil else _NONE
    if span.entity is not None:
        link = column_value(span.entity, "an entity id", error, reserved=(_NIL, _NONE))
    return ("B-ent" if number == span.first else "I-ent"), link


def _comment_value(value: str, what: str, error: MakeError) -> str:
    if value != value.strip():
        raise error(f"{what} must not begin or end with white space, got {value!r}")
    return column_value(value, what, error)
