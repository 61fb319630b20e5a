"""Another threshold for a linker that is built: for given mentions and for those that are found."""

import functools

import pytest

from deixis.errors import ConfigError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.linker import Linker
from deixis.linking.nil import NilRule
from deixis.types import Document, Mention

KB = KnowledgeBase.from_records(
    [{"id": "city", "title": "Paris"}, {"id": "hero", "title": "Paris"}, {"id": "troy", "title": "Troy"}]
)
RAW = "Paris and Troy"
GIVEN = Document("d", RAW, mentions=(Mention(0, 5, "Paris"), Mention(10, 14, "Troy")))


@functools.cache
def linker():
    return Linker.build(KB, n_threads=1)


def is_linked(text, threshold):
    return [mention.entity is not None for mention in linker().ruled_by(NilRule(threshold)).link(text).mentions]


@pytest.mark.parametrize("text", [RAW, GIVEN], ids=["found", "given"])
def test_a_threshold_holds_for_mentions_that_are_given_and_that_are_found(text):
    """Two things are called Paris, and nothing tells which is meant: neither is likelier than not."""
    assert is_linked(text, 0.0) == [True, True]
    assert is_linked(text, 0.7) == [False, True]
    assert is_linked(text, 1.0) == [False, False]


def test_the_linker_itself_stays_as_it_was():
    before = linker().link(RAW)
    linker().ruled_by(NilRule(1.0))
    assert linker().link(RAW) == before


def test_it_can_tell_from_which_score_on_it_links_what_it_found():
    assert linker().ruled_by(NilRule(0.7)).least_found() == 0.7
    assert linker().least_found() == linker().config.nil.least_score


def test_a_precision_can_only_be_asked_of_a_linker_that_was_calibrated():
    with pytest.raises(ConfigError, match="never calibrated"):
        linker().ruled_by(NilRule(target_precision=0.9))
    with pytest.raises(ConfigError, match="re-ranker"):
        linker().ruled_by(NilRule(0.5), rerank=True)


def test_a_linker_in_bytes_links_as_it_does_and_is_the_same_bytes_again():
    ruled = linker().ruled_by(NilRule(0.7))
    other = Linker.from_bytes(ruled.to_bytes(), n_threads=1)
    assert other.link([RAW, GIVEN]) == ruled.link([RAW, GIVEN])
    assert other.to_bytes() == ruled.to_bytes()
