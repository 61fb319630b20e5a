"""Texts cut to a number of tokens, whole words only: the text around a mention, the beginning of a description.

After Farhan, 2024, "Multilingual Entity Linking Using Dense Retrieval", section 5.1: the mention stands in the middle,
marked on both sides, and where the text ends on one side the window reaches further to the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from os import PathLike

from tokenizers import Encoding, Tokenizer

from deixis.errors import DataError
from deixis.neural.pairs import MARKER
from deixis.types import MentionInContext

_CHARACTERS = 16  # per token: a window is looked for in this much text, so a book is not cut up for each mention


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
        return [len(encoding.ids) for encoding in self._encoded(texts)]

    def heads(self, texts: Sequence[str], n_tokens: int) -> list[str]:
        """The first words of each text, as many as have at most `n_tokens` tokens together."""
        begun = [self.plain(text[: _CHARACTERS * n_tokens].strip()) for text in texts]
        return [
            text[: _end_of_head(encoding, n_tokens)] for text, encoding in zip(begun, self._encoded(begun), strict=True)
        ]

    def fits(self, mentions: Sequence[MentionInContext], n_tokens: int, marker: str = MARKER) -> list[bool]:
        """Whether each mention has room in a window of that many tokens, with its markers."""
        n_marks = self._n_marks(marker)
        return [n + n_marks <= n_tokens for n in self.n_tokens([self.plain(mention.text) for mention in mentions])]

    def around(self, mentions: Sequence[MentionInContext], n_tokens: int, marker: str = MARKER) -> list[str]:
        """The text around each mention, at most `n_tokens` tokens with the mention and a `marker` on both its sides.

        The mention is always whole; one that has no room is an error. Without a marker none is set.
        """
        reach, n_marks = _CHARACTERS * n_tokens, self._n_marks(marker)
        befores = [self.plain(_before(mention, reach)) for mention in mentions]
        named = [self.plain(mention.text) for mention in mentions]
        afters = [self.plain(_after(mention, reach)) for mention in mentions]
        windows = []
        encoded = self._encoded([*befores, *named, *afters])
        for number, mention in enumerate(mentions):
            left, own, right = encoded[number :: len(mentions)]
            room = n_tokens - n_marks - len(own.ids)
            if room < 0:
                raise _no_room(mention, len(own.ids) + n_marks, n_tokens)
            n_left = min(len(left.ids), max(room // 2, room - len(right.ids)))
            before = befores[number][_start_of_tail(left, n_left) :]
            after = afters[number][: _end_of_head(right, room - _n_tail(left, n_left))]
            middle = f" {marker} {named[number]} {marker} " if marker else named[number]
            windows.append(f"{before.rstrip()}{middle}{after.lstrip()}".strip() if marker else before + middle + after)
        return windows

    def plain(self, text: str) -> str:
        """The text without anything that the tokenizer, or a marked window, would take for a sign of its own."""
        return self._special.sub(lambda found: found[0][:1] + " " + found[0][1:], text)

    def _n_marks(self, marker: str) -> int:
        return 2 * self.n_tokens([marker])[0] if marker else 0

    def _encoded(self, texts: Sequence[str]) -> list[Encoding]:
        encoded: list[Encoding] = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return encoded


def _before(mention: MentionInContext, reach: int) -> str:
    """The text before the mention, from a word's beginning on."""
    begin = max(0, mention.start - reach)
    text = mention.document_text[begin : mention.start]
    return text if begin == 0 else text.partition(" ")[2] or text


def _after(mention: MentionInContext, reach: int) -> str:
    """The text after the mention, to a word's end."""
    end = mention.end + reach
    text = mention.document_text[mention.end : end]
    return text if end >= len(mention.document_text) else text.rpartition(" ")[0] or text


def _end_of_head(encoding: Encoding, n_tokens: int) -> int:
    """Where the last of the first whole words ends that have at most `n_tokens` tokens."""
    words, offsets = encoding.word_ids, encoding.offsets
    n = min(n_tokens, len(words))
    while 0 < n < len(words) and words[n] is not None and words[n] == words[n - 1]:
        n -= 1
    return int(offsets[n - 1][1]) if n > 0 else 0


def _n_tail(encoding: Encoding, n_tokens: int) -> int:
    """How many tokens the last whole words have that have at most `n_tokens`."""
    words = encoding.word_ids
    begin = len(words) - min(n_tokens, len(words))
    while 0 < begin < len(words) and words[begin] is not None and words[begin] == words[begin - 1]:
        begin += 1
    return len(words) - begin


def _start_of_tail(encoding: Encoding, n_tokens: int) -> int:
    """Where the first of those words begins."""
    begin = len(encoding.ids) - _n_tail(encoding, n_tokens)
    if begin < len(encoding.ids):
        return int(encoding.offsets[begin][0])
    return int(encoding.offsets[-1][1]) if len(encoding.ids) else 0


def _no_room(mention: MentionInContext, needed: int, n_tokens: int) -> DataError:
    return DataError(
        f"The mention {mention.text!r:.60} at {mention.start}..{mention.end} of document {mention.document_id!r} takes "
        f"{needed} tokens with its markers, more than the window of {n_tokens}. Widen the window, or leave such "
        "mentions out."
    )
