"""Windows by tokenizers that are not BERT's: sentence pieces and bytes, in scripts of all kinds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

from deixis.features.tokens import tokenize
from deixis.neural.windows import MARKER, TokenWindows
from deixis.types import MentionInContext
from tests.tiny_encoders import sentence_pieces

JAPANESE = "昨日の夜、彼は京都から東京へ行きました。そして朝まで友達と話しました。"
ARABIC = "وصل الوزير إلى القاهرة أمس، ثم سافر إلى الجزائر في المساء مع أصدقائه."
TURKISH = "Dün gece İstanbul'da yağmur yağdı, sabah ISPARTA'DA güneş açtı."
HINDI = "कल रात वह दिल्ली से मुंबई गया और सुबह तक दोस्तों से बात की।"
THAI = "เมื่อคืนเขาไปกรุงเทพมหานครและพูดคุยกับเพื่อนจนถึงเช้า"
EMOJI = "we 👩🏽‍🚀 flew to Paris 🇫🇷🗼 and ate e\u0301clairs 🥐❤️ all day"
TEXTS = [JAPANESE, ARABIC, TURKISH, HINDI, THAI, EMOJI, "we flew to Paris and ate all day [M]"]


def with_marker(tokenizer, **how):
    tokenizer.add_special_tokens([AddedToken(MARKER, special=True, normalized=False, **how)])
    return TokenWindows(tokenizer)


def of_bytes():
    """Every byte is a token, a space counts with the word after it: many tokens for one character."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({sign: number for number, sign in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return tokenizer


WINDOWS = {
    "xlm-r": with_marker(sentence_pieces(TEXTS)),
    "spaces are pieces": with_marker(sentence_pieces(TEXTS, splits_at_spaces=False)),
    "marker takes the space": with_marker(sentence_pieces(TEXTS, splits_at_spaces=False), lstrip=True),
    "marker unknown": TokenWindows(sentence_pieces(TEXTS)),
    "few pieces": with_marker(sentence_pieces(TEXTS, n_pieces=40)),
    "bytes": with_marker(of_bytes()),
}


@pytest.fixture(params=list(WINDOWS))
def windows(request):
    return WINDOWS[request.param]


def mention_of(text, name):
    start = text.index(name)
    return MentionInContext(name, text, start, start + len(name))


MENTIONS = [
    mention_of(JAPANESE, "東京"),
    mention_of(ARABIC, "القاهرة"),
    mention_of(TURKISH, "ISPARTA'DA"),
    mention_of(HINDI, "मुंबई"),
    mention_of(THAI, "กรุงเทพมหานคร"),
    mention_of(EMOJI, "Paris"),
]


@pytest.mark.parametrize("marker", [MARKER, ""])
@pytest.mark.parametrize("n_tokens", [48, 64, 96])
def test_in_every_script_a_window_is_full_of_whole_words_around_a_whole_mention(windows, n_tokens, marker):
    found = windows.around(MENTIONS, n_tokens, marker)
    assert max(windows.n_tokens(found)) <= n_tokens
    for window, mention in zip(found, MENTIONS, strict=True):
        assert mention.text in window
        if marker:
            assert window.split(MARKER)[1].strip() == mention.text
        words = {mention.document_text[word.start : word.end] for word in tokenize(mention.document_text)}
        parts = window.split(f"{MARKER} {mention.text} {MARKER}" if marker else mention.text)
        assert {part[word.start : word.end] for part in parts for word in tokenize(part)} <= words


def test_a_text_without_spaces_gives_context_and_heads():
    windows, mention = WINDOWS["xlm-r"], MENTIONS[0]
    (found,) = windows.around([mention], 14)
    before, _, after = found.split(MARKER)
    assert mention.document_text.count(before.strip()) == 1 and len(before.strip()) >= 3 and len(after.strip()) >= 3
    (head,) = windows.heads([JAPANESE], 10)
    assert JAPANESE.startswith(head) and len(head) >= 8


def test_a_space_in_a_long_text_without_spaces_hides_nothing_before_it():
    text = "京" * 2000 + " 東京へ行きました"
    (found,) = WINDOWS["xlm-r"].around([mention_of(text, "東京")], 32)
    assert found.split(MARKER)[0].count("京") > 8


def test_a_mark_stays_on_its_letter(windows):
    text = "e\u0301 " * 30 + "Paris" + " e\u0301" * 30
    for n_tokens in range(16, 26):
        (found,) = windows.around([mention_of(text, "Paris")], n_tokens)
        assert "e" not in found.replace("e\u0301", "").replace("Paris", "")
        (head,) = windows.heads([text], n_tokens)
        assert 0 < head.count("e") == head.count("\u0301")


def test_signs_of_sentence_pieces_in_a_text_are_only_text():
    text = "<s> a </s> Paris <mask> [M]"
    (found,) = WINDOWS["xlm-r"].around([mention_of(text, "Paris")], 64)
    tokens = WINDOWS["xlm-r"].tokenizer.encode(found, add_special_tokens=False).tokens
    assert tokens.count(MARKER) == 2 and not {"<s>", "</s>", "<mask>"} & set(tokens)


def test_what_fits_by_itself_gets_a_window_and_what_does_not_gets_none(windows):
    for mention in MENTIONS:
        (needed,) = windows.n_tokens([f"{MARKER} {mention.text} {MARKER}"])
        assert windows.fits([mention], needed) == [True] and windows.fits([mention], needed - 1) == [False]
        (found,) = windows.around([mention], needed)
        assert found == f"{MARKER} {mention.text} {MARKER}"


def test_half_a_character_is_one_sign_of_its_own(windows):
    found = windows.around([mention_of("a \ud800 Paris \udfff b", "Paris")], 64)
    assert found[0].count("\ufffd") == 2 and windows.heads(["\ud800"], 8) == ["\ufffd"]


def test_a_long_name_is_cut_to_what_has_room_with_markers(windows):
    names = [text.replace(" ", "  ") for text in TEXTS[:6]] + ["Paris"]
    for n_tokens in (24, 40):
        for name, fitted in zip(names, windows.fitting(names, n_tokens), strict=True):
            assert name.startswith(fitted)
            assert windows.fits([MentionInContext(fitted, fitted, 0, len(fitted))], n_tokens) == [True]
    assert windows.fitting(names, 1000) == names


ANY = st.text(alphabet="ab é東京はاقมุ🥐e\u0301\u200d\u0644\ufdfa\n[]M<s>/▁", max_size=30)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(list(WINDOWS)), ANY, ANY, ANY, st.integers(4, 40), st.booleans())
def test_no_window_and_no_head_has_more_tokens_than_asked(kind, before, text, after, n_tokens, is_marked):
    windows, marker = WINDOWS[kind], MARKER if is_marked else ""
    mention = MentionInContext(text, before + text + after, len(before), len(before) + len(text))
    assert max(windows.n_tokens(windows.heads([before, text, after], n_tokens))) <= n_tokens
    if windows.fits([mention], n_tokens, marker)[0]:
        (found,) = windows.around([mention], n_tokens, marker)
        assert windows.n_tokens([found])[0] <= n_tokens
        assert windows.plain(text) in found
