"""A document may hold more mentions than walk through the stations at once."""

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking import linker as linker_module
from deixis.linking.linker import Linker


def test_mentions_are_linked_the_same_however_many_walk_together(monkeypatch):
    kb = KnowledgeBase.from_records(
        [
            {"id": "city", "title": "Paris", "description": "capital of France on the Seine"},
            {"id": "prince", "title": "Paris", "description": "prince of Troy who carried off Helen"},
            {"id": "troy", "title": "Troy", "description": "ancient city besieged by the Greeks"},
        ]
    )
    linker = Linker.build(kb)
    texts = ["Paris fled Troy with Helen. Paris on the Seine. " * 3, "no name here", "Troy", "Paris and Troy"]
    together = linker.link(texts)
    monkeypatch.setattr(linker_module, "MENTIONS_AT_ONCE", 2)
    assert linker.link(texts) == together
    assert len(together[0].mentions) == 9
