"""What the benchmark across languages fits to, and what it asks."""

from pathlib import Path

from benchmarks.quality.cross_lingual import SETS, TARGET, Occupations, rows_of
from benchmarks.suites.data import half_of

IDS = [f"o{number}" for number in range(40)]
OCCUPATIONS = Occupations({lang: {each: [f"{lang} {each}"] for each in IDS} for lang in (TARGET, *SETS)}, Path())


def test_only_the_half_that_is_fitted_to_has_names_in_the_other_language():
    half = OCCUPATIONS.half(0)
    kb = OCCUPATIONS.with_names(("de",), half)
    assert len(half) == 20
    assert {entity.id for entity in kb.entities() if any(alias.lang == "de" for alias in entity.aliases)} == half
    assert {alias.lang for entity in OCCUPATIONS.kb.entities() for alias in entity.aliases} == {TARGET}


def test_names_of_the_other_half_and_of_the_split_are_asked_for():
    half = OCCUPATIONS.half(1)
    questions = OCCUPATIONS.names("fr", "test", half)
    gold = set.union(*map(set, questions.accepted))
    assert gold == {each for each in IDS if each not in half and half_of(each) == "test"}
    assert all(mention.text.startswith("fr ") for mention in questions.mentions)


def test_a_row_has_the_mean_and_the_extremes_of_the_halves():
    row = next(rows_of({("cross-lingual/de", "recall@10", "from-de"): [0.2, 0.4, 0.6]}, "dev"))
    assert (row.value, row.low, row.high, row.n) == (0.4, 0.2, 0.6, 3)
