"""A few places, and documents that say which of their names are mentions: for tests of linking raw text."""

from __future__ import annotations

from functools import cache

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.ranking.default_weights import RankerConfig
from deixis.types import Document, Mention

KB = KnowledgeBase.from_records(
    [
        {"id": "paris", "title": "Paris", "description": "capital of France on the Seine"},
        {"id": "troy", "title": "Troy", "description": "ancient city besieged by the Greeks"},
        {"id": "new-troy", "title": "New Troy", "description": "a village in Michigan"},
        {"id": "may", "title": "May", "description": "the fifth month of the year"},
        {"id": "germany", "title": "Germany", "description": "country of the Germans in Europe"},
        {"id": "tokyo", "title": "東京", "description": "capital of Japan"},
    ]
)
TOWNS = {"Paris": "paris", "Troy": "troy", "New Troy": "new-troy", "Germans": "germany"}


def annotated(number: int) -> Document:
    """A document in which towns are mentions, and May and Ann are not."""
    town, other = (list(TOWNS)[(number * step + step) % len(TOWNS)] for step in (1, 3))
    text = f"Then Ann saw {town} in the rain. May said that {other} stood by the river number {number}."
    mentions = []
    for name, start in ((town, text.index(town)), (other, text.index(other, text.index("said")))):
        mentions.append(Mention(start, start + len(name), name, TOWNS[name]))
    return Document(f"d{number}", text, mentions=tuple(mentions))


@cache
def untaught() -> Linker:
    """Without documents: the list and the shipped weights decide what is a mention."""
    return Linker.build(KB, n_threads=1)


@cache
def trained() -> Linker:
    """With documents: odds learned from them decide what is a mention."""
    config = LinkerConfig(ranking=RankerConfig(min_mentions=5), held_out_share=0.3)
    return Linker.build(KB, [annotated(number) for number in range(60)], config, n_threads=1)


def links_of(document: Document) -> list[tuple[str, str | None]]:
    """Each mention with its entity."""
    return [(mention.text, mention.entity) for mention in document.mentions]
