"""Spans as columns: what is known of each from its writing and the words around it."""

import numpy as np
import pytest

from deixis.detection.markup import markup_spans, outside_markup
from deixis.detection.names import NameMatcher
from deixis.detection.spans import UNKNOWN_COUNT, Sign, SpanTable

TOWNS = NameMatcher.build(["New York", "New York City", "York", "City", "It", "Troy", "heart attack", "WHO", "IBM"])


def shown(spans: SpanTable, texts: list[str]) -> list[str]:
    return [texts[number][start:end] for number, start, end in spans.positions()]


def signs_of(text: str, span: str) -> Sign:
    spans = TOWNS.spans([text], max_run=3)
    (row,) = [row for row, found in enumerate(shown(spans, [text])) if found == span]
    return Sign(int(spans.signs[row]))


def test_spans_stand_in_the_order_of_texts_starts_and_ends() -> None:
    texts = ["in New York City", "Troy"]
    spans = TOWNS.spans(texts)
    assert shown(spans, texts) == ["New York", "New York City", "York", "City", "Troy"]
    assert spans.texts.tolist() == [0, 0, 0, 0, 1]


def test_what_a_longer_name_covers_says_so() -> None:
    texts = ["in New York City"]
    spans = TOWNS.spans(texts)
    assert shown(spans.take(spans.has(Sign.IN_LONGER_NAME)), texts) == ["New York", "York", "City"]


@pytest.mark.parametrize(
    ("text", "span", "signs"),
    [
        ("we saw troy", "troy", Sign.LOWER_CASE),
        ("we saw Troy", "Troy", Sign.TITLE_CASE),
        ("we saw TROY here", "TROY", Sign.CAPITALS),
        ("we saw tRoy", "tRoy", Sign.MIXED_CASE),
        ("Troy fell", "Troy", Sign.TITLE_CASE | Sign.BEGINS_SENTENCE),
        ("He left. Troy fell", "Troy", Sign.TITLE_CASE | Sign.BEGINS_SENTENCE),
        ("He left, Troy fell", "Troy", Sign.TITLE_CASE),
        ("THE TROY WAR", "TROY", Sign.CAPITALS | Sign.CAPITALS_AROUND | Sign.FOLLOWS_UPPER | Sign.PRECEDES_UPPER),
        ("a Troy-like town", "Troy", Sign.TITLE_CASE | Sign.HYPHEN_AFTER),
        ("pre-Troy towns", "Troy", Sign.TITLE_CASE | Sign.HYPHEN_BEFORE),
    ],
)
def test_a_span_knows_how_it_is_written_and_what_is_beside_it(text: str, span: str, signs: Sign) -> None:
    beside = (
        Sign.LOWER_CASE | Sign.TITLE_CASE | Sign.CAPITALS | Sign.MIXED_CASE | Sign.BEGINS_SENTENCE
        | Sign.CAPITALS_AROUND | Sign.FOLLOWS_UPPER | Sign.PRECEDES_UPPER | Sign.HYPHEN_BEFORE | Sign.HYPHEN_AFTER
    )  # fmt: skip
    assert signs_of(text, span) & beside == signs


@pytest.mark.parametrize(
    ("text", "span", "signs"),
    [
        ("we saw Troy", "Troy", Sign.NAME | Sign.LISTED_CASE),
        ("we saw troy", "troy", Sign.NAME),
        ("a heart attack", "heart attack", Sign.NAME | Sign.LISTED_CASE | Sign.LISTED_LOWER),
        ("Heart attacks kill", "Heart attacks", Sign.NAME | Sign.LISTED_CASE | Sign.LISTED_LOWER),
        ("a Heart attack", "Heart attack", Sign.NAME | Sign.LISTED_LOWER),
        ("the WHO says", "WHO", Sign.NAME | Sign.LISTED_CASE | Sign.LISTED_CAPITALS),
        ("those who say", "who", Sign.NAME | Sign.LISTED_CAPITALS),
        ("then Ann left", "Ann", Sign(0)),
    ],
)
def test_a_span_knows_how_the_list_writes_it(text: str, span: str, signs: Sign) -> None:
    listed = Sign.NAME | Sign.LISTED_CASE | Sign.LISTED_LOWER | Sign.LISTED_CAPITALS
    assert signs_of(text, span) & listed == signs


def test_words_and_their_content_are_counted() -> None:
    spans = NameMatcher.build(["Bank of England", "It"]).spans(["The Bank of England. it"])
    assert spans.n_words.tolist() == [3, 1] and spans.n_content.tolist() == [2, 0]
    assert spans.has(Sign.STOP_WORDS).tolist() == [False, True]


def test_the_same_words_have_the_same_key_in_every_list() -> None:
    other = NameMatcher.build(["Troy", "Athens"])
    here, there = TOWNS.spans(["In Troy they fell"]), other.spans(["in TROYS they stood"])
    assert here.keys.tolist() == there.keys.tolist()
    assert here.before.tolist() == there.before.tolist() and here.after.tolist() == there.after.tolist()
    assert TOWNS.spans(["Troy"]).before.tolist() == TOWNS.spans(["Troy"]).after.tolist() == [0]


def test_given_spans_have_a_sign_and_the_case_they_are_written_in() -> None:
    texts = ["Ann saw NASA, iPods and it", ""]
    spans = SpanTable.of_spans([[(8, 12), (0, 3), (14, 19), (24, 26), (5, 5), (0, 3)], []], texts, Sign.RECOGNIZED)
    assert shown(spans, texts) == ["Ann", "NASA", "iPods", "it"]
    assert spans.has(Sign.RECOGNIZED).all() and (spans.names == -1).all()
    case = [Sign.TITLE_CASE, Sign.CAPITALS, Sign.MIXED_CASE, Sign.LOWER_CASE]
    assert [bool(spans.has(sign)[row]) for row, sign in enumerate(case)] == [True] * 4
    assert spans.log_counts.tolist() == pytest.approx([UNKNOWN_COUNT] * 4)


def test_merged_tables_keep_each_span_once_with_the_signs_of_both() -> None:
    texts = ["in New York City", "Troy fell"]
    given = SpanTable.of_spans([[(3, 11)], [(0, 4), (5, 9)]], texts, Sign.RECOGNIZED)
    merged = TOWNS.spans(texts).merged(given)
    assert shown(merged, texts) == ["New York", "New York City", "York", "City", "Troy", "fell"]
    assert merged.has(Sign.RECOGNIZED).tolist() == [True, False, False, False, True, True]
    assert merged.has(Sign.NAME).tolist() == [True, True, True, True, True, False]
    assert (merged.names[:5] >= 0).all()
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
