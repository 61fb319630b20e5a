import pytest

from deixis.features.encoders.wordpiece import WordPieces, words

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
