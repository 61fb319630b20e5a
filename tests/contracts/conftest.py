"""A knowledge base with a known answer, and mentions that every station must cope with."""

import pytest

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import MentionInContext

RECORDS = [
    {"id": "city", "title": "Paris", "aliases": ["City of Light"], "description": "capital of France on the Seine"},
    {"id": "prince", "title": "Paris", "aliases": ["Alexander"], "description": "prince of Troy who took Helen"},
    {"id": "texas", "title": "Paris, Texas", "description": "town in Lamar County", "count": 3},
    {"id": "troy", "title": "Troy", "description": "ancient city besieged by the Greeks", "count": 40},
    {"id": "beijing", "title": "北京", "aliases": ["Beijing"], "descriptions": {"zh": "中华人民共和国的首都"}},
    {"id": "cairo", "title": "القاهرة", "aliases": ["Cairo"], "descriptions": {"ar": "عاصمة مصر"}},
    {"id": "bare", "title": "Nameless Creek"},
    {"id": "marks", "title": "!!!"},
] + [{"id": f"n{n}", "title": f"Number {n}", "description": f"the number after {n - 1}"} for n in range(40)]

TEXTS = [
    ("To save Troy, Paris had to be sacrificed.", "Paris"),
    ("Boats pass under the bridges of Paris on the Seine.", "Paris"),
    ("PARIS", "PARIS"),
    ("我在北京住了三年。", "北京"),
    ("زرت القاهرة العام الماضي", "القاهرة"),
    ("Number 7 follows Number 6.", "Number 6"),
    ("Who is Zxqwv?", "Zxqwv"),
    ("!!! played", "!!!"),
    ("🦕🦕 Paris 🦕", "🦕 Paris"),
    ("x", ""),
    ("a  b", "  "),
]


@pytest.fixture(scope="session")
def kb():
    return KnowledgeBase.from_records(RECORDS)


@pytest.fixture(scope="session")
def mentions():
    return [MentionInContext(m, text, text.index(m), text.index(m) + len(m)) for text, m in TEXTS]
