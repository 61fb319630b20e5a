"""The unlinked names of one document: which of its NIL mentions are one name, and which are another word for a link.

Within a document a short name stands for the one longer name it begins or ends: `Acme` is `Acme Corp` there, and
`Blackburn` is `Peter Blackburn`. A short form that the text defines stands for what it defines.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from deixis.detection.abbreviations import short_forms
from deixis.detection.unknown_names import unknown_names
from deixis.native import _core
from deixis.types import Document, Mention

Key = tuple[str, ...]
"""The words of a name without what may differ in its writing: case, accents, plural, `Corp` or `Corporation`."""

MIN_SHORT_NAME = 3  # letters of a word that stands for a longer name
_ARTICLES = frozenset("the a an der die das le la les el los il".split())
_FULL_WORDS = {
    "corp": "corporation", "inc": "incorporated", "ltd": "limited", "co": "company", "bro": "brother",
    "bros": "brother", "intl": "international", "dept": "department", "univ": "university", "assn": "association",
}  # fmt: skip
_JOINS = frozenset("of for in at on the".split())  # Zurich does not stand for Bank of Zurich
_COMPOUND = re.compile(r"\w[-–/]\w")  # Kabul does not stand for Kabul-Salang
_POSSESSIVE = re.compile(r"\s?['’][sS]?$")


@dataclass(frozen=True, slots=True)
class UnlinkedName:
    """A name that a document mentions and that is not linked: its key, how it is written, and where.

    `own_key` is that of the writing itself; where a short name stands for a longer one, `key` is the longer one's.
    `long_form` is what the text defines it to stand for, if it is a short form.
    """

    key: Key
    own_key: Key
    surface: str
    start: int
    end: int
    long_form: str = ""


def name_key(name: str) -> Key:
    """The key of a name; empty if it has no letters or digits.

    Examples
    --------
    >>> name_key("the Vortex Blenders") == name_key("VORTEX blender"), name_key("Acme Corp."), name_key("U.N.")
    (True, ('acme', 'corporation'), ('un',))
    """
    words: list[str] = []
    is_initial = False
    for stem in _core.stems(_POSSESSIVE.sub("", name.strip())):
        if len(stem) == 1 and is_initial and stem.isalpha() and stem.isascii():
            words[-1] += stem
        else:
            words.append(stem)
        is_initial = len(stem) == 1 and stem.isalpha() and stem.isascii()
    words = words[1:] if len(words) > 1 and words[0] in _ARTICLES else words
    return tuple(_FULL_WORDS.get(word, word) for word in words)


def with_unknown_names(document: Document) -> Document:
    """The document, its mentions detected and linked, with the names that nothing is known of as NIL mentions.

    Examples
    --------
    >>> document = with_unknown_names(Document("d", "Talk to Ann Troy about the Vortex Blender."))
    >>> [mention.text for mention in document.mentions]
    ['Ann Troy', 'Vortex Blender']
    """
    linked = [(mention.start, mention.end) for mention in document.mentions if mention.entity is not None]
    known = {(mention.start, mention.end) for mention in document.mentions if not _is_unknown(mention)}
    spans = [span for span in unknown_names(document.text, linked) if span not in known]
    is_unknown = bytearray(len(document.text))
    for start, end in spans:
        is_unknown[start:end] = b"\1" * (end - start)
    others = [each for each in document.mentions if not any(is_unknown[each.start : each.end])]
    unknown = [Mention(start, end, document.text[start:end], is_nil=True, nil_reason="unknown") for start, end in spans]
    return document.with_mentions(sorted([*others, *unknown], key=lambda mention: (mention.start, mention.end)))


def unlinked_names(document: Document) -> list[UnlinkedName]:
    """The names of the NIL mentions of a linked document that may be new entities, in order.

    Mentions that are ambiguous mean something that is known, and are left out; so are short names of what is linked.

    Examples
    --------
    >>> text = "Acme Corp (AC) sold Acme. AC is new."
    >>> spans = [(0, 9), (11, 13), (20, 24), (26, 28)]
    >>> mentions = tuple(Mention(start, end, text[start:end], is_nil=True) for start, end in spans)
    >>> [(name.surface, name.key) for name in unlinked_names(Document("d", text, mentions=mentions))][1:]
    [('AC', ('acme', 'corporation')), ('Acme', ('acme', 'corporation')), ('AC', ('acme', 'corporation'))]
    """
    names = [_name(mention, document.text) for mention in document.mentions if _is_unknown(mention)]
    names = [name for name in names if name.own_key and any(map(str.isalpha, name.surface))]
    if not names:
        return []
    linked = {name_key(mention.text) for mention in document.mentions if mention.entity is not None}
    forms = {form.text: document.text[form.start : form.end] for form in short_forms(document.text)}
    own_keys = {name.own_key for name in names if not _COMPOUND.search(name.surface)}
    resolved = []
    for name in names:
        long_form = " ".join(forms.get(name.surface, "").split())
        key = name_key(long_form) or name.own_key
        longest = _longest(key, own_keys)
        if key in linked or (not longest and _longest(key, linked)):
            continue
        resolved.append(replace(name, key=longest[0] if len(longest) == 1 else key, long_form=long_form))
    return resolved


def stands_for(short: Key, long: Key) -> bool:
    """Whether a short name begins or ends a longer one, and so may stand for it.

    Examples
    --------
    >>> stands_for(("acme",), ("acme", "corporation")), stands_for(("zurich",), ("bank", "of", "zurich"))
    (True, False)
    """
    n = len(short)
    if not 0 < n < len(long) or sum(map(len, short)) < MIN_SHORT_NAME or short[0] in _FULL_WORDS.values():
        return False
    begins, ends = long[:n] == short and long[n] not in _JOINS, long[-n:] == short and long[-n - 1] not in _JOINS
    return begins or ends


def _longest(key: Key, keys: Collection[Key]) -> list[Key]:
    """The names that a short one may stand for; of those that begin or end another, the longest."""
    longer = [each for each in keys if stands_for(key, each)]
    return sorted(each for each in longer if not any(stands_for(each, other) for other in longer))


def _name(mention: Mention, text: str) -> UnlinkedName:
    surface = " ".join(_POSSESSIVE.sub("", text[mention.start : mention.end].strip()).split())
    key = name_key(surface)
    return UnlinkedName(key, key, surface, mention.start, mention.end)


def _is_unknown(mention: Mention) -> bool:
    return mention.entity is None and mention.is_nil and mention.nil_reason in (None, "unknown")
