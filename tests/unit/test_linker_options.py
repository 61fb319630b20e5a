"""Options that a linker has of its own: they hold in every call, and are saved with it."""

from dataclasses import replace

import pytest

from deixis.errors import ConfigError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.types import Document, Mention

KB = KnowledgeBase.from_records(
    [
        {"id": "city", "title": "Paris", "description": "capital of France on the Seine"},
        {"id": "prince", "title": "Paris", "description": "prince of Troy who took Helen"},
        {"id": "troy", "title": "Troy", "description": "ancient city besieged by the Greeks"},
    ]
)
TEXT = "To save Troy, Paris had to be sacrificed."


@pytest.fixture(scope="module")
def linker():
    config = LinkerConfig()
    config = replace(config, candidates=config.candidates.with_encoder("chars"))
    annotated = [Document("d", "Paris and Helen fled.", mentions=(Mention(0, 5, "Paris", entity="prince"),))]
    return Linker.build(KB, annotated, config, n_threads=1)


@pytest.mark.parametrize("changes", [{"threshold": 1.0}, {"vectors": "descriptions"}, {"vectors": "contexts"}], ids=str)
def test_options_of_a_linker_hold_without_being_said_and_are_saved(linker, changes):
    own = linker.with_options(**changes)
    assert own.link(TEXT) == linker.link(TEXT, **changes) != linker.link(TEXT)
    assert Linker.from_bytes(own.to_bytes(), n_threads=1).link(TEXT) == own.link(TEXT)


def test_options_that_a_model_cannot_keep_are_refused():
    linker = Linker.build(KnowledgeBase.from_records([{"id": "Q90", "title": "Paris", "types": ["city"]}]))
    for changes in ({"types": "city"}, {"top_k": 3}, {"overlaps": "keep"}, {"reader": False}):
        with pytest.raises(ConfigError, match=f"The option '{next(iter(changes))}' cannot be kept in a model"):
            linker.with_options(**changes)
    with pytest.raises(ConfigError, match="top_k must be a whole number of at least 1, got True"):
        linker.link("Paris", top_k=True)
