r"""AIDA/CoNLL: a token a line, sentences apart by blank lines, documents begun by `-DOCSTART- (1 EU)`.

A token of a mention has more columns: `B` or `I`, the whole mention, the entity's YAGO2 name or `--NME--` (NIL), its
Wikipedia URL, Wikipedia number and Freebase mid. The file has no offsets: the text is its tokens joined by spaces, its
sentences joined by line ends, and mentions are counted in that text. A document's id is all that stands in the brackets
(`1 EU`). An entity's id is its page's title, from the URL, or from the YAGO name if there is no URL: underscores are
spaces, then escapes (`%28`, `\u0028`) are undone. The numbers and mids are not read. A mention without an entity column
is undecided.

Not carried: the language, scores and candidates, and the text's own spacing: `Paris,` with the mention `Paris` comes
back as `Paris ,`. Overlapping mentions are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TextIO
from urllib.parse import quote, unquote

from deixis.documents.formats.token_text import Token, TokenSpan, document_of_tokens, tokens_of
from deixis.documents.places import Place
from deixis.documents.spans import MakeError
from deixis.documents.tab_columns import column_value, writing_error
from deixis.types import Document

_START = "-DOCSTART-"
_NAMED_START = re.compile(r"-DOCSTART-[ \t]*\((.+)\)[ \t\r]*")
_NIL = "--NME--"
_NILS = (_NIL, "--OOKBE--")
_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4})+")
_WIKI = "http://en.wikipedia.org/wiki/"
_PAGE = re.compile(r"https?://[^/]+/(?:wiki|resource|page|entity)/(.+)")
_UNSAFE = re.compile(r"[^A-Za-z0-9.,:!'*/ -]")


def read_aida(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Document]:
    r"""One document per `-DOCSTART-` line, with a mention per `B` line.

    Examples
    --------
    >>> rows = ["-DOCSTART- (1 EU)", "EU\tB\tEU\t--NME--", "rejects",
    ...         "German\tB\tGerman\tGermany\thttp://en.wikipedia.org/wiki/Germany\t11867\t/m/0345h", "call", "", "Ok"]
    >>> document = next(read_aida(enumerate(rows, start=1), "aida.tsv"))
    >>> document.id, document.text, [(mention.start, mention.entity) for mention in document.mentions]
    ('1 EU', 'EU rejects German call\nOk', [(0, None), (11, 'Germany')])
    """
    current: _Rows | None = None
    for number, line in lines:
        place = Place(path, number)
        if line.startswith(_START):
            if current is not None:
                yield current.document()
            current = _Rows(_document_id(line, place))
        elif not line.strip(" \t\r"):
            if current is not None:
                current.end_sentence()
        elif current is None:
            raise place.error(f"a document must begin with a line like '-DOCSTART- (1 EU)', got {line[:80]!r}")
        else:
            current.add(line.split("\t"), place)
    if current is not None:
        yield current.document()


def write_aida(documents: Iterable[Document], stream: TextIO, path: str = "-") -> int:
    """Writes the documents as they come, without Wikipedia numbers and mids, and returns how many there were."""
    n_documents = 0
    for document in documents:
        error = writing_error(document.id, "aida", path)
        stream.write(f"{_START} ({column_value(document.id, 'its id', error)})\n")
        tokens, spans = tokens_of(document, error)
        number_to_columns = {
            number: _columns(tokens, span, number, error) for span in spans for number in range(span.first, span.end)
        }
        followed_by_its_own = {number for span in spans for number in range(span.first, span.end - 1)}
        for number, token in enumerate(tokens):
            if token.text.startswith(_START):
                raise error(f"the word {_START!r} begins a document here and cannot be a token")
            stream.write("\t".join([token.text, *number_to_columns.get(number, ())]) + "\n")
            if token.gap == "\n" and number not in followed_by_its_own:  # no sentence ends within a mention
                stream.write("\n")
        stream.write("\n")
        n_documents += 1
    return n_documents


class _Rows:
    """The lines of one document, as they come."""

    def __init__(self, id: str) -> None:
        self._id = id
        self._tokens: list[Token] = []
        self._spans: list[TokenSpan] = []
        self._surfaces: list[tuple[str, Place]] = []

    def add(self, columns: list[str], place: Place) -> None:
        token, *rest = columns
        if not token or " " in token:
            raise place.error(
                f"a line must begin with one token, then a tab, got {token[:80]!r}. "
                "Columns: token, B or I, mention, YAGO2 entity or --NME--, Wikipedia URL"
            )
        self._tokens.append(Token(token))
        tag = rest[0] if rest else ""
        if tag == "B":
            self._begin(rest, place)
        elif tag == "I":
            self._go_on(token, place)
        elif tag not in ("O", ""):
            raise place.error(
                f"the second column must be 'B', 'I' or 'O', got {tag[:80]!r}. A file of annotations without the text "
                "must first be made AIDA-YAGO2-dataset.tsv with the dataset's own program"
            )

    def end_sentence(self) -> None:
        if self._tokens:
            self._tokens[-1] = Token(self._tokens[-1].text, "\n")

    def document(self) -> Document:
        document = document_of_tokens(self._id, None, self._tokens, self._spans)
        for mention, (surface, place) in zip(document.mentions, self._surfaces, strict=True):
            if _bare(surface) != _bare(mention.text):
                raise place.error(f"the mention is said to be {surface!r}, but its tokens are {mention.text!r}")
        return document

    def _begin(self, rest: list[str], place: Place) -> None:
        if len(rest) < 2 or not rest[1]:
            raise place.error("a line with 'B' needs a third column with the whole mention; is the file cut off?")
        entity, is_nil = _link(rest[2:], place)
        here = len(self._tokens) - 1
        self._spans.append(TokenSpan(here, here + 1, entity, is_nil))
        self._surfaces.append((rest[1], place))

    def _go_on(self, token: str, place: Place) -> None:
        here = len(self._tokens) - 1
        if not self._spans or self._spans[-1].end != here:
            raise place.error(f"{token!r} has an 'I', but the line before it is of no mention; begin one with 'B'")
        last = self._spans[-1]
        self._spans[-1] = TokenSpan(last.first, here + 1, last.entity, last.is_nil)


def _document_id(line: str, place: Place) -> str:
    named = _NAMED_START.fullmatch(line)
    if named is None:
        raise place.error(f"a document's first line must name it, as in '-DOCSTART- (1 EU)', got {line[:80]!r}")
    return named[1]


def _link(columns: list[str], place: Place) -> tuple[str | None, bool]:
    """The entity's id, and whether the mention is NIL, from the columns after the mention."""
    yago, url = (columns + ["", ""])[:2]
    if yago in _NILS:
        return None, True
    page = _PAGE.fullmatch(url)
    if page is not None:
        return unquote(_unescaped(page[1].replace("_", " "))), False
    if url:
        raise place.error(f"the fifth column must be a page like {_WIKI}Germany, got {url[:80]!r}")
    return _unescaped(yago.replace("_", " ")) or None, False


def _unescaped(name: str) -> str:
    r"""The name with runs of `\uXXXX`, which count UTF-16 units, as characters."""

    def characters(run: re.Match[str]) -> str:
        return bytes.fromhex(run[0].replace(r"\u", "")).decode("utf-16-be", errors="replace")

    return _ESCAPES.sub(characters, name)


def _escaped(name: str) -> str:
    def units(character: re.Match[str]) -> str:
        code = character[0].encode("utf-16-be").hex()
        return "".join(rf"\u{code[at : at + 4]}" for at in range(0, len(code), 4))

    return _UNSAFE.sub(units, name).replace(" ", "_")


def _columns(tokens: list[Token], span: TokenSpan, number: int, error: MakeError) -> list[str]:
    """What stands after a token of a mention."""
    surface = " ".join(token.text for token in tokens[span.first : span.end])
    columns = ["B" if number == span.first else "I", surface]
    if span.is_nil:
        columns.append(_NIL)
    elif span.entity is not None:
        title = column_value(span.entity, "an entity id", error, reserved=_NILS)
        page = quote(title, safe=" ,:!'*()/").replace("_", "%5F").replace(" ", "_")
        columns += [_escaped(title), _WIKI + page]
    return columns


def _bare(text: str) -> str:
    return "".join(text.split()).casefold()
