"""Whether a mention is the name of one of its candidates, and not merely like it."""

from __future__ import annotations

from collections.abc import Iterator

from deixis.features.tokens import tokenize
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Mention

MAX_LOOKED_AT = 10  # candidates; one that has the name itself is among the first


def has_named(kb: KnowledgeBase, mention: Mention) -> bool:
    """Whether one of the mention's best candidates has the mention as a name, token by token, as detection compares.

    Examples
    --------
    >>> from deixis.types import Candidate
    >>> kb = KnowledgeBase.from_records([{"id": "planet", "title": "Mercury (planet)", "aliases": ["Hermes"]}])
    >>> [has_named(kb, Mention(0, len(text), text, candidates=(Candidate("planet", 0.9),))) for text in
    ...     ("MERCURY", "Hermes", "Mercurial")]
    [True, True, False]
    """
    tokens = _tokens(mention.text)
    for candidate in mention.candidates[:MAX_LOOKED_AT]:
        if any(_tokens(name) == tokens for name in _names(kb, candidate.id)):
            return True
    return False


def _names(kb: KnowledgeBase, identifier: str) -> Iterator[str]:
    row = kb.row_of(identifier)
    if row is None:
        return
    yield kb.titles[row]
    yield from kb.aliases.strings(range(*kb.alias_indptr[row : row + 2].tolist()))


def _tokens(name: str) -> list[str]:
    """The folded tokens, without a qualifier in brackets."""
    return [token.text for token in tokenize(name.partition("(")[0] or name)]
