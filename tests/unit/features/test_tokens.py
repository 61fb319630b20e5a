"""What a reader may expect of tokens, by example."""

import pytest

from deixis.features.tokens import Token, tokenize


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
