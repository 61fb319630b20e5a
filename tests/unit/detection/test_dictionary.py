"""Names counted inside descriptions: the longest from left to right, written as the list writes them."""

import numpy as np
import pytest

from deixis.detection.dictionary import DictionaryConfig, DictionaryDetector
from deixis.errors import ConfigError, DataError
from deixis.store.strings import StringTable


def found(names, text, texts=None, **config):
    table = None if texts is None else StringTable.from_strings(texts)
    detector = DictionaryDetector.build(names, table, DictionaryConfig(**config))
    return [text[start:end] for start, end in detector.detect([text])[0]]


def test_the_longest_name_wins_and_names_never_overlap():
    names = ["New York", "New York City", "York City Council", "City"]
    assert found(names, "the New York City Council of City") == ["New York City", "City"]


def test_a_longer_name_that_breaks_off_falls_back_to_the_shorter_one():
    names = ["New York", "New York City Opera House", "City of Light"]
    assert found(names, "New York City of Light") == ["New York", "City of Light"]


def test_spans_are_code_points_of_the_original_text():
    text = "😀 ＰＡＲＩＳ, Zu\u0308rich"
    assert DictionaryDetector.build(["Paris", "Zürich"]).detect([text]) == [[(2, 7), (9, 16)]]


def test_names_begin_anywhere_in_scripts_without_spaces_and_at_words_in_others():
    assert found(["art", "king"], "smart artist, king kingdom, art") == ["king", "art"]
    assert found(["東京", "京都", "กรุงเทพ"], "昨日東京都へ行った。ไปกรุงเทพวันนี้ 京、都") == ["東京", "กรุงเทพ"]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("Paris", "Paris PARIS paris", ["Paris", "PARIS"]),
        ("usb cable", "a USB cable, usb Cable", ["USB cable", "usb Cable"]),
        ("WHO", "Who knows the WHO? who", ["WHO"]),
        ("NASA", "Nasa and NASA, nasa", ["Nasa", "NASA"]),
        ("Heart attack", "a heart attack", ["heart attack"]),
        ("Ünye", "ünye Ünye", ["Ünye"]),
    ],
)
def test_capitals_of_a_name_say_where_it_is_found(name, text, expected):
    assert found([name, "Anchor Words Here"], text) == expected


def test_a_list_in_capitals_says_nothing_about_case():
    assert found(["CORDLESS DRILL", "SAW", "TABLE SAW"], "a cordless drill and a saw") == ["cordless drill", "saw"]


def test_stop_words_count_only_where_they_are_written_as_names():
    names = ["It", "The", "IT", "May", "The Who"]
    assert found(names, "It rained. The film It by him. they may go. The who? IT WAS IT.") == ["It"]
    assert found(names, "we saw The Who in May with their IT department") == ["The Who", "May", "IT"]


def test_words_the_knowledge_base_itself_uses_are_no_names_in_lower_case():
    texts = ["people of the year"] * 30 + ["Nile river"] * 70
    assert found(["people", "Year", "Paris", "Rome"], "people of Paris", texts) == ["Paris"]
    # Where most of the list is in lower case, they are.
    assert found(["people", "year", "paris", "rome"], "people of Paris", ["people", *texts[30:]]) == ["people", "Paris"]


def test_frequent_words_are_not_seen_where_a_sentence_begins():
    texts = ["people of the year"] * 30 + ["Nile river"] * 70
    assert found(["People", "Rome"], "People read. He reads People magazine in ROME.", texts) == ["People", "ROME"]


def test_digits_single_characters_and_long_names_are_not_looked_for():
    assert found(["1984", "X", "水", "11 9", "X-1"], "1984 X 水 11 9 X-1") == ["X-1"]
    assert found(["水", "X"], "水 X", min_chars=1, min_chars_unspaced=1) == ["水", "X"]
    assert found(["a b c", "Rome"], "a b c Rome", max_tokens=2) == ["Rome"]


def test_a_title_is_looked_for_without_the_bracket_that_tells_it_from_others():
    assert found(["Mercury (planet)"], "Mercury is hot; Mercury (planet)") == ["Mercury", "Mercury"]


def test_a_name_does_not_reach_over_commas_or_blank_lines():
    assert found(["New York", "Smith, John"], "something New, York\nNew\n\nYork, Smith, John") == ["Smith, John"]


def test_many_texts_give_the_same_on_one_thread_and_four():
    detector = DictionaryDetector.build(["Paris", "New York"])
    texts = [f"{'x ' * i}Paris, New York" for i in range(100)] + [""]
    assert detector.detect(texts, n_threads=1) == detector.detect(texts, n_threads=4)
    assert detector.detect(texts)[3] == [(6, 11), (13, 21)]
    assert detector.detect([]) == [] and found([], "any text") == []


def test_a_tuple_as_the_knowledge_base_gives_it_is_taken():
    names = StringTable.from_strings(["Paris", "Rome"])
    assert DictionaryDetector.build((names, np.arange(2))).detect(["Rome"]) == [[(0, 4)]]


def test_mistakes_are_named():
    with pytest.raises(DataError, match="list"):
        DictionaryDetector.build(["Paris"]).detect("Paris")
    for wrong in ({"min_chars": 0}, {"max_tokens": 0}):
        with pytest.raises(ConfigError, match=next(iter(wrong))):
            DictionaryConfig(**wrong)
