"""Short forms that a text defines: `Saint Mary Hospital (SMH)`, or `SMH (Saint Mary Hospital)`.

By the algorithm of Schwartz and Hearst (2003): the characters of the short form must occur in the long form in this
order, the first of them at the beginning of a word.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

MAX_SHORT, MIN_SHORT = 10, 2
MAX_BRACKET, MAX_BEFORE = 121, 201  # characters of a bracket, and from its beginning back to what may stand before it
_MARGIN, _OPENING = " \"'“”", ("(", "[")
_BRACKET = re.compile(r"[(\[]([^()\[\]\n]{2,120})[)\]]")
_SEPARATOR = re.compile(r"[;,]\s")
_WORD = re.compile(r"\w[\w'’.+-]*")


@dataclass(frozen=True, slots=True)
class ShortForm:
    """A short form, and the code points [start, end) of the long form it stands for."""

    text: str
    start: int
    end: int


def short_forms(text: str, among: Collection[str] | None = None) -> list[ShortForm]:
    """The short forms that a text defines, or those of them `among` some, in order; each as it is defined first.

    Examples
    --------
    >>> text = "Saint Mary Hospital (SMH) is near the WHO (World Health Organization)."
    >>> [(each.text, text[each.start : each.end]) for each in short_forms(text)]
    [('SMH', 'Saint Mary Hospital'), ('WHO', 'World Health Organization')]
    >>> short_forms("The patients (n = 12) were well (see Table 1).")
    []
    """
    forms: dict[str, ShortForm] = {}
    if "(" not in text and "[" not in text:
        return []
    lower = ""
    for bracket in _BRACKET.finditer(text) if among is None else _brackets_at(among, text):
        inside = _SEPARATOR.split(bracket[1], maxsplit=1)[0].strip(_MARGIN)
        before = text[max(0, bracket.start() - 200) : bracket.start()].rstrip()
        end = max(0, bracket.start() - 200) + len(before)
        lower = lower or lower_letters(text)
        if is_short(inside):
            start = long_form_start(inside, text, lower, end)
            if start is not None:
                forms.setdefault(inside, ShortForm(inside, start, end))
                continue
        words = list(_WORD.finditer(before))
        if words and words[-1].end() == len(before) and is_short(words[-1][0]):
            short, inner = words[-1][0], bracket[1]
            inner_end = bracket.start(1) + len(inner.rstrip())
            start = long_form_start(short, text, lower, inner_end, bracket.start(1))
            if start is not None and not text[bracket.start(1) : start].strip(_MARGIN):
                forms.setdefault(short, ShortForm(short, start, inner_end))
    return [form for form in forms.values() if among is None or form.text in among]


def lower_letters(text: str) -> str:
    """Each character of a text in lower case, at its own place; one that becomes several is no letter."""
    if text.isascii():
        return text.lower()
    return "".join(lower if len(lower := character.lower()) == 1 else " " for character in text)


def long_form_start(short: str, text: str, lower: str, end: int, begin: int = 0) -> int | None:
    """Where the long form that ends at `end` begins: the shortest that fits; None if there is none.

    Examples
    --------
    >>> long_form_start("HMM", "a hidden Markov model", lower_letters("a hidden Markov model"), 21)
    2
    """
    letters = [character for character in short.lower() if character.isalnum()]
    n_words = min(len(letters) + 5, 2 * len(letters))
    at = end
    for letter in reversed(letters):
        at = lower.rfind(letter, begin, at)
        if at < 0:
            return None
    while at > begin and (text[at - 1].isalnum() or text[at - 1] in "'’"):
        at = lower.rfind(letters[0], begin, at)
        if at < 0:
            return None
    long_form = text[at:end]
    if any(each in long_form for each in "()[]\n"):
        return None
    if len(long_form.split()) > n_words or len(long_form) <= len(short) or "." in long_form.rstrip(".")[:-1]:
        return None
    return None if short in _WORD.findall(long_form) else at


def _brackets_at(among: Collection[str], text: str) -> Iterator[re.Match[str]]:
    """The brackets that begin with one of some short forms, or that stand right after one, in order."""
    openings = set()
    for short in filter(is_short, among):
        at = text.find(short)
        while at >= 0:
            before, end = text[max(0, at - MAX_BRACKET) : at].rstrip(_MARGIN), at + len(short)
            after = text[end : end + MAX_BEFORE].lstrip()
            if before[-1:] in _OPENING:
                openings.add(max(0, at - MAX_BRACKET) + len(before) - 1)
            if after[:1] in _OPENING:
                openings.add(text.index(after[0], end))
            at = text.find(short, at + 1)
    # An opening bracket is in no other bracket, so each is found where a search of the whole text finds it.
    return filter(None, (_BRACKET.match(text, opening) for opening in sorted(openings)))


def is_short(text: str) -> bool:
    """Whether a text can be a short form: two to ten characters, one a capital, at most two words."""
    return (
        MIN_SHORT <= len(text) <= MAX_SHORT
        and text[0].isalnum()
        and any(character.isupper() for character in text)
        and len(text.split()) <= 2
    )
