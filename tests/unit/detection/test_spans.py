"""Every name at every place: what is looked at, and what is known of it."""

import numpy as np
import pytest

from deixis.detection.dictionary import DictionaryConfig, DictionaryDetector
from deixis.detection.markup import markup_spans, outside_markup
from deixis.detection.spans import Sign, SpanTable
from deixis.errors import DataError
from deixis.store.strings import StringTable

TOWNS = DictionaryDetector.build(["New York", "New York City", "York", "City", "It", "Troy", "heart attack"])


def shown(spans: SpanTable, texts: list[str]) -> list[str]:
    columns = zip(spans.texts.tolist(), spans.starts.tolist(), spans.ends.tolist(), strict=True)
    return [texts[number][start:end] for number, start, end in columns]


def test_names_inside_names_are_found_too() -> None:
    texts = ["in New York City", "Troy"]
    spans = TOWNS.spans(texts)
    assert shown(spans, texts) == ["New York", "New York City", "York", "City", "Troy"]
    assert spans.texts.tolist() == [0, 0, 0, 0, 1]


def test_what_a_longer_name_covers_says_so() -> None:
    texts = ["in New York City"]
    spans = TOWNS.spans(texts)
    covered = spans.take(spans.has(Sign.IN_LONGER_NAME))
    assert shown(covered, texts) == ["New York", "York", "City"]


def test_names_not_written_as_the_rules_ask_are_found_on_request_only() -> None:
    texts = ["it fell to troy"]
    assert len(TOWNS.spans(texts)) == 0
    spans = TOWNS.spans(texts, any_case=True)
    assert shown(spans, texts) == ["it", "troy"]
    assert spans.has(Sign.UNRULY_NAME).all() and not spans.has(Sign.NAME).any()


def test_a_plural_is_its_name_inflected() -> None:
    texts = ["two heart attacks", "Yorks"]
    spans = TOWNS.spans(texts)
    assert shown(spans, texts) == ["heart attacks", "Yorks"]
    assert spans.has(Sign.INFLECTED).all()
    assert len(TOWNS.spans(texts, plurals=False)) == 0


def test_a_name_itself_comes_before_its_plural() -> None:
    detector = DictionaryDetector.build(["Wale", "Wales"])
    spans = detector.spans(["Wales"])
    assert len(spans) == 1 and not spans.has(Sign.INFLECTED).any()
    assert spans.names.tolist() == detector.numbers(StringTable.from_strings(["Wales"])).tolist()


def test_the_possessive_is_not_part_of_a_name() -> None:
    texts = ["Troy's walls and İstanbul'da", "the Trojans’ York’s"]
    detector = DictionaryDetector.build(["Troy", "İstanbul", "York"])
    assert shown(detector.spans(texts), texts) == ["Troy", "İstanbul", "York"]


def test_runs_of_capitals_are_spans_with_all_their_parts() -> None:
    texts = ["when Ann Lee Smith of Ohio left"]
    spans = TOWNS.spans(texts, max_run=3)
    found = shown(spans, texts)
    assert {"Ann", "Ann Lee", "Ann Lee Smith", "Lee", "Lee Smith", "Smith", "Smith of Ohio", "Ohio"} == set(found)
    assert (spans.names == -1).all()


def test_runs_do_not_cross_sentences_or_commas() -> None:
    texts = ["she met Ann. Lee, Smith left"]
    assert shown(TOWNS.spans(texts, max_run=4), texts) == ["Ann", "Lee", "Smith"]


def test_offsets_count_code_points() -> None:
    texts = ["😀 𝒳 Troy", "é" * 50 + " York"]
    spans = TOWNS.spans(texts)
    assert shown(spans, texts) == ["Troy", "York"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("東京", "私は東京に住んでいる"),
        ("Москва", "в Москва-Сити"),
        ("القاهرة", "في القاهرة اليوم"),
        ("กรุงเทพ", "ไปกรุงเทพแล้ว"),
    ],
)
def test_names_in_many_scripts(name: str, text: str) -> None:
    spans = DictionaryDetector.build([name]).spans([text], max_run=4)
    assert name in shown(spans, [text])


def test_one_character_and_five_hundred_tokens_if_asked_for() -> None:
    long_name = " ".join(f"word{number}" for number in range(500))
    texts = [f"R and {long_name}!"]
    assert len(DictionaryDetector.build(["R", long_name]).spans(texts, plurals=False)) == 0
    detector = DictionaryDetector.build(["R", long_name], config=DictionaryConfig(min_chars=1, max_tokens=500))
    assert shown(detector.spans(texts, plurals=False), texts) == ["R", long_name]


def test_no_text_no_spans() -> None:
    assert len(TOWNS.spans([])) == 0
    assert len(TOWNS.spans(["", " ", "…"], max_run=4, any_case=True)) == 0
    with pytest.raises(DataError, match="Put it into a list"):
        TOWNS.spans("Troy")


def test_the_same_words_have_the_same_key_in_every_dictionary() -> None:
    other = DictionaryDetector.build(["Troy", "Athens"])
    here, there = TOWNS.spans(["In Troy they fell"]), other.spans(["in TROY they stood"])
    assert here.keys.tolist() == there.keys.tolist()
    assert here.before.tolist() == there.before.tolist() and here.after.tolist() == there.after.tolist()


def test_merged_tables_keep_each_span_once_with_the_signs_of_both() -> None:
    texts = ["in New York City", "Troy fell"]
    given = SpanTable.of_spans([[(3, 11)], [(0, 4), (5, 9)]], texts)
    merged = TOWNS.spans(texts).merged(given)
    assert shown(merged, texts) == ["New York", "New York City", "York", "City", "Troy", "fell"]
    assert merged.has(Sign.RECOGNIZED).tolist() == [True, False, False, False, True, True]
    assert merged.has(Sign.NAME).tolist() == [True, True, True, True, True, False]
    order = np.lexsort((merged.ends, merged.starts, merged.texts))
    assert (order == np.arange(len(merged))).all()


def test_nothing_is_found_in_tags_addresses_and_code() -> None:
    texts = [
        '<a href="Troy.html" title="Troy">Troy</a> at http://Troy.example/York and www.York.com',
        "`Troy` or ```\nYork = 1\n``` but York, mail Troy@York.org &Troy; <!-- Troy -->",
        "a < Troy and b > York",
    ]
    assert shown(outside_markup(TOWNS.spans(texts), texts), texts) == ["Troy", "York", "Troy", "York"]


def test_plain_text_has_no_markup() -> None:
    assert markup_spans("AT&T < 5, a@b, 3 > 2; it's `open") == []
