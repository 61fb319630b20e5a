import numpy as np
import pytest
from scipy import sparse

from deixis.errors import DataError
from deixis.xmr.sparse_rows import SparseRows

DENSE = np.array([[0, 2, 0], [1, 0, 3]], dtype=np.float32)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
def test_every_sparse_format_gives_the_same_rows(form):
    for matrix in (sparse.csr_matrix(DENSE).asformat(form), sparse.csr_array(DENSE).asformat(form)):
        rows = SparseRows.of(matrix)
        assert (rows.indptr.tolist(), rows.indices.tolist(), rows.data.tolist()) == ([0, 1, 3], [1, 0, 2], [2, 1, 3])


@pytest.mark.parametrize("dtype", [np.float64, np.float16, np.int64, np.uint8, bool])
def test_dense_tables_of_any_number_type_are_read(dtype):
    rows = SparseRows.of(DENSE.astype(dtype))
    assert rows.data.dtype == np.float32
    assert rows.matrix().toarray().tolist() == DENSE.astype(dtype).astype(np.float32).tolist()


def test_indices_of_64_bits_are_taken():
    matrix = sparse.csr_matrix(DENSE)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    assert SparseRows.of(matrix).indices.dtype == np.int32


def test_repeated_places_are_summed_and_sorted_and_the_input_is_left_alone():
    matrix = sparse.csr_matrix((np.array([1.0, 2.0, 4.0]), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 3))
    rows = SparseRows.of(matrix)
    assert (rows.indices.tolist(), rows.data.tolist()) == ([0, 2], [2, 5])
    assert matrix.indices.tolist() == [2, 0, 2]


def test_repeated_small_integers_do_not_wrap_around():
    matrix = sparse.csr_matrix((np.array([200, 200], dtype=np.uint8), np.array([0, 0]), np.array([0, 2])), shape=(1, 1))
    assert SparseRows.of(matrix).data.tolist() == [400]


def test_a_sound_matrix_is_not_copied():
    matrix = sparse.csr_matrix(DENSE)
    assert np.shares_memory(SparseRows.of(matrix).data, matrix.data)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300])
def test_what_is_no_finite_number_is_refused(value):
    with pytest.raises(DataError, match="feature matrix has values that are not finite"):
        SparseRows.of(np.array([[1.0, value]]), "feature matrix")


@pytest.mark.parametrize(
    "matrix", [np.zeros(3), np.zeros((2, 2, 2)), 7, [["a", "b"]], np.array([[1j]]), None, [[None]]]
)
def test_what_is_no_table_of_numbers_is_refused(matrix):
    with pytest.raises(DataError, match="rows and columns of numbers"):
        SparseRows.of(matrix)


@pytest.mark.parametrize(
    ("part", "values"),
    [
        ("indices", [1, 0, 3]),
        ("indices", [1, -1, 2]),
        ("indices", [1, 0, 2**32]),
        ("indptr", [0, 3, 1]),
        ("indptr", [0, -5, 3]),
        ("indptr", [1, 2, 3]),
        ("indptr", [0, 1, 400]),
        ("indptr", [0, 1, -1]),
    ],
)
def test_a_damaged_csr_matrix_never_reaches_the_core(part, values):
    matrix = sparse.csr_matrix(DENSE)
    setattr(matrix, part, np.array(values, dtype=np.int64))
    with pytest.raises(DataError, match="damaged CSR"):
        SparseRows.of(matrix)


def test_values_beyond_the_last_row_are_left_out():
    matrix = sparse.csr_matrix(DENSE)
    matrix.indptr = np.array([0, 1, 2], dtype=np.int32)
    assert SparseRows.of(matrix).data.tolist() == [2, 1]


def test_indicators_are_ones_and_stored_zeros_are_gone():
    matrix = sparse.csr_matrix((np.array([5.0, 0.0, -1.0]), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
    rows = SparseRows.of(matrix).indicators()
    assert (rows.indptr.tolist(), rows.indices.tolist(), rows.data.tolist()) == ([0, 1, 2], [0, 1], [1, 1])


def test_matrices_without_rows_or_columns_are_fine():
    assert SparseRows.of(np.zeros((0, 4))).n_rows == 0
    assert SparseRows.of(np.zeros((4, 0))).n_columns == 0
