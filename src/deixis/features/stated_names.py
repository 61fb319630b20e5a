"""What descriptions state of their entities: further names, and that an entry lists namesakes and is no thing itself.

Only the opening of a description is read, where encyclopedias, catalogues and glossaries say what a thing is called:
`The United States Food and Drug Administration (FDA or USFDA) is ...`, `also known as ...`, `née ...`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deixis.store.numbers import NumbersBuilder
from deixis.store.part import Part
from deixis.store.strings import StringTable, StringTableBuilder

N_CHARACTERS = 400  # of a description that are read
MAX_NAME_WORDS = 8
_BLOCK = 20_000  # descriptions taken apart at once
_LINKS = frozenset("a al and da de del der des di do du e el et for in la le of on the und van von y & ’s".split())
_VERB = re.compile(r" (?:is|was|are|were|refers|ist|war|sind|est|était|es|fue|è|fu|är|var) ")
_BRACKETS = re.compile(r"\(([^()]{2,80})\)")
_PARTS = re.compile(r"[,;/]|\b(?:or|and|also|known|called|abbreviated|formerly|commonly|simply|short|for|as|to|the)\b")
_SHORT = re.compile(r"[^\W\d_](?:[\w&.\-]{0,8}[\w.])")
_CUES = (
    "known ", "called ", "referred to ", "abbreviated ", "nicknamed ", "born ", "formerly ", "officially ", "née ",
    "previously ", "used to be ", "a.k.a. ", "aka ", "or simply ", "short: ", "kurz ", "eigentlich ", "geboren", "dit ",
)  # fmt: skip
_CUE = re.compile(
    r"(?:known (?:\w+ )?(?:as|by) |called |referred to (?:\w+ )?as |abbreviated (?:as |to )?|nicknamed |born |formerly "
    r"|officially |née |previously |used to be |a\.k\.a\. |aka |or simply |short: |kurz |eigentlich |geborene? |dit )"
    r"""(?=[^\W\da-z]|["“'‘]|the )"""
)
_CALLED = frozenset("also commonly often sometimes usually simply is are was were or".split())
_END = re.compile(
    r"""[,;:()\[\]—–]|\.(?=\s[^\W\d_]|$)(?<![A-Z]\.)|\.\s(?=[A-Z][a-z])|\s(?:is|was|are|were|ist|war)\s"""
)
_OR = re.compile(r"\s(?:or|oder|ou|o|and\salso)\s(?:the\s|simply\s|just\s)?")
_PAGE_CUES = ("refer", "name", "mean", "stand", "disambiguation", "steht", "peut", "pue", "può", "kan ")
_NAME_PAGE = re.compile(
    r"\b(?:may|can|could|might|usually|commonly|often|also|generally) (?:also )?refers? to\b"
    r"|\brefers? to ?(?:(?:any|one|several|many|some)\b[^.]{0,60})?:"
    r"|\b(?:may|can|might|could) (?:also )?(?:mean|stand for)\b[^.]{0,60}:"
    r"|\b(?:is|are|was) (?:an?|the|both a) (?:[\w,-]+ ){0,6}?"
    r"(?:sur|family |given |first |last |fore|personal )name\b(?! of\b)"
    r"|\bsteht für:|\bist der (?:Familien|Vor|Nach)name|\bpeut (?:désigner|faire référence)"
    r"|\bpuede (?:referirse|hacer referencia)|\bpuò (?:riferirsi|indicare)|\bkan (?:verwijzen|syfta|avse)\b"
    r"|\bdisambiguation\b"
)
_LIST = re.compile(r"(?:[Ll]ists?|[Oo]utline|[Ii]ndex) of\b|Liste (?:der|des|von)\b")


@dataclass(frozen=True, eq=False)
class StatedNames(Part):
    """Further names by entity, in the order of the rows, and whether each entity only lists namesakes or members.

    Examples
    --------
    >>> stated = StatedNames.read(
    ...     StringTable.from_strings(["Food and Drug Administration", "Bonds"]),
    ...     StringTable.from_strings(["The Food and Drug Administration (FDA) is an agency.", "Bonds may refer to:"]))
    >>> list(stated.names), stated.rows.tolist(), stated.is_name_page.tolist()
    (['FDA'], [0], [False, True])
    """

    names: StringTable
    rows: NDArray[np.int64]
    is_name_page: NDArray[np.bool_]

    @classmethod
    def read(cls, titles: StringTable, texts: StringTable) -> StatedNames:
        """What the openings of the descriptions state."""
        names, rows, pages = StringTableBuilder(), NumbersBuilder(np.int64), list[bool]()
        for begin in range(0, len(titles), _BLOCK):
            block = range(begin, min(begin + _BLOCK, len(titles)))
            for row, title, text in zip(block, titles.strings(block), texts.strings(block), strict=True):
                opening = text[:N_CHARACTERS]
                pages.append(is_name_page(title, opening))
                for name in () if pages[-1] else names_in(title, opening):
                    names.append(name)
                    rows.append(row)
        return cls(names.build(), rows.build(), np.array(pages, dtype=bool))


def is_name_page(title: str, opening: str) -> bool:
    """Whether an entry only lists what bears a name, or lists members: nothing that a text speaks of.

    Examples
    --------
    >>> is_name_page("Bonds", "Bonds may refer to:"), is_name_page("Baker", "Baker is an English surname.")
    (True, True)
    >>> is_name_page("Zenith", "Zenith refers to a point above a place.")
    False
    """
    opening = opening[:200]
    return (any(cue in opening for cue in _PAGE_CUES) and bool(_NAME_PAGE.search(opening))) or bool(_LIST.match(title))


def names_in(title: str, opening: str) -> list[str]:
    """Names that the opening of a description states, each once, without the title.

    Examples
    --------
    >>> names_in("United Kingdom", "The United Kingdom, commonly known as the U.K. or Britain, is a country.")
    ['U.K.', 'Britain']
    >>> names_in("Chicago White Sox", "The White Sox play in Major League Baseball (MLB).")
    []
    """
    names = dict.fromkeys(_stated(title, opening))
    names.pop(title, None)
    return list(names)


def _stated(title: str, opening: str) -> Iterator[str]:
    verb = _VERB.search(opening)
    n_subject = verb.start() if verb else 0
    if n_subject:
        yield from _subject(title, opening[:n_subject])
    if "(" in opening:
        for bracket in _BRACKETS.finditer(opening):
            before = opening[: bracket.start()].rstrip()
            if bracket.end() <= n_subject or before.endswith(title):
                for part in _PARTS.split(bracket[1]):
                    short = part.strip(" \"'“”‘’")
                    if _SHORT.fullmatch(short) and sum(letter.isupper() for letter in short) > 1:
                        yield short
    for word in _CUES:
        if word in opening:
            yield from _after(word, opening)


def _after(word: str, opening: str) -> Iterator[str]:
    """The names after each place where a word says that one follows."""
    plain = _BRACKETS.sub("", opening.replace("(born", "born")) if "(" in opening else opening
    begin = plain.find(word)
    while begin >= 0:
        cue = _CUE.match(plain, begin) if begin == 0 or not plain[begin - 1].isalnum() else None
        if cue and (word != "called " or plain[:begin].split()[-1:] and plain[:begin].split()[-1] in _CALLED):
            yield from filter(None, map(_name, _OR.split(_phrase(plain, cue.end()))))
        begin = plain.find(word, begin + len(word))


def _subject(title: str, subject: str) -> Iterator[str]:
    """The words that the first sentence begins with, if they are a longer or shorter form of the title."""
    subject = _END.split(subject, maxsplit=1)[0].strip(" \"'“”‘’")
    subject = subject.removeprefix("The ").removeprefix("A ").removeprefix("An ")
    if subject != title and _name(subject) == subject and set(subject.split()) & set(title.split()):
        yield subject


def _phrase(text: str, begin: int) -> str:
    """What follows until the phrase ends; within quotation marks, until they close."""
    rest = text[begin : begin + 90]
    opened = rest.removeprefix("the ").removeprefix("The ")
    if opened[:1] in '"“' and len(opened) > 1:
        return re.split('["”]', opened[1:], maxsplit=1)[0]
    return _END.split(rest, maxsplit=1)[0]


def _name(phrase: str) -> str:
    """The name at the beginning of a phrase: words with capitals, and links between them; or nothing."""
    words = phrase.strip(" \"'“”‘’").split()
    if words and words[0].lower() in ("the", "a", "an", "die", "der", "das"):
        words = words[1:]
    n_words = 0
    for number, word in enumerate(words):
        if word[0].isupper():
            n_words = number + 1
        elif word[0].isdigit():
            return ""  # a date
        elif word not in _LINKS:
            break
    if not n_words or n_words > MAX_NAME_WORDS:
        return ""
    name = " ".join(words[:n_words]).strip(" \"'“”‘’")
    return name if len(name) > 1 and not (len(words) > n_words and words[n_words][0].isdigit()) else ""
