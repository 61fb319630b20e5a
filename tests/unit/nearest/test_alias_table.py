import numpy as np
import pytest

from deixis.errors import StoreError
from deixis.nearest.alias_table import KeyEntries, KeyTable
from deixis.store.string_hashes import hash_strings
from deixis.store.strings import StringTable


def table(entries, n_rows=10, max_rows=0):
    """From (key, row, kind, spelling, weight, count)."""
    keys, *columns = zip(*entries, strict=True)
    dtypes = ("i4", "i2", "u4", "f4", "f4")
    columns = [np.array(column, dtype) for column, dtype in zip(columns, dtypes, strict=True)]
    names = StringTable.from_strings(keys)
    return KeyTable.build(names, KeyEntries(np.arange(len(keys)), *columns), n_rows, max_rows)


def found(keys, wanted):
    entries = keys.find(StringTable.from_strings(wanted))
    return list(zip(entries.keys.tolist(), entries.rows.tolist(), entries.counts.tolist(), strict=True))


def test_entries_of_one_key_row_kind_and_spelling_are_added_up():
    keys = table([("a", 1, 0, 0, 1, 2), ("b", 2, 0, 0, 1, 5), ("a", 1, 0, 0, 1, 3), ("a", 1, 1, 0, 1, 7)])
    assert len(keys) == 2
    assert found(keys, ["a"]) == [(0, 1, 5), (0, 1, 7)]
    assert [entry[2] for entry in found(keys, ["b", "zz", "b"])] == [5, 5]


def test_keys_that_are_not_there_and_empty_ones_find_nothing():
    keys = table([("a", 1, 0, 0, 1, 1), ("", 2, 0, 0, 1, 1)])
    assert found(keys, ["", "b"]) == [] and found(keys, []) == []
    empty = KeyTable.build(StringTable.from_strings([]), keys.find(StringTable.from_strings([])), 10)
    assert len(empty) == 0 and found(empty, ["a"]) == []


def test_large_counts_do_not_lose_small_ones():
    keys = table([("a", 1, 0, 0, 0, 2.0**24)] + [("a", 1, 0, 0, 0, 1)] * 8)
    assert found(keys, ["a"]) == [(0, 1, 2.0**24 + 8)]


def test_only_the_best_rows_of_a_key_are_kept_with_all_their_spellings():
    entries = [
        ("a", 1, 0, 5, 1, 1),
        ("a", 1, 0, 6, 1, 3),
        ("a", 2, 0, 5, 9, 3),
        ("a", 3, 0, 5, 1, 9),
        ("b", 7, 0, 5, 1, 0),
    ]
    assert found(table(entries, max_rows=2), ["a", "b"]) == [(0, 1, 1), (0, 1, 3), (0, 3, 9), (1, 7, 0)]


def test_shares_blend_counts_with_weights():
    entries = KeyEntries(
        np.array([0, 0, 1, 2]), np.array([1, 2, 3, 4], "i4"), np.zeros(4, "i2"), np.zeros(4, "u4"),
        np.array([3, 1, 0, 0], "f4"), np.array([0, 1, 4, 0], "f4"),
    )  # fmt: skip
    starts, rows, shares = entries.shares(np.zeros(3, "u4"), weight_strength=1.0)
    assert starts.tolist() == [0, 2, 3, 4] and rows.tolist() == [1, 2, 3, 4]
    assert shares.tolist() == [0.375, 0.625, 1.0, 0.0]


def test_entries_written_as_the_key_is_decide_a_part_of_it_alone():
    upper, title, other = 1 << 16 | 7, 2 << 16 | 7, 3 << 16 | 8
    entries = KeyEntries(
        np.zeros(4, "i8"), np.array([1, 2, 3, 1], "i4"), np.zeros(4, "i2"),
        np.array([upper, title, other, other], "u4"), np.ones(4, "f4"), np.zeros(4, "f4"),
    )  # fmt: skip
    _, _, shares = entries.shares(np.array([title], "u4"), weight_strength=0.5, close_share=0.5)
    # Among all 2/4, 1/4, 1/4; among those in whichever case 1/2, 1/2, 0; to the letter 0, 1, 0.
    assert shares.tolist() == [0.25, 0.6875, 0.0625]


def test_a_key_is_found_by_the_hash_that_built_the_table():
    names = ["a", "zürich", "東京", "x" * 300]
    keys = table([(name, row, 0, 0, 1, 1) for row, name in enumerate(names)])
    assert [row for _, row, _ in found(keys, names)] == [0, 1, 2, 3]


def test_many_entries_of_a_row_add_up_to_the_same_whatever_stands_beside_them():
    weights = np.random.default_rng(0).random(300).astype("f4")
    entries = KeyEntries(
        np.zeros(300, "i8"), np.repeat([4, 9], [299, 1]).astype("i4"), np.zeros(300, "i2"), np.zeros(300, "u4"),
        weights, np.zeros(300, "f4"),
    )  # fmt: skip
    _, _, shares = entries.shares(np.zeros(1, "u4"), weight_strength=1.0)
    total = np.float32(np.add.reduceat(weights.astype(float), [0, 299])[0])
    assert shares[0] == np.float32(float(total) / (float(total) + float(weights[299])))


def test_what_is_stored_finds_the_same():
    keys = table([("a", 1, 0, 0, 1, 2), ("b", 2, 0, 0, 1, 5)])
    again = KeyTable.from_arrays(keys.to_arrays("x"), "x", n_entities=10)
    assert found(again, ["b", "a"]) == found(keys, ["b", "a"])
    with pytest.raises(StoreError, match="'x.n_rows' is 10, but n_entities is 9"):
        KeyTable.from_arrays(keys.to_arrays("x"), "x", n_entities=9)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rows", 99),
        ("rows", -1),
        ("starts", 2**32 - 5),
        ("starts", 99),
        ("counts", np.nan),
        ("weights", -1),
        ("counts", np.inf),
    ],
)
def test_damage_is_noticed_when_it_is_met(name, value):
    arrays = table([("a", 1, 0, 0, 1, 2)]).to_arrays("x")
    arrays[f"x.{name}"] = np.full_like(arrays[f"x.{name}"], value)
    keys = KeyTable.from_arrays(arrays, "x", n_entities=10)
    with pytest.raises(StoreError, match="damaged"):
        keys.find(StringTable.from_strings(["a"]))


def test_short_keys_have_different_hashes():
    letters = "abcdefghijklmnopqrstuvwxyzäß'- 0123"
    names = [a + b + c for a in letters for b in letters for c in letters]
    assert len(np.unique(hash_strings(StringTable.from_strings(names)))) == len(names)
