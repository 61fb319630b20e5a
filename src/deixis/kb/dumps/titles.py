"""Titles of wiki pages: how links write them, and which of them are articles."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from urllib.parse import quote, unquote

_SPACES = re.compile(r"[\s_\u00a0\u200e\u200f\u2028\u202a-\u202e]+")
_FORBIDDEN = re.compile(r"[<>\[\]{}|\x00-\x1f\x7f\ufffd]")
_MAX_BYTES = 255
FILE, CATEGORY = 6, 14
_CANONICAL = {
    "media": -2, "special": -1, "talk": 1, "user": 2, "user talk": 3, "wikipedia": 4, "wikipedia talk": 5, "project": 4,
    "file": FILE, "image": FILE, "file talk": 7, "mediawiki": 8, "template": 10, "help": 12, "category": CATEGORY,
    "portal": 100, "draft": 118, "module": 828, "wp": 4, "bild": FILE, "datei": FILE, "fichier": FILE, "archivo": FILE,
}  # fmt: skip
"""Names of namespaces that every Wikipedia knows, and former ones that pages still have."""


@dataclass(frozen=True, slots=True)
class Wiki:
    """What a wiki says about itself: the names of its namespaces, and whether titles begin with a capital letter.

    Examples
    --------
    >>> wiki = Wiki({"datei": 6})
    >>> wiki.target("paris_(Mythologie)#Urteil"), wiki.target("2001: A Space Odyssey"), wiki.target("fr:Paris")
    ('Paris (Mythologie)', '2001: A Space Odyssey', None)
    >>> wiki.namespace("Datei:Paris.jpg"), wiki.namespace("2001: A Space Odyssey")
    (6, 0)
    """

    namespaces: Mapping[str, int] = field(default_factory=dict)
    """Name in lower case -> number."""
    has_capitals: bool = True

    def namespace(self, link: str) -> int:
        """The number of the namespace of a link; 0 is that of articles."""
        prefix, colon, _ = link.partition(":")
        if not colon or len(prefix) > 60:
            return 0
        name = _SPACES.sub(" ", prefix).strip().lower()
        return self.namespaces.get(name, _CANONICAL.get(name, 0))

    def target(self, link: str) -> str | None:
        """The title of the article that a link goes to; None for sections, files, other wikis and what is no title."""
        if len(link) > 1000 or self.namespace(link) or is_interwiki(link):
            return None
        return self.title(link.partition("#")[0])

    def title(self, text: str) -> str | None:
        """A title as the page itself has it: spaces, a capital letter; None for what cannot be one."""
        if "%" in text:
            text = unquote(text, errors="replace")
        text = _SPACES.sub(" ", text).strip(" ")
        if not text or text[0] in ":/" or _FORBIDDEN.search(text) or len(text.encode("utf-8", "replace")) > _MAX_BYTES:
            return None
        first = text[0].upper()
        return first + text[1:] if self.has_capitals and len(first) == 1 else text


def is_interwiki(link: str) -> bool:
    """Whether a link goes to another wiki: another language, or another project.

    Examples
    --------
    >>> is_interwiki("fr:Paris"), is_interwiki("wikt:pump"), is_interwiki("CSI: Miami"), is_interwiki("Paris")
    (True, True, False, False)
    """
    prefix, colon, _ = link.partition(":")
    return bool(colon) and len(prefix) < 20 and prefix.strip().lower() in _prefixes()


@cache
def _prefixes() -> frozenset[str]:
    return frozenset(files("deixis.kb.dumps").joinpath("interwiki.txt").read_text(encoding="utf-8").split())


def page_url(language: str, title: str) -> str:
    """The address of an article of the Wikipedia in a language.

    Examples
    --------
    >>> page_url("en", "Paris (mythology)")
    'https://en.wikipedia.org/wiki/Paris_(mythology)'
    """
    path = quote(title.replace(" ", "_"), safe="/:(),'!*")
    return f"https://{language}.wikipedia.org/wiki/{path}"


_DISAMBIGUATION = frozenset(
    each.replace("_", " ")
    for each in "disambiguation disambig dab dmbox hndis geodis place-dab schooldis roaddis numberdis "
    "begriffsklärung homonymie desambiguación disambigua dp doorverwijspagina ujednoznacznienie desambiguação "
    "неоднозначность förgrening aimai 曖昧さ回避 消歧义 消歧義 rozcestník flertydig täsmennyssivu egyért anlam_ayrımı "
    "توضيح ابهام‌زدایی 동음이의 багатозначність περιπτώσεις desambiguació".split()
)
_DISAMBIGUATION_CATEGORIES = re.compile(r"\bdisambiguation pages\b", re.IGNORECASE)


def is_disambiguation(templates: list[str], categories: list[str]) -> bool:
    """Whether a page with these templates and categories only lists what its title can mean.

    Examples
    --------
    >>> is_disambiguation(["Template:Disambiguation"], []), is_disambiguation([], ["All disambiguation pages"])
    (True, True)
    """
    names = (each.rpartition(":")[2].replace("_", " ").strip().lower() for each in templates)
    return any(name in _DISAMBIGUATION for name in names) or any(map(_DISAMBIGUATION_CATEGORIES.search, categories))
