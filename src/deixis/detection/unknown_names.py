"""Names in raw text that are on no list: runs of words with capitals, by how the text itself writes them.

Detection looks for names of the knowledge base; these are the others. Writing is all the evidence there is, so nothing
is found in scripts without capitals, and in German, which gives every noun one, only names of several words.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from deixis.detection.calendar import calendar_words
from deixis.detection.words import common_stems, lower_case_words
from deixis.features.stop_words import stop_words
from deixis.native import _core

MAX_WORDS = 8
MAX_ACRONYM = 5  # letters; longer words in capitals are a headline
Span = tuple[int, int]

_WORD = re.compile(r"(?:[^\W\d_]\.){2,}|[^\W_]+(?:['’&+./-][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’][sS]$")
_GAP = re.compile(r"[^\S\n]{1,2}|[^\S\n]?\n[^\S\n]?")
_GAP_AFTER_DOT = re.compile(r"\. ?")
_LINKS = frozenset("of de la del della di da do dos van von der den du des el al le bin ibn & the".split())
_TITLES = frozenset("mr mrs ms miss dr prof sir st jr sr herr frau mme".split())
_ROLES = frozenset(
    "president minister chancellor premier commissioner secretary chairman chairwoman director spokesman spokeswoman "
    "governor senator ambassador mayor bishop coach manager professor officer executive".split()
)
_DATE = re.compile(r"\d+[-/.:]\d+.*")
_ROMAN = re.compile(r"[IVX]+")
_HYPHENATED = re.compile(r"\w{1,3}-[a-z]+")  # X-linked, EU-wide
_DEMONYMS = ("ese", "ish", "ian", "ean", "can", "man", "french", "dutch", "swiss", "greek")  # endings
_SENTENCE_END = frozenset(".!?:;\"“”„»«'‘’([{*•|>—–-")
_GERMAN = frozenset("der die das und ist nicht ein eine mit auf dem den".split())
_GERMAN_FRACTION = 0.06  # of the words of a text


@dataclass(frozen=True, slots=True)
class _Word:
    """A word, where it stands, and how it is written there."""

    text: str
    start: int
    end: int
    is_first: bool

    @property
    def is_capital(self) -> bool:
        return self.text != self.text.lower() and not self.text[0].islower()

    @property
    def is_shouted(self) -> bool:
        return self.text.isupper() and sum(map(str.isalpha, self.text)) > 1


def unknown_names(text: str, linked: Sequence[Span] = ()) -> list[Span]:
    """Where names stand that nothing is known of, in order, none of them in or around a span that is linked.

    Examples
    --------
    >>> text = "However, the Vortex Blender leaks. Vortex Blenders were sold in May. Is a vortex blender still here?"
    >>> [text[start:end] for start, end in unknown_names(text)]
    ['Vortex Blender', 'Vortex Blenders', 'vortex blender']
    """
    words = list(_words(text))
    in_lower = {word.text for word in words if word.text.islower()}
    inside = {word.text for word in words if word.is_capital and not word.is_first and not word.is_shouted}
    is_german = sum(word.text in _GERMAN for word in words) > _GERMAN_FRACTION * max(len(words), 10)
    is_linked = bytearray(len(text))
    for start, end in linked:
        is_linked[start:end] = b"\1" * (end - start)
    names = set[str]()
    runs = [_trimmed(run, in_lower) for run in _runs(text, words)]
    inner = {_written(run, text) for run in runs if run and not run[0].is_first}
    for run in runs:
        # Ask Ann Troy: the first word of a sentence is none of the name if the rest stands alone elsewhere.
        run = run[1:] if len(run) > 2 and run[0].is_first and _written(run[1:], text) in inner else run
        if not run or (is_german and len(run) == 1 and not _is_odd(run[0].text)):
            continue
        span = _span(run)
        if not any(is_linked[slice(*span)]) and _is_name(run, in_lower, inside):
            names.add(_written(run, text))
    return [span for span in _occurrences(text, words, names) if not any(is_linked[slice(*span)])]


def _span(run: Sequence[_Word]) -> Span:
    return run[0].start, run[-1].end


def _written(run: Sequence[_Word], text: str) -> str:
    return text[run[0].start : run[-1].end]


def _words(text: str) -> Iterator[_Word]:
    end = 0
    for match in _WORD.finditer(text):
        start, last = match.span()
        word = match[0]
        if _POSSESSIVE.search(word):
            word, last = word[:-2], last - 2
        between = text[end:start]
        before = between.rstrip()
        is_first = end == 0 or "\n\n" in between or (bool(before) and before[-1] in _SENTENCE_END)
        end = match.end()
        if word:
            yield _Word(word, start, last, is_first)


def _runs(text: str, words: Sequence[_Word]) -> Iterator[list[_Word]]:
    """Words with capitals that follow each other, numbers after them, and links between them."""
    run: list[_Word] = []
    links: list[_Word] = []
    for word, after in itertools.zip_longest(words, words[1:]):
        follows = bool(run) and _is_gap(text, [*run, *links][-1], word)
        is_number = word.text[0].isdigit() and not _DATE.fullmatch(word.text)
        if follows and not links and is_number and not _continues(text, word, after):
            yield [*run, word]
            run = []
        elif word.is_capital:
            if not follows or (word.is_shouted != run[-1].is_shouted and len(word.text) > MAX_ACRONYM):
                if run:
                    yield run
                run, links = [], []
            run, links = [*run, *links, word], []
        elif follows and word.text in _LINKS and len(links) < 2:
            links = [*links, word]
        else:
            if run:
                yield run
            run, links = [], []
    if run:
        yield run


def _continues(text: str, number: _Word, after: _Word | None) -> bool:
    """Whether a name or another number follows: a table of results, where a number belongs to no name."""
    return after is not None and _is_gap(text, number, after) and (after.is_capital or after.text[0].isdigit())


def _is_gap(text: str, before: _Word, after: _Word) -> bool:
    gap = text[before.end : after.start]
    is_short = len(before.text) == 1 or before.text.lower() in _TITLES
    return _GAP.fullmatch(gap) is not None or (is_short and _GAP_AFTER_DOT.fullmatch(gap) is not None)


def _trimmed(run: list[_Word], in_lower: Collection[str]) -> list[_Word]:
    """The run without what does not belong to a name: articles, forms of address, a sentence's ordinary first word."""
    while run and (
        run[0].text.lower() in _stop_words()
        or run[0].text.lower() in _TITLES
        or run[0].text.lower() in _LINKS
        or run[0].text[0].isdigit()
        or (run[0].is_first and _is_ordinary(run[0].text, in_lower))
    ):
        run = run[1:]
    roles = [number for number, word in enumerate(run[:-1]) if word.text.lower() in _ROLES]
    run = run[roles[-1] + 1 :] if roles and run[roles[-1] + 1].is_capital else run
    while run and (run[-1].text.lower() in calendar_words() or _is_year(run[-1].text)):
        run = run[:-1]
    return run if len(run) <= MAX_WORDS else []


def _is_name(run: Sequence[_Word], in_lower: Collection[str], inside: Collection[str]) -> bool:
    """Whether a run is written like a name, and not like the beginning of a sentence, a headline or a date."""
    if all(word.text.lower() in calendar_words() or word.text[0].isdigit() for word in run):
        return False
    if all(word.is_shouted for word in run):
        is_acronym = len(run) == 1 and len(run[0].text) <= MAX_ACRONYM and run[0].text.lower() not in in_lower
        return is_acronym and not _is_ordinary(run[0].text, in_lower) and not _ROMAN.fullmatch(run[0].text)
    if len(run) > 1:
        return True
    word = run[0]
    if len(word.text) < 3 or _is_ordinary(word.text, in_lower) or _HYPHENATED.fullmatch(word.text):
        return False
    if word.text.lower().endswith(_DEMONYMS) and word.text.lower() in common_stems():
        return False
    return not word.is_first or word.text in inside


def _is_odd(word: str) -> bool:
    """Whether a word has capitals or digits where ordinary words have none."""
    return any(character.isupper() or character.isdigit() for character in word[1:])


def _is_year(word: str) -> bool:
    return len(word) == 4 and word.isdecimal() and word[:2] in ("18", "19", "20")


def _is_ordinary(word: str, in_lower: Collection[str]) -> bool:
    lower = word.lower()
    stems = _core.stems(lower)
    return lower in in_lower or lower in _stop_words() or (len(stems) == 1 and stems[0] in lower_case_words())


def _occurrences(text: str, words: Sequence[_Word], names: Collection[str]) -> Iterator[Span]:
    """Where these names stand, the longest first: those of several words in any case and in the plural."""
    first_to_names: dict[str, list[str]] = {}
    singular = {name[:-1] for name in names if " " in name and name.endswith("s") and not name.endswith("ss")}
    for name in sorted({*names, *singular}, key=lambda name: (-len(name), name)):
        first_to_names.setdefault(_first_word(name), []).append(name)
    done = 0
    for word in words:
        if word.start < done:
            continue
        for name in first_to_names.get(word.text.lower(), ()):
            end = _end_of(name, text, word.start)
            if end is not None:
                yield word.start, end
                done = end
                break


def _first_word(name: str) -> str:
    match = _WORD.match(name)
    return _POSSESSIVE.sub("", match[0] if match else name).lower()


def _end_of(name: str, text: str, start: int) -> int | None:
    """Where the name ends that begins at `start`; None if it does not stand there."""
    end = start + len(name)
    written = text[start:end]
    is_long = " " in name
    if written != name and not (is_long and written.lower() == name.lower()):
        return None
    for ending in ("es", "s", "") if is_long else ("",):
        if text[end : end + len(ending)] == ending and not text[end + len(ending) : end + len(ending) + 1].isalnum():
            return end + len(ending)
    return None


@cache
def _stop_words() -> frozenset[str]:
    return frozenset(stop_words())
