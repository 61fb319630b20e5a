"""Short forms that a text defines: `Saint Mary Hospital (SMH)`, or `SMH (Saint Mary Hospital)`.

By the algorithm of Schwartz and Hearst (2003): the characters of the short form must occur in the long form in this
order, the first of them at the beginning of a word.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
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
    if among is not None:
        among = frozenset(short for short in among if is_short(short) and _is_at_bracket(short, text))
        if not among:
            return []
    lower: Sequence[str] = ""
    for bracket in _BRACKET.finditer(text):
        inside = _SEPARATOR.split(bracket[1], maxsplit=1)[0].strip(_MARGIN)
        before = text[max(0, bracket.start() - 200) : bracket.start()].rstrip()
        end = max(0, bracket.start() - 200) + len(before)
        if among is not None and inside not in among and not any(map(before.endswith, among)):
            continue  # neither what stands in the bracket nor what stands before it
        lower = lower or lower_letters(text)
        if is_short(inside):
            start = long_form_start(inside, text, lower, end)
            if start is not None:
                forms.setdefault(inside, ShortForm(inside, start, end))
                continue
        last = before.rsplit(maxsplit=1)[-1:]  # no word has a space
        words = _WORD.findall(last[0]) if last else []
        if words and before.endswith(words[-1]) and is_short(words[-1]):
            short, inner = words[-1], bracket[1]
            inner_end = bracket.start(1) + len(inner.rstrip())
            start = long_form_start(short, text, lower, inner_end, bracket.start(1))
            if start is not None and not text[bracket.start(1) : start].strip(_MARGIN):
                forms.setdefault(short, ShortForm(short, start, inner_end))
    return [form for form in forms.values() if among is None or form.text in among]


def lower_letters(text: str) -> Sequence[str]:
    """Each character of a text in lower case, at its own place."""
    return text.lower() if text.isascii() else [character.lower() for character in text]


def long_form_start(short: str, text: str, lower: Sequence[str], end: int, begin: int = 0) -> int | None:
    """Where the long form that ends at `end` begins: the shortest that fits; None if there is none.

    Examples
    --------
    >>> long_form_start("HMM", "a hidden Markov model", lower_letters("a hidden Markov model"), 21)
    2
    """
    letters = [character for character in short.lower() if character.isalnum()]
    n_words = min(len(letters) + 5, 2 * len(letters))
    at = end
    for number in range(len(letters) - 1, -1, -1):
        at -= 1
        while at >= begin and (
            lower[at] != letters[number]
            or (number == 0 and at > begin and (text[at - 1].isalnum() or text[at - 1] in "'’"))
        ):
            if text[at] in "()[]\n":
                return None
            at -= 1
        if at < begin:
            return None
    long_form = text[at:end]
    if len(long_form.split()) > n_words or len(long_form) <= len(short) or "." in long_form.rstrip(".")[:-1]:
        return None
    return None if short in _WORD.findall(long_form) else at


def _is_at_bracket(short: str, text: str) -> bool:
    """Whether a text has a bracket before or after the short form somewhere."""
    at = text.find(short)
    while at >= 0:
        before, after = text[max(0, at - MAX_BRACKET) : at], text[at + len(short) : at + len(short) + MAX_BEFORE]
        if before.rstrip(_MARGIN)[-1:] in _OPENING or after.lstrip()[:1] in _OPENING:
            return True
        at = text.find(short, at + 1)
    return False


def is_short(text: str) -> bool:
    """Whether a text can be a short form: two to ten characters, one a capital, at most two words."""
    return (
        MIN_SHORT <= len(text) <= MAX_SHORT
        and text[0].isalnum()
        and any(character.isupper() for character in text)
        and len(text.split()) <= 2
    )
