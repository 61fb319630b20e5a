"""Texts as lists of tokens, the way formats with a token a line keep them: put together and taken apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from deixis.documents.spans import MakeError, in_text_order
from deixis.types import Document, Mention

_WORD = re.compile(r"[^ \t\n\r]+")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text, and the gap that follows it: nothing, a space or a line end."""

    text: str
    gap: str = " "


@dataclass(frozen=True, slots=True)
class TokenSpan:
    """A mention as a half-open range of token numbers."""

    first: int
    end: int
    entity: str | None = None
    is_nil: bool = False


def document_of_tokens(id: str, lang: str | None, tokens: Sequence[Token], spans: Sequence[TokenSpan]) -> Document:
    """The document with the tokens' text; what follows the last token is left out.

    Examples
    --------
    >>> document = document_of_tokens("1", None, [Token("Paris", ""), Token(","), Token("Troy")], [TokenSpan(2, 3)])
    >>> document.text, document.mentions[0].start
    ('Paris, Troy', 7)
    """
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for token in tokens:
        starts.append(at)
        ends.append(at + len(token.text))
        at = ends[-1] + len(token.gap)
    text = "".join(token.text + token.gap for token in tokens)[: ends[-1] if ends else 0]
    mentions = []
    for span in spans:
        start, end = starts[span.first], ends[span.end - 1]
        mentions.append(Mention(start, end, text[start:end], entity=span.entity, is_nil=span.is_nil))
    return Document(id, text, lang, tuple(mentions))


def tokens_of(document: Document, error: MakeError) -> tuple[list[Token], list[TokenSpan]]:
    """The text's tokens and its mentions as ranges of them.

    Tokens are what stands between spaces, tabs and line ends, cut where a mention begins or ends. Of the white space
    between two tokens it is kept only whether there was some and whether a line ended.

    Examples
    --------
    >>> tokens, spans = tokens_of(Document("1", "Paris, Troy", mentions=(Mention(0, 5, "Paris"),)), ValueError)
    >>> [(token.text, token.gap) for token in tokens], spans[0].end
    ([('Paris', ''), (',', ' '), ('Troy', '')], 1)
    """
    pieces: list[tuple[int, int]] = []
    spans: list[TokenSpan] = []
    at = 0
    for mention in in_text_order(document.mentions):
        if mention.start < at:
            raise error(
                f"its mention {mention.start}-{mention.end} overlaps another, and a token is of one mention at most. "
                "Drop one of them, or choose a format with offsets ('native', 'pubtator')"
            )
        pieces += _pieces(document.text, at, mention.start)
        inside = _pieces(document.text, mention.start, mention.end)
        if not inside:
            raise error(f"its mention {mention.start}-{mention.end} holds nothing but white space: {mention.text!r}")
        spans.append(TokenSpan(len(pieces), len(pieces) + len(inside), mention.entity, mention.is_nil))
        pieces += inside
        at = mention.end
    pieces += _pieces(document.text, at, len(document.text))
    return _with_gaps(document.text, pieces), spans


def _pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    return [match.span() for match in _WORD.finditer(text, start, end)]


def _with_gaps(text: str, pieces: Sequence[tuple[int, int]]) -> list[Token]:
    tokens = []
    for number, (start, end) in enumerate(pieces):
        until = pieces[number + 1][0] if number + 1 < len(pieces) else end
        white = text[end:until]
        tokens.append(Token(text[start:end], "\n" if "\n" in white else " " if white else ""))
    return tokens
