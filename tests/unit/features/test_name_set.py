import numpy as np
import pytest

from deixis.features.name_set import NameSet, folded


def test_names_that_differ_in_case_spacing_or_compatible_characters_are_one():
    names = NameSet.of(["New  York", "Straße", "ﬁne", "Zu\u0308rich"])
    assert names.holds(["NEW YORK", " new\tyork\n", "STRASSE", "fine", "ZÜRICH", "Ｎｅｗ Ｙｏｒｋ"]).all()
    assert not names.holds(["NewYork", "York", "Zurich", ""]).any()


@pytest.mark.parametrize("name", ["ΐ", "ΰ", "ǰ", "ﬃ", "ŉ", "İstanbul", "ΆΙΔΗΣ", "ᾳ", "ͅΑ"])
def test_a_name_folds_to_the_same_in_capitals_and_when_folded_again(name):
    assert folded(name.upper()) == folded(name) == folded(folded(name))


def test_an_empty_set_holds_nothing():
    assert NameSet().holds(["Paris", ""]).tolist() == [False, False]
    assert NameSet.of([]).holds([]).tolist() == []
    assert NameSet.of(["Paris"]).holds([]).tolist() == []


def test_it_holds_just_what_it_was_given_the_first_and_the_last_hash_too():
    given, others = [f"name {n}" for n in range(500)], [f"other {n}" for n in range(500)]
    names = NameSet.of(given * 2)
    assert len(names.hashes) == 500 and names.hashes.dtype == np.uint64
    assert names.holds(given).all() and not names.holds(others).any()


def test_a_set_is_its_hashes():
    names = NameSet.of(["Paris", "Troy"])
    assert NameSet(names.hashes).holds(["troy", "london"]).tolist() == [True, False]


def test_damaged_hashes_hold_something_else_and_crash_nothing():
    damaged = NameSet(NameSet.of([f"name {n}" for n in range(50)]).hashes[::-1].copy())
    assert damaged.holds(["name 3", "Paris"]).dtype == bool
