"""What the compiled core refuses names the argument that does not fit."""

import numpy as np
import pytest

from deixis.native import _core

INDPTR = np.array([0, 1, 2], dtype=np.int64)
INDICES = np.array([0, 1], dtype=np.int32)
DATA = np.ones(2, dtype=np.float32)


def dots(**changed):
    """Two unit rows with themselves; some arguments are others."""
    arguments = {
        "left_indptr": INDPTR, "left_indices": INDICES, "left_data": DATA, "starts": INDPTR,
        "right_indptr": INDPTR, "right_indices": INDICES, "right_data": DATA,
        "partners": np.array([0, 1]), "n_threads": 1,
    }  # fmt: skip
    return _core.row_dots(**{**arguments, **changed})


def test_arguments_that_fit_are_taken():
    assert dots().tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("name", "array", "wanted", "got"),
    [
        ("left_data", DATA.astype(np.float64), "float32", "float64 of shape (2,)"),
        ("left_indices", INDICES.astype(np.int64), "int32", "int64 of shape (2,)"),
        ("right_indices", np.zeros((2, 1), np.int32), "int32", "int32 of shape (2, 1)"),
        ("starts", np.arange(6)[::2], "int64", "int64 of shape (3,), not contiguous"),
        ("partners", [0, 1], "int64", "list"),
    ],
)
def test_an_array_of_another_type_or_layout_is_refused_by_its_name_and_never_converted(name, array, wanted, got):
    with pytest.raises(TypeError) as refused:
        dots(**{name: array})
    assert str(refused.value) == f"{name} must be a contiguous array of {wanted} with 1 dimension(s), got {got}."


def test_arrays_are_taken_wherever_they_lie(tmp_path):
    frozen, mapped = DATA.copy(), np.memmap(tmp_path / "data", np.float32, "w+", shape=2)
    frozen.flags.writeable, mapped[:] = False, 1
    shifted = np.frombuffer(b"\0" * 3 + DATA.tobytes(), np.uint8)[3:].view(np.float32)
    for data in (frozen, mapped, np.frombuffer(DATA.tobytes(), np.float32), memoryview(DATA), shifted):
        assert dots(left_data=data).tolist() == [1.0, 1.0]
    with pytest.raises(TypeError, match="got >f4"):
        dots(left_data=DATA.astype(">f4"))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"left_indptr": INDPTR[:0]}, "left_indptr is empty; it needs one item for each row and one more."),
        ({"left_indptr": INDPTR + 1}, "left_indptr goes from 1 to 3; it must go from 0 to 2, the number of items."),
        ({"left_data": DATA[:1]}, "left_data has 1 items; it needs 2, one for each column."),
        ({"starts": INDPTR[:2]}, "starts has 2 items; it needs 3, one for each row and one more."),
        ({"starts": np.array([0, 3, 2])}, "starts falls from 3 to 2 at row 1."),
        ({"partners": np.array([0, 2])}, "partners[1] is 2; it must lie in 0..1."),
        ({"partners": np.array([-1, 0])}, "partners[0] is -1; it must lie in 0..1."),
    ],
)  # fmt: skip
def test_sizes_and_numbers_that_do_not_fit_are_refused_by_name(changed, message):
    with pytest.raises(ValueError) as refused:
        dots(**changed)
    assert str(refused.value) == message


def test_an_array_in_a_list_is_refused_by_its_place():
    starts = [INDPTR, INDPTR.astype(np.int32)]
    with pytest.raises(TypeError, match=r"^row_starts\[1\] must be a contiguous array of int64"):
        _core.balanced_order(INDPTR, INDICES, DATA, 2, starts, starts[:1], 10, 1, 0, 1)


def test_a_number_out_of_bounds_is_refused_by_name():
    with pytest.raises(ValueError, match=r"^k is 0; it must be at least 1\.$"):
        _core.best_of_rows(INDPTR, DATA, 0, 1)
    with pytest.raises(ValueError, match=r"^block_size is 257; it must lie in 1\.\.256\.$"):
        _core.build_blocks(INDPTR, INDICES, DATA, 2, 257)
    with pytest.raises(ValueError, match=r"^restart is 2; it must lie in 0\.\.1\.$"):
        _core.label_walks(INDPTR, INDICES, INDPTR, INDICES, 10, 2.0, 1, 0, 1)


def test_read_only_arrays_are_taken_where_they_lie():
    data = DATA.copy()
    data.flags.writeable = False
    assert dots(left_data=data).tolist() == [1.0, 1.0]


def test_what_check_rows_finds_has_a_name():
    states = [
        _core.check_rows(INDPTR, INDICES, DATA, 2),
        _core.check_rows(np.array([0, 2]), INDICES[::-1].copy(), DATA, 2),
        _core.check_rows(INDPTR, INDICES, np.array([1, np.nan], dtype=np.float32), 2),
        _core.check_rows(INDPTR, INDICES, DATA, 1),
    ]
    state = _core.RowsState
    assert states == [state.SOUND, state.UNSORTED, state.NOT_FINITE, state.DAMAGED]


@pytest.mark.parametrize("n", [0, 1, 512, 513, 5000])
def test_arrays_of_any_size_come_back_as_arrays_of_their_own(n):
    values = np.linspace(-3, 3, n)
    results = _core.expit(values)
    assert isinstance(results, np.ndarray) and (results.dtype, results.shape) == (np.float64, (n,))
    assert results.flags.c_contiguous and results.flags.writeable and not np.shares_memory(results, values)
    np.testing.assert_allclose(results, 1 / (1 + np.exp(-values)))
