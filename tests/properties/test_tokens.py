"""The compiled tokenizer against a plain one on `unicodedata`."""

import sys
import unicodedata
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.features.tokens import tokenize, unicode_version

UNSPACED = (
    "CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC ITERATION", "IDEOGRAPHIC NUMBER ZERO",
    "VERTICAL IDEOGRAPHIC ITERATION", "HIRAGANA", "KATAKANA", "HALFWIDTH KATAKANA", "HENTAIGANA",
    "THAI", "LAO", "KHMER", "MYANMAR",
)  # fmt: skip
JOINERS = "\u00ad\u061c\u200c\u200d\u200e\u200f\u2060\ufeff"
IGNORABLE = set(
    [0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFEFF, 0xFFA0, *range(0x180B, 0x1810)]
    + [*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0xFE00, 0xFE10)]
    + [*range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000)]
)
# Characters that meet in odd ways: marks, jamo, ligatures, kana marks, joiners, titlecase, astral letters, emoji.
ODD = (
    "aAİıIßẞŒǅﬁ½²①㎏Åñé\u0301\u0308\u0323\u0345ᄀ각ᆨ\u1161가"
    "ｶﾞカガ々〇漢字กำ\u0e4d\u0e34ສခ\u1039ខ្ម\u200d\u200c\u00ad\ufe0f😀𝔄𐐀אבשׁ\ufb2aﷺﬃ_-'. \n١٢"
)


def reference_fold(token, casefold, nfkc):
    if nfkc:
        token = unicodedata.normalize("NFKC", "".join(c for c in token if ord(c) not in IGNORABLE))
    folded = token.casefold() if casefold else token
    return unicodedata.normalize("NFKC", folded) if nfkc and folded != token else folded


@cache
def reference_class(char):
    """How the documented rules see a character."""
    category = unicodedata.category(char)
    if char in JOINERS:
        return "joiner"
    if category[0] == "M" or char in "\uff9e\uff9f":
        return "mark"
    if (category[0] == "L" or category == "Nl") and unicodedata.name(char, "").startswith(UNSPACED):
        return "unspaced"
    return "word" if category[0] in "LN" else "other"


def reference_tokens(text, casefold=True, nfkc=True):
    at, tokens = 0, []
    while at < len(text):
        kind, start = reference_class(text[at]), at
        at += 1
        if kind not in ("word", "unspaced"):
            continue
        inside = ("word", "mark") if kind == "word" else ("mark",)
        ahead = at
        while ahead < len(text) and reference_class(text[ahead]) in (*inside, "joiner"):
            ahead += 1
            if reference_class(text[ahead - 1]) in inside:
                at = ahead
        folded = reference_fold(text[start:at], casefold, nfkc)
        if folded:
            tokens.append((folded, start, at))
    return tokens


def known(char):
    """Characters whose properties both Unicode versions agree on."""
    same_version = unicodedata.unidata_version == unicode_version()
    return same_version or unicodedata.category(char) not in ("Cn", "Lo", "So", "Mn")


texts = st.text(st.one_of(st.sampled_from(ODD), st.characters(exclude_categories=["Cs"]).filter(known)), max_size=40)


@settings(max_examples=60, deadline=None)
@given(texts, st.booleans(), st.booleans())
def test_tokens_and_their_places_agree_with_a_plain_tokenizer(text, casefold, nfkc):
    found = [(t.text, t.start, t.end) for t in tokenize(text, casefold=casefold, nfkc=nfkc)]
    assert found == reference_tokens(text, casefold, nfkc)


@settings(max_examples=60, deadline=None)
@given(texts)
def test_the_text_at_a_tokens_place_folds_to_the_token(text):
    for token in tokenize(text):
        assert reference_fold(text[token.start : token.end], True, True) == token.text


def test_every_character_folds_as_python_folds_it():
    chars = [chr(code) for code in range(sys.maxunicode + 1)]
    chars = [char for char in chars if unicodedata.category(char) not in ("Cn", "Co", "Cs") and known(char)]
    # Alone, and after a letter, where a mark may compose with it.
    for block in range(0, len(chars), 1000):
        text = " ".join(f"{char} e{char}" for char in chars[block : block + 1000])
        assert [(t.text, t.start, t.end) for t in tokenize(text)] == reference_tokens(text)
