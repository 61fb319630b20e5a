"""The ordinary sentences of six lists: marks are read, counted and refer to what is there."""

import pytest

from benchmarks.quality.sentences import LISTS, Counts, Sentence, count, read_kb, read_sentences
from deixis.types import Mention


def link(start: int, end: int, entity: str) -> Mention:
    return Mention(start, end, "x" * (end - start), entity, 0.9)


def test_marks_are_not_part_of_the_text():
    sentence = Sentence.parse("A [breeze|-] came, so I turned the [Breeze|P15,P16] off.")
    assert sentence.text == "A breeze came, so I turned the Breeze off."
    assert [sentence.text[slice(*span)] for span in sentence.names] == ["Breeze"]
    assert sentence.names[31, 37] == {"P15", "P16"}
    assert sentence.wrong == ((2, 8),)


def test_a_name_counts_as_right_only_with_its_span_and_entity():
    sentence = Sentence.parse("A [breeze|-], a [Breeze|P15].")
    assert count(sentence, [link(12, 18, "P15")]) == Counts(n_names=1, n_right=1, n_found=1)
    assert count(sentence, [link(12, 18, "P1")]) == Counts(n_names=1, n_found=1)
    assert count(sentence, [link(10, 18, "P15")]) == Counts(n_names=1, n_other=1)
    assert count(sentence, [link(2, 8, "P15")]) == Counts(n_names=1, n_wrong_words=1, n_other=1)


@pytest.mark.parametrize("name", LISTS)
def test_every_list_has_twenty_sentences_with_names(name):
    sentences = read_sentences(name)
    assert len(sentences) == 20
    assert all(sentence.names and "|" not in sentence.text for sentence in sentences)


@pytest.mark.parametrize("name", LISTS)
def test_every_marked_entity_is_on_its_list(name):
    if name in {"mesh", "geonames"}:
        pytest.skip("a list of hundreds of thousands of entities takes too long to read here")
    kb = read_kb(name)
    if kb is None:
        pytest.skip("the list is not on this machine")
    ids = {entity for sentence in read_sentences(name) for entities in sentence.names.values() for entity in entities}
    assert [identifier for identifier in sorted(ids) if kb.row_of(identifier) is None] == []
