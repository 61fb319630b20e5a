"""Word pieces of BERT's uncased vocabulary: the longest known piece first (Wu et al., 2016; as BERT's own code cuts).

Only what sentence encoders for short texts need: texts in, numbers of pieces out, between the marks for begin and end.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping

MAX_WORD = 100  # letters; longer words are unknown
_MAX_CACHED = 200_000  # words
_ASCII_WORDS = re.compile(r"[a-z0-9]+|[^a-z0-9\s]")
_INVISIBLE = {number: None for number in (*range(32), 127) if chr(number) not in "\t\n\r"}
_UNSPACED = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
             (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))  # fmt: skip


class WordPieces:
    """Cuts texts into the pieces of a vocabulary.

    Examples
    --------
    >>> pieces = WordPieces({word: number for number, word in enumerate("[UNK] [CLS] [SEP] paris ##ian cafe".split())})
    >>> pieces.cut("Parisian Café?")
    [1, 3, 4, 5, 0, 2]
    """

    def __init__(self, piece_to_number: Mapping[str, int], max_pieces: int = 128) -> None:
        self.max_pieces = max_pieces
        self.piece_to_number = piece_to_number
        self._seen: dict[str, list[int]] = {}
        self._unknown, self._begin, self._end = (piece_to_number[mark] for mark in ("[UNK]", "[CLS]", "[SEP]"))

    def cut(self, text: str) -> list[int]:
        """The numbers of the text's pieces, `max_pieces` at most with the marks around them."""
        numbers = [self._begin]
        for word in words(text):
            pieces = self._seen.get(word)
            numbers += self._cached(word) if pieces is None else pieces
            if len(numbers) >= self.max_pieces:
                break
        return [*numbers[: self.max_pieces - 1], self._end]

    def _cached(self, word: str) -> list[int]:
        """The pieces of a word, cut once: texts have far fewer different words than words."""
        if len(self._seen) >= _MAX_CACHED:
            self._seen.clear()
        pieces = self._seen[word] = self._pieces(word)
        return pieces

    def _pieces(self, word: str) -> list[int]:
        if len(word) > MAX_WORD:
            return [self._unknown]
        numbers: list[int] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            ends = (end for end in range(len(word), start, -1) if mark + word[start:end] in self.piece_to_number)
            end = next(ends, None)
            if end is None:
                return [self._unknown]
            numbers.append(self.piece_to_number[mark + word[start:end]])
            start = end
        return numbers


def words(text: str) -> Iterator[str]:
    """Lower-case words without accents, and punctuation marks one by one.

    Examples
    --------
    >>> list(words("Zürich's 北京"))
    ['zurich', "'", 's', '北', '京']
    """
    if text.isascii():
        yield from _ASCII_WORDS.findall(text.lower().translate(_INVISIBLE))
        return
    spaced = "".join(f" {char} " if _is_unspaced(char) else char for char in map(_cleaned, text))
    plain = "".join(char for char in unicodedata.normalize("NFD", spaced) if unicodedata.category(char) != "Mn")
    for run in plain.lower().split():
        start = 0
        for position, char in enumerate(run):
            if _is_punctuation(char):
                if position > start:
                    yield run[start:position]
                yield char
                start = position + 1
        if start < len(run):
            yield run[start:]


def _cleaned(char: str) -> str:
    """The character; a space for white space, nothing for what is invisible."""
    if char in "\t\n\r" or unicodedata.category(char) == "Zs":
        return " "
    # Unassigned characters stay: which ones there are changes with each version of Unicode.
    return "" if char == "\ufffd" or unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs") else char


def _is_unspaced(char: str) -> bool:
    return char != "" and any(low <= ord(char) <= high for low, high in _UNSPACED)


def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char)[0] == "P" or (char.isascii() and char.isprintable() and not char.isalnum())
