"""How well names are spelled as others are: similarity, shared words, and whether one name has them all."""

import numpy as np
import pytest

from deixis.native import _core
from deixis.store.string_hashes import hash_strings
from deixis.store.strings import StringTable


def spelled(query, *names, fillers=("of", "the")):
    keys = StringTable.from_strings([query, *names])
    hashes = np.sort(hash_strings(StringTable.from_strings(fillers)))
    numbers = np.arange(1, len(names) + 1)
    rows = _core.name_spelling(keys.data, keys.offsets, np.array([0]), np.array([0, len(names)]), numbers, hashes)
    return rows.tolist()


def test_the_best_of_several_names_counts():
    assert spelled("new york", "york", "new york") == [1.0, 1.0, 1.0]
    assert spelled("new york", "old york") == [0.625, 0.5, 0.0]


def test_words_that_begin_alike_are_shared_and_not_the_same():
    assert spelled("norwegian", "norway") == [pytest.approx(2 * 5 / 15), 1.0, 0.0]
    assert spelled("oslo", "osl")[1:] == [0.0, 0.0]


def test_fillers_weigh_a_tenth():
    assert spelled("bank of the", "bank")[1] == pytest.approx(1 / 1.2)
    assert spelled("of the", "of")[1] == pytest.approx(0.5)


def test_scripts_without_spaces_are_read_in_twos():
    assert spelled("東京", "東京大学")[1:] == [1.0, 1.0]
    assert spelled("京東", "東京大学")[1:] == [0.0, 0.0]


def test_what_has_no_words_is_like_nothing():
    assert spelled("", "paris") == spelled("-", "paris") == spelled("paris") == spelled("paris", "-") == [0.0, 0.0, 0.0]


def test_numbers_of_names_must_be_those_of_keys():
    keys = StringTable.from_strings(["paris"])
    none = np.zeros(0, dtype=np.uint64)
    with pytest.raises(ValueError, match="names"):
        _core.name_spelling(keys.data, keys.offsets, np.array([0]), np.array([0, 1]), np.array([1]), none)
