"""The table of common words that comes with the package."""

import numpy as np
import pytest

from deixis.detection.names import NameMatcher
from deixis.detection.spans import UNKNOWN_COUNT, Sign
from deixis.detection.words import N_COMMON, common_words, word_table


def known(text: str) -> tuple[float, float, bool, bool]:
    """Frequency, share in lower case, whether all words are known, whether they are stop words."""
    spans = NameMatcher.build([text]).spans([text], 1)
    row = spans.take((spans.starts == 0) & (spans.ends == len(text)))
    (log_count,), (lower_share,) = row.log_counts.tolist(), row.lower_shares.tolist()
    return log_count, lower_share, bool(row.has(Sign.KNOWN_WORDS)[0]), bool(row.has(Sign.STOP_WORDS)[0])


def test_frequent_words_count_more_than_rare_ones() -> None:
    assert known("people")[0] > known("jaguar")[0] and known("people")[0] > known("asthma")[0]


def test_a_word_that_the_table_lacks_has_half_the_least_frequency_and_may_be_of_either_case() -> None:
    log_count, lower_share, is_known, is_stop = known("Zorblatt")
    assert log_count == pytest.approx(UNKNOWN_COUNT, abs=0.02) and lower_share == 0.5
    assert not is_known and not is_stop


def test_words_of_texts_in_lower_case_are_told_from_names() -> None:
    assert known("disease")[1] > 0.9 and known("London")[1] < 0.1


def test_of_several_words_the_rarest_and_the_least_often_lower_one_speak() -> None:
    assert known("House of London")[:2] == (
        min(known("house")[0], known("London")[0], known("of")[0]),
        known("London")[1],
    )


@pytest.mark.parametrize("text", ["it", "will", "of the", "und", "les"])
def test_stop_words_of_all_languages_are_stop_words_in_lower_case(text: str) -> None:
    _, lower_share, is_known, is_stop = known(text)
    assert is_stop and is_known and lower_share == 1.0


def test_number_does_not_matter() -> None:
    assert known("houses") == known("house")


def test_common_words_are_no_stop_words_and_no_names() -> None:
    words = list(common_words())
    assert 0.9 * N_COMMON < len(words) == len(set(words)) <= N_COMMON
    assert "people" in words and not {"the", "it", "london"} & set(words)
    assert np.diff(common_words().offsets).min() > 1


def test_a_text_whose_words_the_table_lacks_is_of_another_language() -> None:
    matcher = NameMatcher.build(["Wien"])
    english, german, short = (
        bool(matcher.spans([text], 1).has(Sign.OTHER_LANGUAGE)[0])
        for text in ("They came to Wien in the winter", "Gestern regnete es ununterbrochen überall nahe Wien", "Wien")
    )
    assert (english, german, short) == (False, True, False)


def test_the_table_is_made_once() -> None:
    assert word_table() is word_table() and common_words() is common_words()
