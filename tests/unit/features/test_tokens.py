"""What a reader may expect of tokens, by example."""

import numpy as np
import pytest

from deixis.errors import StoreError
from deixis.features.tfidf import TfidfConfig, TfidfVectorizer
from deixis.features.tokens import Token, tokenize, with_narrow_tokens


def words(text, **options):
    return [token.text for token in tokenize(text, **options)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  ...!? \n", []),
        ("New York's U.S. team-mates", ["new", "york", "s", "u", "s", "team", "mates"]),
        ("snake_case 3M 4x4", ["snake", "case", "3m", "4x4"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("ﬁancé cafe\u0301", ["fiancé", "café"]),
        ("Ｔｏｋｙｏ ①②", ["tokyo", "12"]),
        ("Αθήνα Москва", ["αθήνα", "москва"]),
        ("שלום עולם مرحبا", ["שלום", "עולם", "مرحبا"]),
        ("東京タワー", ["東", "京", "タ", "ワ", "ー"]),
        ("กรุงเทพ", ["ก", "รุ", "ง", "เ", "ท", "พ"]),
        ("Python入門3年", ["python", "入", "門", "3", "年"]),
        ("co\u00adoperate", ["cooperate"]),
        ("ශ්\u200dරී", ["ශ්රී"]),
        ("I ❤️ 👩‍💻 NY 🇫🇷", ["i", "ny"]),
        ("각 각", ["각", "각"]),
    ],
)
def test_texts_become_the_tokens_a_reader_sees(text, expected):
    assert words(text) == expected


def test_offsets_count_code_points_of_the_original():
    text = "😀 ﬁne Zu\u0308rich"
    assert tokenize(text) == [Token("fine", 2, 5), Token("zürich", 6, 13)]
    assert [text[token.start : token.end] for token in tokenize(text)] == ["ﬁne", "Zu\u0308rich"]


def test_an_invisible_character_after_a_word_is_no_part_of_it():
    assert tokenize("abc\u200d def") == [Token("abc", 0, 3), Token("def", 5, 8)]


def test_the_turkish_dotted_capital_keeps_its_dot_as_documented():
    assert words("İstanbul ISPARTA ılık") == ["i\u0307stanbul", "isparta", "ılık"]


def test_folding_can_be_switched_off():
    assert words("Ｔｏkyo STRASSE", casefold=False) == ["Tokyo", "STRASSE"]
    assert words("Ｔｏkyo", nfkc=False) == ["ｔｏkyo"]
    assert words("Ｔｏkyo", nfkc=False, casefold=False) == ["Ｔｏkyo"]


def test_half_and_full_width_kana_meet():
    assert words("ｶﾞｲﾄﾞ") == words("ガイド") == ["ガ", "イ", "ド"]


def test_a_lone_surrogate_separates_and_counts_as_one_code_point():
    assert tokenize("a\ud800b \ud83d\ude00 c") == [Token("a", 0, 1), Token("b", 2, 3), Token("c", 7, 8)]


def test_a_token_of_a_million_letters_is_one_token():
    for letter in "xé":
        (token,) = tokenize(letter.upper() * 1_000_000)
        assert (token.text, token.start, token.end) == (letter * 1_000_000, 0, 1_000_000)


def wide(arrays, prefix):
    """Tables of tokens as they were up to format 3, with eight bytes for an offset and for a slot."""
    arrays = dict(arrays)
    for table in (f"{prefix}.tokens", f"{prefix}.grams"):
        offsets, slots = arrays[f"{table}.offsets"], arrays[f"{table}.slots"]
        last = np.uint32(len(slots) - 1)
        hashes, numbers = (slots & ~last).astype(np.uint64) | np.uint64(last >> 1), (slots & last).astype(np.uint64)
        is_empty = slots == np.iinfo(np.uint32).max
        arrays[f"{table}.offsets"] = offsets.astype(np.int64)
        arrays[f"{table}.slots"] = np.where(is_empty, ~np.uint64(0), hashes << np.uint64(32) | numbers)
    return arrays


@pytest.mark.parametrize("texts", [["new york new", "old york", "zürich"], [""], [f"word{n}" for n in range(3000)]])
def test_tables_with_eight_bytes_are_read_as_those_of_today(texts):
    config = TfidfConfig(char_ngrams_min=2, char_ngrams_max=3)
    arrays = TfidfVectorizer(config).fit(texts).to_arrays("v")
    assert arrays["v.tokens.slots"].dtype == arrays["v.tokens.offsets"].dtype == np.uint32
    again = TfidfVectorizer.from_arrays(wide(arrays, "v"), "v", config)
    assert {name: each.tobytes() for name, each in again.to_arrays("v").items()} == {
        name: each.tobytes() for name, each in arrays.items()
    }
    assert with_narrow_tokens(arrays, "v") is arrays


def test_wide_offsets_that_have_no_room_are_refused():
    arrays = wide(TfidfVectorizer().fit(["a b"]).to_arrays("v"), "v")
    for wrong in (-1, 1 << 32):
        damaged = arrays["v.tokens.offsets"].copy()
        damaged[1] = wrong
        with pytest.raises(StoreError, match=r"v\.tokens\.offsets"):
            TfidfVectorizer.from_arrays(arrays | {"v.tokens.offsets": damaged}, "v", TfidfConfig())


def test_every_one_of_many_words_is_found_by_the_few_bits_that_are_kept_of_its_hash():
    words = [f"w{n}" for n in range(20_000)]
    vectorizer = TfidfVectorizer(TfidfConfig(ngrams_max=1, max_df=1.0)).fit(words)
    rows = vectorizer.transform([*words, *(f"v{n}" for n in range(20_000))])
    assert np.diff(rows.indptr).tolist() == [1] * 20_000 + [0] * 20_000
    assert len(set(rows.indices.tolist())) == 20_000
