"""Pairs as a cross-encoder reads them: four parts, never too long, the mention never lost."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tokenizers import Tokenizer, models, pre_tokenizers

from deixis.errors import ConfigError, DataError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.neural.cross_encoder.pairs import N_SIGNS, PairConfig
from deixis.neural.cross_encoder.texts import MentionCandidates, PairTexts
from deixis.neural.windows import TokenWindows
from deixis.types import MentionInContext

KB = KnowledgeBase.from_records(
    [
        {"id": "Q1", "title": "Paris", "aliases": ["paris", "Parigi", "Paris, France"], "description": "a b c " * 40},
        {"id": "Q2", "title": "Troy", "aliases": ["Ilion"]},
    ]
)


def word_level():
    words = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    words.add_special_tokens(["[M]", "|"])
    return TokenWindows(words)


WINDOWS = word_level()


def mention(before, text, after):
    return MentionInContext(text, before + text + after, len(before), len(before) + len(text))


def test_the_parts_are_those_of_equation_9():
    texts = PairTexts(WINDOWS, "|", PairConfig(n_tokens=64, is_marked=False))
    (pair,) = texts.pairs(KB, [mention("To save ", "Troy", " , he")], np.array([0]), np.array([0]))
    entity, of_mention = pair
    assert entity.startswith("Paris; Parigi; Paris, France | a b c a") and of_mention == "Troy | To save Troy , he"


def test_the_mention_is_marked_where_that_is_asked_for():
    texts = PairTexts(WINDOWS, "|", PairConfig(n_tokens=64))
    assert texts.mentions([mention("To save ", "Troy", " , he")]) == ["Troy | To save [M] Troy [M] , he"]


def test_an_entity_without_a_description_is_read_by_its_names():
    assert PairTexts(WINDOWS, "|").entities(KB, [1]) == ["Troy; Ilion | Troy; Ilion"]


@settings(max_examples=60, deadline=None)
@given(st.integers(32, 200), st.integers(0, 300), st.integers(1, 12), st.integers(0, 300), st.booleans())
def test_a_pair_has_room_and_its_mention_whole(n_tokens, n_before, n_own, n_after, is_marked):
    texts = PairTexts(WINDOWS, "|", PairConfig(n_tokens=n_tokens, is_marked=is_marked))
    asked = mention("before " * n_before, " ".join(["own"] * n_own), " after" * n_after)
    if not texts.fits([asked])[0]:
        with pytest.raises(DataError, match="Widen the window"):
            texts.mentions([asked])
        return
    ((entity, of_mention),) = texts.pairs(KB, [asked], np.array([0]), np.array([0]))
    assert sum(WINDOWS.n_tokens([entity, of_mention])) + N_SIGNS - 2 <= n_tokens  # the two separators are counted twice
    context = of_mention.partition(" | ")[2]
    assert asked.text in context
    n_words = texts.config.n_context - n_own - 2 * is_marked
    assert context.count("before") + context.count("after") == min(n_words, n_before + n_after)


def test_a_pair_of_no_size_is_refused():
    with pytest.raises(ConfigError, match="n_tokens must be at least 32, got 8"):
        PairConfig(n_tokens=8)


def test_the_right_entity_is_taught_even_where_the_ranking_missed_it():
    ranked = sparse.csr_matrix(np.array([[0.9, 0.5, 0.4, 0], [0, 0, 0.2, 0.1]], dtype=np.float32))
    asked = [mention("", "a", ""), mention("", "b", "")]
    taught = MentionCandidates.of(asked, ranked, [[3], [2]], 2, has_right=True)
    assert taught.rows.tolist() == [0, 3, 2, 3] and taught.is_right.tolist() == [False, True, True, False]
    judged = MentionCandidates.of(asked, ranked, [[3], [2]], 2, has_right=False)
    assert judged.rows.tolist() == [0, 1, 2, 3] and judged.is_right.tolist() == [False, False, True, False]


def test_entities_that_answer_as_well_are_never_taught_as_wrong():
    ranked = sparse.csr_matrix(np.array([[0.9, 0.5, 0.4, 0], [0.3, 0, 0.2, 0.1]], dtype=np.float32))
    asked = [mention("", "a", ""), mention("", "b", "")]
    taught = MentionCandidates.of(asked, ranked, [[3, 0, 1], [1, 3]], 2, has_right=True)
    assert taught.rows.tolist() == [
        0,
        1,
        0,
        1,
    ]  # one that was found is enough, else the first is put in
    assert taught.is_right.tolist() == [True, True, False, True]
