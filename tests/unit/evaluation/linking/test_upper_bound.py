"""Upper bounds by language: mentions, sets of entities, and what is missing."""

import pytest

from deixis.evaluation.linking.upper_bound import UpperBounds
from deixis.types import Document, Mention

KB = {"Q1": {"de", "en"}, "Q2": {"en"}, "Q3": set()}


def resolve(name):
    return name if name in KB else {"old-Q1": "Q1"}.get(name)


def has_language(name, lang):
    return lang in KB[name]


def document(lang, *gold):
    text = "x" * len(gold)
    return Document("d", text, lang, tuple(Mention(i, i + 1, "x", entity=entity) for i, entity in enumerate(gold)))


def bounds_of(*documents, languages=has_language):
    bounds = UpperBounds(resolve, languages)
    for one in documents:
        bounds.add(one)
    return bounds


def test_mentions_count_each_time_and_entities_once():
    (german,) = bounds_of(document("de", "Q1", "Q1", "Q1", "Q9")).by_language()
    assert german.mentions.value == 0.75
    assert german.mentions.n == 4
    assert (german.n_entities, german.n_entities_in_kb, german.entities) == (2, 1, 0.5)


def test_a_language_is_held_against_its_own_part_too():
    (german,) = bounds_of(document("de", "Q1", "Q2", "Q3", "Q9")).by_language()
    assert german.mentions.value == 0.75
    assert german.mentions_in_language.value == 0.25
    assert german.n_entities_in_language == 1


def test_an_equivalent_id_is_the_same_entity():
    (english,) = bounds_of(document("en", "Q1", "old-Q1")).by_language()
    assert english.n_entities == 1


def test_any_of_several_alternatives_will_do():
    (german,) = bounds_of(document("de", "Q2|Q1", "Q9|Q2")).by_language()
    assert german.mentions.value == 1.0
    assert german.mentions_in_language.value == 0.5


def test_nil_and_undecided_mentions_do_not_count():
    bounds = bounds_of(document("de", None, "Q1"), document("fr", None))
    assert bounds.n_linked == 1
    assert [bound.lang for bound in bounds.by_language()] == ["de"]


def test_all_together_weigh_mentions_and_join_sets():
    overall = bounds_of(document("de", "Q1", "Q2"), document("en", "Q1", "Q2", "Q9", "Q9")).overall()
    assert overall.lang is None
    assert overall.mentions.value == pytest.approx(4 / 6)
    assert overall.mentions_in_language.value == pytest.approx(3 / 6)
    assert (overall.n_entities, overall.n_entities_in_kb, overall.n_entities_in_language) == (3, 2, 2)


def test_documents_that_tell_no_language_come_last_and_have_no_part():
    bounds = bounds_of(document(None, "Q1", "Q9"), document("en", "Q1"))
    english, unknown = bounds.by_language()
    assert unknown.lang == ""
    assert unknown.mentions.value == 0.5
    assert unknown.mentions_in_language is None
    assert unknown.entities_in_language is None
    assert english.mentions_in_language.value == 1.0


def test_documents_that_tell_no_language_do_not_lower_what_is_known_in_its_language():
    overall = bounds_of(document(None, "Q1", "Q9"), document("en", "Q2"), document("de", "Q2")).overall()
    assert overall.mentions.value == 0.75
    assert (overall.mentions_in_language.value, overall.mentions_in_language.n) == (0.5, 2)
    assert (overall.n_entities, overall.entities_in_language) == (3, 1.0)


def test_without_languages_in_the_knowledge_base_there_is_no_second_column():
    bounds = bounds_of(document("de", "Q1"), languages=None)
    assert bounds.overall().mentions_in_language is None


def test_missing_ids_come_by_how_often_they_are_meant_then_in_the_order_of_their_numbers():
    overall = bounds_of(document("de", "Q182", "Q83", "Q514", "Q514", "Q9999", "Q1")).overall(n_missing=3)
    assert overall.missing == (("Q514", 2), ("Q83", 1), ("Q182", 1))


def test_nothing_at_all_has_no_bound_and_no_language():
    bounds = bounds_of()
    assert bounds.by_language() == []
    assert bounds.overall().mentions.n == 0


def test_ids_of_letters_and_digits_mixed_can_be_put_in_order():
    overall = bounds_of(document("de", "a1", "1a", "a", "1")).overall()
    assert [name for name, _ in overall.missing] == ["1", "1a", "a", "a1"]
