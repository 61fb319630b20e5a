"""Large arrays of a build: in memory or in nameless files, the same numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from deixis.errors import StoreError
from deixis.store import scratch
from deixis.store.scratch import GrowingArray, concatenated, scratch_in
from deixis.store.sparse_rows_builder import SparseRowsBuilder, row_chunks


@pytest.fixture
def small_files(monkeypatch):
    """Arrays of a few bytes are worth a file."""
    monkeypatch.setattr(scratch, "MIN_BYTES", 16)


def grown(chunks, dtype=np.int32):
    numbers = GrowingArray(dtype)
    for chunk in chunks:
        numbers.extend(np.asarray(chunk))
    return numbers.build()


def is_mapped(array) -> bool:
    while array is not None and not isinstance(array, np.memmap):
        array = getattr(array, "base", None)
    return array is not None


@pytest.mark.parametrize("chunks", [[], [[]], [[1, 2]], [[1], [2, 3], [], [4, 5, 6, 7]], [range(100), [5]]])
def test_an_array_in_a_file_is_the_same_as_in_memory(tmp_path, small_files, chunks):
    in_memory = grown(chunks)
    with scratch_in(tmp_path):
        in_file = grown(chunks)
    assert in_file.dtype == in_memory.dtype == np.int32
    assert in_file.tolist() == in_memory.tolist() == [number for chunk in chunks for number in chunk]
    assert is_mapped(in_file) == (4 * len(in_file) >= 16)
    assert not is_mapped(in_memory)


def test_nothing_is_left_of_the_files(tmp_path, small_files):
    with scratch_in(tmp_path):
        numbers = grown([range(1000)])
        assert not list(tmp_path.iterdir())
    assert numbers[-1] == 999


def test_what_is_outside_of_the_block_stays_in_memory(tmp_path, small_files):
    with scratch_in(tmp_path):
        pass
    assert not is_mapped(grown([range(100)]))


def test_concatenated_takes_the_type_of_the_first(tmp_path, small_files):
    columns = [np.arange(5, dtype=np.uint8), np.arange(300, dtype=np.uint8)]
    with scratch_in(tmp_path):
        joined = concatenated(columns)
    assert joined.dtype == np.uint8 and joined.tolist() == np.concatenate(columns).tolist()


def test_a_folder_without_room_is_an_error_that_names_it(tmp_path, small_files, monkeypatch):
    def full(**_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(scratch.tempfile, "TemporaryFile", full)
    with scratch_in(tmp_path), pytest.raises(StoreError, match=f"{tmp_path}: No space left.* Make room there"):
        grown([range(100)])


def test_rows_put_together_from_chunks_are_the_rows(tmp_path, small_files):
    rows = sparse.random(50, 9, density=0.3, format="csr", dtype=np.float32, random_state=0)
    with scratch_in(tmp_path):
        builder = SparseRowsBuilder(9)
        for chunk in row_chunks(50, 7):
            builder.add(rows[chunk.start : chunk.stop])
        built = builder.build()
    assert built.shape == rows.shape and built.indptr.dtype == np.int32
    for name in ("indptr", "indices", "data"):
        assert getattr(built, name).tolist() == getattr(rows, name).tolist()


def test_chunks_of_no_rows_are_none():
    assert list(row_chunks(0)) == []
    assert SparseRowsBuilder(3).build().shape == (0, 3)
