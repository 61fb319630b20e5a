"""Texts cut into passages: whole words, no mention lost, places in the document kept."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.errors import ConfigError
from deixis.features.tokens import tokenize
from deixis.neural.reader.passages import Passage, cut_passages, passage_around
from deixis.neural.windows import TokenWindows

pytest.importorskip("tokenizers")


@pytest.fixture(scope="module")
def windows() -> TokenWindows:
    """Every word, sign and character of a script without spaces is a token."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    words.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return TokenWindows(words)


def test_a_text_that_fits_is_one_passage(windows: TokenWindows) -> None:
    assert list(cut_passages(["Paris of Troy"], windows, 8, 2)) == [Passage(0, 0, "Paris of Troy")]


def test_a_text_of_nothing_has_no_passage(windows: TokenWindows) -> None:
    assert list(cut_passages(["", "  \n "], windows, 8, 2)) == []


def test_passages_name_the_place_they_stand_at(windows: TokenWindows) -> None:
    texts = ["one two three four five six", "seven eight nine ten eleven"]
    for passage in cut_passages(texts, windows, 3, 1):
        assert texts[passage.document][passage.start : passage.end] == passage.text


def test_a_passage_that_goes_on_shares_its_last_tokens(windows: TokenWindows) -> None:
    found = [passage.text for passage in cut_passages(["a b c d e f g"], windows, 4, 2)]
    assert found == ["a b c d", "c d e f", "e f g"]


def test_a_word_longer_than_a_passage_is_cut_since_it_must_be() -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers

    letters = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    letters.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    found = list(cut_passages(["abcdefgh"], TokenWindows(letters), 3, 1))
    assert "".join(passage.text for passage in found[:1]) == "abc"
    assert found[-1].end == 8


def test_signs_of_the_tokenizer_inside_a_text_keep_their_places(windows: TokenWindows) -> None:
    text = "before [M] after Rome"
    found = list(cut_passages([text], windows, 3, 1))
    assert all(text[passage.start : passage.end] == passage.text for passage in found)
    assert found[-1].text.endswith("Rome")


def test_a_span_without_a_passage_of_its_own_has_one_made_around_it(windows: TokenWindows) -> None:
    text = "a b c d e f g h i j"
    found = passage_around(3, text, 8, 11, windows, 6)  # "e f"
    assert found is not None
    assert found.document == 3
    assert found.holds(8, 11)
    assert found.text == "c d e f g h"


def test_a_span_longer_than_a_passage_has_none(windows: TokenWindows) -> None:
    assert passage_around(0, "a b c d e f", 0, 11, windows, 3) is None


@pytest.mark.parametrize("overlap", [-1, 4, 9])
def test_an_overlap_that_leaves_nothing_new_is_refused(windows: TokenWindows, overlap: int) -> None:
    with pytest.raises(ConfigError, match="overlap"):
        list(cut_passages(["a b c"], windows, 4, overlap))


@settings(max_examples=50, deadline=None)
@given(
    st.text(alphabet="ab ,.é東京\n-", max_size=60),
    st.integers(2, 8),
    st.data(),
)
def test_every_word_is_whole_in_a_passage_and_so_is_every_run_as_long_as_the_overlap(
    text: str, n_tokens: int, data: st.DataObject
) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    words.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    windows = TokenWindows(words)
    overlap = data.draw(st.integers(0, n_tokens - 1))
    passages = list(cut_passages([text], windows, n_tokens, overlap))
    places = windows.offsets(text)
    run = max(1, min(overlap, n_tokens // 2))
    is_plain = all(any(word.start == start and word.end == end for word in tokenize(text)) for start, end in places)
    for first in range(len(places) - run + 1):
        start, end = places[first][0], places[first + run - 1][1]
        if run == 1 or is_plain:
            assert any(passage.holds(start, end) for passage in passages)
    assert all(windows.n_tokens([passage.text])[0] <= n_tokens for passage in passages)
