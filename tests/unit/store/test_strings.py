"""String tables and their hashes."""

import numpy as np
import pytest

from deixis.errors import StoreError
from deixis.store import string_hashes, strings
from deixis.store.string_hashes import equal_strings, hash_string, hash_strings
from deixis.store.strings import StringTable

WORDS = ["Paris", "", "Zürich", "東京", "", "a" * 500, "Paris"]


def test_rows_are_taken_in_any_order_and_in_blocks(monkeypatch):
    table = StringTable.from_strings(WORDS)
    chosen = [5, 0, 1, 6, 3, 3, 4]
    assert list(table.take(chosen)) == [WORDS[row] for row in chosen]
    monkeypatch.setattr(strings, "_BLOCK_BYTES", 7)
    assert list(table.take(np.array(chosen))) == [WORDS[row] for row in chosen]
    assert list(table.take([])) == []


def test_a_lone_surrogate_becomes_a_replacement_character():
    assert list(StringTable.from_strings(["a\ud800b", "\udc00", "\ud83d\ude00"])) == ["a\ufffdb", "\ufffd", "😀"]


def test_a_row_outside_the_table_is_an_index_error():
    table = StringTable.from_strings(["a"])
    for row in (-1, 1):
        with pytest.raises(IndexError):
            table[row]


@pytest.mark.parametrize("offsets", [[], [0], [1, 5], [0, 4], [0, 6], [0, 4, 3, 5], [0, 2**63 - 1, -2, 5]])
def test_offsets_that_do_not_fit_the_bytes_are_refused(offsets):
    arrays = {"t.offsets": np.array(offsets, np.int64), "t.data": np.zeros(5, np.uint8)}
    with pytest.raises(StoreError, match=r"t\.offsets"):
        StringTable.from_arrays(arrays, "t")


def test_damaged_bytes_are_a_store_error_when_they_are_read():
    table = StringTable(np.array([0, 2, 4]), np.frombuffer(b"ok\xffx", np.uint8))
    assert table[0] == "ok"
    with pytest.raises(StoreError, match=r"xffx' is not UTF-8\. The model is damaged"):
        table[1]


def test_arrays_that_are_missing_or_of_another_type_are_named():
    good = StringTable.from_strings(WORDS).to_arrays("t")
    assert list(StringTable.from_arrays(good, "t")) == WORDS
    for name in good:
        with pytest.raises(StoreError, match=name):
            StringTable.from_arrays({key: array for key, array in good.items() if key != name}, "t")
        with pytest.raises(StoreError, match=name):
            StringTable.from_arrays(good | {name: good[name].astype(np.int32)}, "t")


def test_a_string_has_the_same_hash_alone_and_among_many(monkeypatch):
    expected = [hash_string(word) for word in WORDS]
    assert hash_strings(StringTable.from_strings(WORDS)).tolist() == expected
    monkeypatch.setattr(string_hashes, "_BLOCK_BYTES", 3)
    assert hash_strings(StringTable.from_strings(WORDS)).tolist() == expected
    assert hash_strings(StringTable.from_strings([])).tolist() == []


def test_hashes_do_not_change_between_versions():
    assert hash_string("Paris") == 0xB790B2C7085BA7D9
    assert hash_string("東京") == 0x367414F9DBA15FA6


def test_a_hundred_thousand_similar_strings_have_different_hashes():
    hashes = hash_strings(StringTable.from_strings(f"{n:x}" for n in range(100_000)))
    assert len(np.unique(hashes)) == 100_000


def test_equal_strings_are_compared_byte_by_byte():
    table = StringTable.from_strings(WORDS)
    left, right = np.array([0, 1, 0, 2, 1]), np.array([6, 4, 2, 3, 0])
    assert equal_strings(table, left, right).tolist() == [True, True, False, False, False]


def test_several_strings_are_the_same_as_one_by_one():
    table = StringTable.from_strings(["Paris", "", "Zürich", "北京", "🦕"])
    rows = [4, 0, 0, 1, 3]
    assert table.strings(rows) == [table[row] for row in rows]
    assert table.strings([]) == [] == StringTable.from_strings([]).strings(np.zeros(0, np.int64))


def test_a_damaged_string_among_several_is_named():
    table = StringTable(np.array([0, 2, 4]), np.frombuffer(b"ok\xff\xfe", np.uint8))
    assert table.strings([0]) == ["ok"]
    with pytest.raises(StoreError, match="not UTF-8"):
        table.strings([0, 1])
