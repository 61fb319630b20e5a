"""Windows around mentions: never more tokens than asked, the mention whole, words whole."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from deixis.errors import DataError
from deixis.neural.windows import MARKER, TokenWindows
from deixis.types import MentionInContext


def word_pieces():
    """Words of letters a and b in pieces of one or two letters; [M] is a token, as in a trained model."""
    vocabulary = ["[UNK]", "[SEP]", "a", "b", "ab", "##a", "##b", "##ab", ",", "é", "東"]
    tokenizer = Tokenizer(models.WordPiece({piece: n for n, piece in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(["[SEP]", MARKER])
    return tokenizer


WINDOWS = TokenWindows(word_pieces())


def mention_in(before, text, after):
    return MentionInContext(text, before + text + after, len(before), len(before) + len(text))


def test_the_mention_stands_in_the_middle():
    found = WINDOWS.around([mention_in("a b a b a b ", "ab", " a b a b a b")], 7)
    assert found == ["a b [M] ab [M] a b"]
    assert WINDOWS.n_tokens(found) == [7]


def test_where_the_text_ends_the_window_reaches_to_the_other_side():
    first, last = WINDOWS.around([mention_in("", "a", " b b b b b b"), mention_in("b b b b b b ", "a", "")], 7)
    assert first == "[M] a [M] b b b b" and last == "b b b b [M] a [M]"


def test_a_text_shorter_than_the_window_stays_whole():
    assert WINDOWS.around([mention_in("b ", "a", ", b")], 64) == ["b [M] a [M] , b"]


def test_a_mention_alone_fills_the_window_exactly():
    assert WINDOWS.around([mention_in("b ", "a a a", " b")], 5) == ["[M] a a a [M]"]


def test_a_mention_longer_than_the_window_is_an_error_that_names_it():
    mention = mention_in("b ", "a a a a", " b")
    assert WINDOWS.fits([mention], 5) == [False] and WINDOWS.fits([mention], 6) == [True]
    with pytest.raises(DataError, match=r"'a a a a' at 2\.\.9 .* takes 6 tokens .* window of 5"):
        WINDOWS.around([mention], 5)


def test_words_are_never_cut():
    (found,) = WINDOWS.around([mention_in("abab abab ", "a", " abab abab")], 8)  # a word has two tokens
    assert found == "abab [M] a [M] abab"


def test_a_mention_inside_a_word_keeps_its_neighbours_apart():
    assert WINDOWS.around([mention_in("", "ab", "ab")], 9) == ["[M] ab [M] ab"]


def test_without_a_marker_the_text_stands_as_it_was():
    assert WINDOWS.around([mention_in("b,  ", "ab", ", b")], 64, marker="") == ["b,  ab, b"]


def test_signs_of_the_tokenizer_in_a_text_are_only_text():
    (found,) = WINDOWS.around([mention_in("a [SEP] [M] ", "[M]", " [SEP]")], 64)
    assert found.count(MARKER) == 2 and "[SEP]" not in found


def test_a_book_is_not_read_for_one_mention():
    text = "b " * 500_000
    (found,) = WINDOWS.around([mention_in(text, "a", " " + text)], 64)
    assert WINDOWS.n_tokens([found]) == [64] and found.count("b") == 61


def test_heads_are_the_first_whole_words():
    assert WINDOWS.heads(["a abab b", "abab", "", "  a b"], 3) == ["a abab", "abab", "", "a b"]
    assert WINDOWS.heads(["abab a"], 1) == [""]


def test_a_file_that_is_no_tokenizer_is_named(tmp_path):
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DataError, match=r"tokenizer\.json: is no tokenizer"):
        TokenWindows.from_file(tmp_path / "tokenizer.json")


PIECES = st.text(alphabet="ab ,é東\n[]M", max_size=40)


@settings(max_examples=60, deadline=None)
@given(PIECES, st.text(alphabet="ab é東", min_size=1, max_size=8), PIECES, st.integers(12, 40), st.booleans())
def test_no_window_has_more_tokens_than_asked_and_each_has_its_mention(before, text, after, n_tokens, is_marked):
    mention = mention_in(before, text, after)
    (found,) = WINDOWS.around([mention], n_tokens, MARKER if is_marked else "")
    assert WINDOWS.n_tokens([found])[0] <= n_tokens
    if is_marked:
        assert found.count(MARKER) == 2 and found.split(MARKER)[1].strip() == text.strip()
    else:
        assert text in found and found in WINDOWS.plain(mention.document_text)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(PIECES, PIECES), max_size=4))
def test_a_batch_gives_what_singles_give(texts):
    mentions = [mention_in(before, "ab", after) for before, after in texts]
    assert WINDOWS.around(mentions, 12) == [WINDOWS.around([mention], 12)[0] for mention in mentions]


def test_many_texts_are_cut_like_each_alone(monkeypatch):
    monkeypatch.setattr("deixis.neural.windows._AT_ONCE", 3)
    asked = [mention_in("b " * n, "ab", " a" * (9 - n)) for n in range(10)]
    assert WINDOWS.around(asked, 7) == [WINDOWS.around([each], 7)[0] for each in asked]
    texts = ["ab " * n for n in range(10)]
    assert WINDOWS.heads(texts, 4) == [WINDOWS.heads([text], 4)[0] for text in texts]
    assert WINDOWS.n_tokens(texts) == [WINDOWS.n_tokens([text])[0] for text in texts] == list(range(10))
    assert WINDOWS.around([], 7) == WINDOWS.heads([], 4) == WINDOWS.n_tokens([]) == []


def test_a_mention_without_room_is_shown_shortened():
    with pytest.raises(DataError, match=r"^The mention 'a{60}\.\.\.' at 2..92 .* Widen the window \(n_tokens\)"):
        WINDOWS.around([mention_in("b ", "a" * 90, "")], 7)
