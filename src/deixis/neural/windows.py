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

from deixis.errors import DataError
from deixis.features.tokens import tokenize
from deixis.neural.cross_encoder.pairs import MARKER
from deixis.types import MentionInContext

_CHARACTERS = 16  # per token: a window is looked for in this much text, so a book is not cut up for each mention
_AT_ONCE = 1024  # texts whose tokens are held together: they take a hundred times the room of the text
_NEAR = 8  # characters on both sides by which a place is told to be inside a word
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
        return self._special.sub(lambda found: " " + found[0][1:], _HALF.sub("\ufffd", text))

    def heads(self, texts: Sequence[str], n_tokens: int) -> list[str]:
        """The first words of each text, as many as have at most `n_tokens` tokens together."""
        blocks = (self._heads(texts[at : at + _AT_ONCE], n_tokens) for at in range(0, len(texts), _AT_ONCE))
        return list(itertools.chain.from_iterable(blocks))

    def _heads(self, texts: Sequence[str], n_tokens: int) -> list[str]:
        heads = [self.plain(text[: _CHARACTERS * n_tokens].strip()) for text in texts]
        places = list(range(len(heads)))
        while places:  # cut off, a text may have other tokens than before, and more: they are counted again
            encoded = self._encoded([heads[place] for place in places])
            too_long = {place: found for place, found in zip(places, encoded, strict=True) if len(found.ids) > n_tokens}
            for place, found in too_long.items():
                heads[place] = _Cut(heads[place], found).head(n_tokens)
            places = list(too_long)
        return heads

    def fits(self, mentions: Sequence[MentionInContext], n_tokens: int, marker: str = MARKER) -> list[bool]:
        """Whether each mention has room in a window of that many tokens, with its markers."""
        return [n <= n_tokens for n in self.n_tokens([self._marked(mention, marker) for mention in mentions])]

    def fitting(self, names: Sequence[str], n_tokens: int, marker: str = MARKER) -> list[str]:
        """Each name, or its first words if there is no room for it in a window of that many tokens with markers."""
        fitted, room = list(names), n_tokens - 2 * self.n_tokens([marker])[0]
        places = list(range(len(fitted)))
        while places:
            alone = [MentionInContext(fitted[place], fitted[place], 0, len(fitted[place])) for place in places]
            fits = self.fits(alone, n_tokens, marker)
            places = [place for place, is_fit in zip(places, fits, strict=True) if not is_fit and room > 0]
            for place, head in zip(places, self.heads([names[place] for place in places], room), strict=True):
                fitted[place] = head
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
        places = list(range(n))
        while places:  # put together, the parts may have more tokens than each by itself: then there is less room
            for place in places:
                left, right = _Cut(befores[place], encoded[place]), _Cut(afters[place], encoded[place + 2 * n])
                windows[place] = _window(left, marked[place], right, rooms[place], is_apart=bool(marker))
            counts = self.n_tokens([windows[place] for place in places])
            for place, count in zip(places, counts, strict=True):
                rooms[place] = max(0, rooms[place] - max(0, count - n_tokens))
            places = [place for place, count in zip(places, counts, strict=True) if count > n_tokens]
        return windows

    def plain(self, text: str) -> str:
        """The text without anything that the tokenizer, or a marked window, would take for a sign of its own."""
        whole = _HALF.sub("\ufffd", text)
        return self._special.sub(lambda found: found[0][:1] + " " + found[0][1:], whole)

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
        while not (places := self._places(n)):
            n -= 1
        return self.text[: places[0]]

    def tail(self, n_tokens: int) -> tuple[str, int]:
        """The last words, as many as have at most `n_tokens` tokens, and how many those are."""
        n = max(0, len(self) - n_tokens)
        while not (places := self._places(n)):
            n += 1
        return self.text[places[-1] :], len(self) - n

    def __len__(self) -> int:
        return len(self.encoding.ids)

    def _places(self, n: int) -> list[int]:
        """Where the text may be cut after `n` tokens; nowhere inside a word, or in a character of several tokens.

        Between two tokens there may be spaces, and marks that were put on letters.
        """
        if n in (0, len(self)):
            return [len(self.text) if n else 0]
        end, begin = int(self.encoding.offsets[n - 1][1]), int(self.encoding.offsets[n][0])
        return [place for place in range(end, min(begin + 1, len(self.text))) if not _is_inside_word(self.text, place)]


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


def _is_inside_word(text: str, place: int) -> bool:
    """Whether the characters on both sides of a place are of one word, or one is a mark on the other.

    Examples
    --------
    >>> _is_inside_word("in Rome", 2), _is_inside_word("in Rome", 4), _is_inside_word("東京", 1)
    (False, True, False)
    """
    begin = max(0, place - _NEAR)
    return any(word.start < place - begin < word.end for word in tokenize(text[begin : place + _NEAR]))


def _no_room(mention: MentionInContext, needed: int, n_tokens: int) -> DataError:
    shown = mention.text if len(mention.text) <= 60 else mention.text[:60] + "..."
    return DataError(
        f"The mention {shown!r} at {mention.start}..{mention.end} of document {mention.document_id!r} takes {needed} "
        f"tokens with its markers, more than the window of {n_tokens}. Widen the window (n_tokens), or leave such "
        "mentions out."
    )
