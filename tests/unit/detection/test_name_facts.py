"""What the list says of its names: how descriptions write them, who has them, and what the whole list is like."""

import numpy as np
import pytest

from deixis.detection.name_facts import FACTS, NameFacts
from deixis.detection.names import NameMatcher
from deixis.detection.words import common_words
from deixis.errors import StoreError
from deixis.store.strings import StringTable


def facts_of(names: list[str], texts: list[str] = (), titles: list[str] | None = None) -> tuple[NameMatcher, NameFacts]:
    table = StringTable.from_strings(names)
    matcher = NameMatcher.build(table)
    own_titles = table if titles is None else StringTable.from_strings(titles)
    return matcher, NameFacts.build(matcher, table, own_titles, StringTable.from_strings(list(texts)))


def counts(names: list[str], texts: list[str], asked: str) -> tuple[int, int]:
    """How often descriptions write a name with a capital, and in lower case."""
    matcher, facts = facts_of(names, texts)
    (row,) = facts.of(matcher.numbers(StringTable.from_strings([asked])))
    n_upper, n_lower = np.expm1(row[:2]).round().astype(int).tolist()
    return n_upper, n_lower


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a jaguar and two jaguars", (0, 2)),
        ("a Jaguar and the JAGUAR here", (2, 0)),
        ("Jaguar is a cat. Jaguars run.", (0, 0)),  # where a sentence begins, a capital says nothing
        ("ALL JAGUAR CATS RUN", (0, 0)),
        ("the Jaguar Cars plant", (0, 0)),  # a longer name covers it
    ],
)
def test_descriptions_say_how_a_name_is_written_where_its_case_is_evidence(
    text: str, expected: tuple[int, int]
) -> None:
    assert counts(["Jaguar", "Jaguar Cars"], [text], "Jaguar") == expected


def test_every_form_of_a_name_is_counted_together() -> None:
    texts = ["two beta blockers, a beta-blocker and beta-blockers' effect", "no Beta blocker"]
    assert counts(["Beta-blocker"], texts, "beta blockers") == (1, 3)


def test_longer_names_and_titles_are_known_by_name() -> None:
    matcher, facts = facts_of(["York", "New York", "New York City"], titles=["New York City", "nothing"])
    rows = facts.of(matcher.numbers(StringTable.from_strings(["York", "New York", "New York City"])))
    assert np.expm1(rows[:, FACTS.index("n_longer")]).round().tolist() == [2, 1, 0]
    assert rows[:, FACTS.index("is_title")].tolist() == [0, 0, 1]


def test_what_is_no_name_has_no_facts() -> None:
    _, facts = facts_of(["Troy"], ["in Troy"])
    assert (facts.of(np.array([-1, -1], dtype=np.int32)) == 0).all()


def test_a_list_of_common_words_says_so() -> None:
    towns, words = facts_of(["Oslo", "Troy"])[1], facts_of(list(common_words())[:300])[1]
    assert towns.common_fraction == 0 and 0.05 < words.common_fraction < 0.2


def test_names_in_capitals_are_no_common_words() -> None:
    capitals = [word.upper() for word in list(common_words())[:300]]
    assert facts_of(capitals)[1].common_fraction == 0


def test_a_list_says_whether_its_names_are_written_in_lower_case() -> None:
    diseases = facts_of(["Asthma", "Lung cancer", "Heart disease", "Water"])[1]
    towns = facts_of(["London", "Paris", "New York", "Chicago"])[1]
    assert diseases.lower_fraction > 0.6 > 0.3 > towns.lower_fraction
    assert facts_of(["Zorblatt", "Xyzzyx"])[1].lower_fraction == 0.5  # nothing is known


def test_names_that_are_compared_alike_count_once() -> None:
    assert facts_of(["Asthma", "asthma", "Asthmas", "Troy", "X"])[1].n_names == 2


def test_an_empty_list_has_facts_too() -> None:
    matcher, facts = facts_of([])
    assert facts.n_names == 0 and facts.common_fraction == 0 and len(matcher.spans(["any text"])) == 0


def test_facts_are_stored_and_come_back_the_same() -> None:
    _, facts = facts_of(["Troy", "New Troy"], ["the Troy of old"])
    arrays = facts.to_arrays("f")
    again = NameFacts.from_arrays(arrays, "f")
    assert (again.table == facts.table).all()
    assert (again.common_fraction, again.lower_fraction, again.n_names) == (
        facts.common_fraction,
        facts.lower_fraction,
        2,
    )
    with pytest.raises(StoreError, match="f.common_fraction"):
        NameFacts.from_arrays(arrays | {"f.common_fraction": np.array(2.0)}, "f")
