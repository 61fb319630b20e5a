"""Texts cut to a number of tokens, whole words only: the text around a mention, the beginning of a description.

Words are those of `features/tokens`, whatever the tokenizer: in scripts without spaces each character is one, so such a
text is cut between characters even where the tokenizer takes a sentence for one word, as sentence pieces do.
After Farhan, 2024, "Multilingual Entity Linking Using Dense Retrieval", section 5.1: the mention stands in the middle,
marked on both sides, and where the text ends on one side the window reaches further to the other.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike

from tokenizers import Encoding, Tokenizer

from deixis.encoders.config import MARKER
from deixis.errors import DataError
from deixis.features.tokens import tokenize
from deixis.types import MentionInContext

_CHARACTERS = 16  # per token: a window is looked for in this much text, so a book is not cut up for each mention
_AT_ONCE = 1024  # texts whose tokens are held together: they take a hundred times the room of the text
_NEAR = 8  # characters on both sides that decide whether a position is inside a word
_HALF = re.compile(r"[\ud800-\udfff]")  # halves of characters, which have no bytes and so no tokens


class TokenWindows:
    """Cuts texts by the tokens of one tokenizer; what is cut stays text, so any model with that tokenizer can read it.

    Examples
    --------
    >>> from tokenizers import models, pre_tokenizers
    >>> words = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    >>> words.pre_tokenizer = pre_tokenizers.Whitespace()
    >>> mention = MentionInContext("Paris", "To save Troy , Paris had to be sacrificed", 15, 20)
    >>> TokenWindows(words).around([mention], 11)
    ['Troy , [M] Paris [M] had to']
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self.tokenizer = tokenizer
        special = sorted({MARKER, *(token.content for token in tokenizer.get_added_tokens_decoder().values())})
        self._special = re.compile("|".join(re.escape(text) for text in special if text))

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> TokenWindows:
        """Windows by the tokens of a tokenizer.json."""
        try:
            return cls(Tokenizer.from_file(str(path)))
        except Exception as error:  # the library raises nothing more precise
            raise DataError(
                f"is no tokenizer of the 'tokenizers' library ({error}). Check the path", path=path
            ) from error

    @classmethod
    def from_bytes(cls, stored: bytes) -> TokenWindows:
        """Windows by the tokens of the bytes of a tokenizer.json."""
        return cls(Tokenizer.from_buffer(stored))

    def n_tokens(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, those that a model puts around it not counted."""
        blocks = (self._encoded(texts[at : at + _AT_ONCE]) for at in range(0, len(texts), _AT_ONCE))
        return [len(encoding.ids) for block in blocks for encoding in block]

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Where each token begins and ends in the text, in code points."""
        return list(self._encoded([self.same_length(text)])[0].offsets)

    def same_length(self, text: str) -> str:
        """The text without anything that the tokenizer would take for a sign of its own, places unchanged."""
        return self._special.sub(lambda match: " " + match[0][1:], _HALF.sub("\ufffd", text))

    def heads(self, texts: Sequence[str], n_tokens: int) -> list[str]:
        """The first words of each text, as many as have at most `n_tokens` tokens together."""
        blocks = (self._heads(texts[at : at + _AT_ONCE], n_tokens) for at in range(0, len(texts), _AT_ONCE))
        return list(itertools.chain.from_iterable(blocks))

    def _heads(self, texts: Sequence[str], n_tokens: int) -> list[str]:
        heads = [self.plain(text[: _CHARACTERS * n_tokens].strip()) for text in texts]
        numbers = list(range(len(heads)))
        while numbers:  # cut off, a text may have other tokens than before, and more: they are counted again
            encoded = self._encoded([heads[number] for number in numbers])
            too_long = {
                number: encoding
                for number, encoding in zip(numbers, encoded, strict=True)
                if len(encoding.ids) > n_tokens
            }
            for number, encoding in too_long.items():
                heads[number] = _Cut(heads[number], encoding).head(n_tokens)
            numbers = list(too_long)
        return heads

    def fits(self, mentions: Sequence[MentionInContext], n_tokens: int, marker: str = MARKER) -> list[bool]:
        """Whether each mention has room in a window of that many tokens, with its markers."""
        return [n <= n_tokens for n in self.n_tokens([self._marked(mention, marker) for mention in mentions])]

    def fitting(self, names: Sequence[str], n_tokens: int, marker: str = MARKER) -> list[str]:
        """Each name, or its first words if there is no room for it in a window of that many tokens with markers."""
        fitted, room = list(names), n_tokens - 2 * self.n_tokens([marker])[0]
        numbers = list(range(len(fitted)))
        while numbers:
            alone = [MentionInContext(fitted[number], fitted[number], 0, len(fitted[number])) for number in numbers]
            fits = self.fits(alone, n_tokens, marker)
            numbers = [number for number, is_fit in zip(numbers, fits, strict=True) if not is_fit and room > 0]
            for number, head in zip(numbers, self.heads([names[number] for number in numbers], room), strict=True):
                fitted[number] = head
            room -= 1
        return fitted

    def around(self, mentions: Sequence[MentionInContext], n_tokens: int, marker: str = MARKER) -> list[str]:
        """The text around each mention, at most `n_tokens` tokens with the mention and a `marker` on both its sides.

        The mention is always whole; one that has no room is an error. Without a marker none is set.
        """
        blocks = (
            self._around(mentions[at : at + _AT_ONCE], n_tokens, marker) for at in range(0, len(mentions), _AT_ONCE)
        )
        return list(itertools.chain.from_iterable(blocks))

    def _around(self, mentions: Sequence[MentionInContext], n_tokens: int, marker: str) -> list[str]:
        reach, n = _CHARACTERS * n_tokens, len(mentions)
        befores = [self.plain(_before(mention, reach)) for mention in mentions]
        marked = [self._marked(mention, marker) for mention in mentions]
        afters = [self.plain(_after(mention, reach)) for mention in mentions]
        encoded = self._encoded([*befores, *marked, *afters])
        rooms = [n_tokens - len(own.ids) for own in encoded[n : 2 * n]]
        for mention, room in zip(mentions, rooms, strict=True):
            if room < 0:
                raise _no_room(mention, n_tokens - room, n_tokens)
        windows = [""] * n
        numbers = list(range(n))
        while numbers:  # put together, the parts may have more tokens than each by itself: then there is less room
            for number in numbers:
                left, right = _Cut(befores[number], encoded[number]), _Cut(afters[number], encoded[number + 2 * n])
                windows[number] = _window(left, marked[number], right, rooms[number], is_apart=bool(marker))
            counts = self.n_tokens([windows[number] for number in numbers])
            for number, count in zip(numbers, counts, strict=True):
                rooms[number] = max(0, rooms[number] - max(0, count - n_tokens))
            numbers = [number for number, count in zip(numbers, counts, strict=True) if count > n_tokens]
        return windows

    def plain(self, text: str) -> str:
        """The text without anything that the tokenizer, or a marked window, would take for a sign of its own."""
        whole = _HALF.sub("\ufffd", text)
        return self._special.sub(lambda match: match[0][:1] + " " + match[0][1:], whole)

    def _marked(self, mention: MentionInContext, marker: str) -> str:
        name = self.plain(mention.text)
        return f"{marker} {name} {marker}" if marker else name

    def _encoded(self, texts: Sequence[str]) -> list[Encoding]:
        encoded: list[Encoding] = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return encoded


@dataclass(frozen=True)
class _Cut:
    """A text and its tokens, between which it is cut where no word is."""

    text: str
    encoding: Encoding

    def head(self, n_tokens: int) -> str:
        """The first words, as many as have at most `n_tokens` tokens."""
        n = min(n_tokens, len(self))
        while not (positions := self._positions(n)):
            n -= 1
        return self.text[: positions[0]]

    def tail(self, n_tokens: int) -> tuple[str, int]:
        """The last words, as many as have at most `n_tokens` tokens, and how many those are."""
        n = max(0, len(self) - n_tokens)
        while not (positions := self._positions(n)):
            n += 1
        return self.text[positions[-1] :], len(self) - n

    def __len__(self) -> int:
        return len(self.encoding.ids)

    def _positions(self, n: int) -> list[int]:
        """Where the text may be cut after `n` tokens; nowhere inside a word, or in a character of several tokens.

        Between two tokens there may be spaces, and marks that were put on letters.
        """
        if n in (0, len(self)):
            return [len(self.text) if n else 0]
        end, begin = int(self.encoding.offsets[n - 1][1]), int(self.encoding.offsets[n][0])
        return [
            position
            for position in range(end, min(begin + 1, len(self.text)))
            if not _is_inside_word(self.text, position)
        ]


def _window(left: _Cut, marked: str, right: _Cut, room: int, is_apart: bool) -> str:
    """A mention and as much text around it as has `room`; the other side has what one side does not need."""
    n_left = min(len(left), max(room // 2, room - len(right)))
    before, n_used = left.tail(n_left)
    after = right.head(room - n_used)
    return f"{before.rstrip()} {marked} {after.lstrip()}".strip() if is_apart else before + marked + after


def _before(mention: MentionInContext, reach: int) -> str:
    """The text before the mention, from a word's beginning on."""
    begin = max(0, mention.start - reach)
    while begin < mention.start and _is_inside_word(mention.document_text, begin):
        begin += 1
    return mention.document_text[begin : mention.start]


def _after(mention: MentionInContext, reach: int) -> str:
    """The text after the mention, to a word's end."""
    end = min(len(mention.document_text), mention.end + reach)
    while end > mention.end and _is_inside_word(mention.document_text, end):
        end -= 1
    return mention.document_text[mention.end : end]


def _is_inside_word(text: str, position: int) -> bool:
    """Whether the characters on both sides of a place are of one word, or one is a mark on the other.

    Examples
    --------
    >>> _is_inside_word("in Rome", 2), _is_inside_word("in Rome", 4), _is_inside_word("東京", 1)
    (False, True, False)
    """
    begin = max(0, position - _NEAR)
    return any(word.start < position - begin < word.end for word in tokenize(text[begin : position + _NEAR]))


def _no_room(mention: MentionInContext, needed: int, n_tokens: int) -> DataError:
    shown = mention.text if len(mention.text) <= 60 else mention.text[:60] + "..."
    return DataError(
        f"The mention {shown!r} at {mention.start}..{mention.end} of document {mention.document_id!r} takes {needed} "
        f"tokens with its markers, more than the window of {n_tokens}. Widen the window (n_tokens), or leave such "
        "mentions out."
    )
