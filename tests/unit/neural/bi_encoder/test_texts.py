"""What a bi-encoder reads of mentions and entities."""

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.neural.bi_encoder.texts import BiTexts
from deixis.neural.windows import TokenWindows
from deixis.types import MentionInContext


def by_words(n_tokens, marker="[M]"):
    words = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return BiTexts(TokenWindows(words), n_tokens, marker)


KB = KnowledgeBase.from_records(
    [
        {"id": "Q90", "title": "Paris", "descriptions": {"en": "capital of France", "de": "Hauptstadt Frankreichs"}},
        {"id": "Q1", "title": "Troy"},
        {"id": "Q2", "title": "The Long Name of a Film", "description": "a film"},
    ]
)


def test_an_entity_has_a_text_for_each_of_its_descriptions():
    texts, rows = by_words(64).of_entities(KB)
    assert rows.tolist() == [0, 0, 1, 2]
    assert set(texts[:2]) == {"[M] Paris [M] capital of France", "[M] Paris [M] Hauptstadt Frankreichs"}


def test_an_entity_without_a_description_is_its_title():
    assert by_words(64).of_entities(KB, np.array([1]))[0] == ["[M] Troy [M]"]


def test_entities_come_in_the_order_asked_for():
    assert by_words(64).of_entities(KB, np.array([2, 1]))[1].tolist() == [2, 1]


def test_long_titles_and_texts_are_cut_to_the_window():
    texts, _ = by_words(5).of_entities(KB)
    assert texts[2:] == ["[M] Troy [M]", "[M] The Long Name [M]"]
    assert all(len(text.split()) <= 5 for text in texts)


def test_without_a_marker_names_are_not_marked():
    assert by_words(64, marker="").of_entities(KB, np.array([2]))[0] == ["The Long Name of a Film a film"]


def test_a_mention_is_marked_in_its_context_or_alone():
    mention = MentionInContext("Paris", "To save Troy Paris had to be sacrificed", 13, 18)
    assert by_words(7).of_mentions([mention]) == ["save Troy [M] Paris [M] had to"]
    assert by_words(7).of_mentions_alone([mention]) == ["[M] Paris [M]"]
