"""Names that no list has, by how a text writes them."""

import pytest

from deixis.detection.unknown_names import unknown_names


def names(text, linked=()):
    return [text[start:end] for start, end in unknown_names(text, linked)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("nothing here has capitals", []),
        ("However, it rained. Please wait.", []),
        ("We met on Monday, 3 May 2024, and in June.", []),
        ("The Vortex Blender leaks.", ["Vortex Blender"]),
        ("Ask Ann Troy. Later Ann Troy came.", ["Ann Troy", "Ann Troy"]),
        ("He met Prime Minister Costas Simitis and Mrs Zwingmann.", ["Costas Simitis", "Zwingmann"]),
        ("He works at the Bank of Zorland now.", ["Bank of Zorland"]),
        ("Is the Polar Ice Maker 3000 here?", ["Polar Ice Maker 3000"]),
        ("He scored c Croft 46 Ijaz Ahmed 12 in all", ["Croft", "Ijaz Ahmed 12"]),
        ("SOCCER RESULTS OF TODAY ARE OUT", []),
        ("the NFU said the X-linked type II is EU-wide", ["NFU"]),
        ("Zwingmann’s car, Quokka's grip: a Quokka", ["Quokka", "Quokka"]),
        ("北京 和 東京タワー مدينة القاهرة", []),
        ("\ud800 Ann\u0000Troy \u200fAnn Troy", ["Ann", "Troy", "Ann Troy"]),
    ],
)
def test_names_are_runs_of_capitals_that_are_no_ordinary_words(text, expected):
    assert names(text) == expected


def test_every_occurrence_counts_in_any_case_and_number():
    text = "The Vortex Blender leaks. Two Vortex Blenders and a vortex blender came."
    assert names(text) == ["Vortex Blender", "Vortex Blenders", "vortex blender"]


def test_what_is_linked_or_around_it_is_no_unknown_name():
    text = "He saw the New Paris Metro and Ann Troy."
    assert names(text, [(15, 20)]) == ["Ann Troy"]


def test_german_nouns_are_no_names():
    text = "Der Hund und die Katze sitzen auf dem Dach, das mit der Firma Kolbe Werke nicht fertig ist."
    assert names(text) == ["Firma Kolbe Werke"]
