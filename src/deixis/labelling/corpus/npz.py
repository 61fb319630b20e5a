"""Sparse matrices in and out of `.npz`, as `scipy.sparse.save_npz` writes them; nothing is ever unpickled."""

from __future__ import annotations

import os
import zipfile

import numpy as np
from scipy import sparse

from deixis.errors import DataError


def read_npz(path: str | os.PathLike[str]) -> sparse.csr_matrix:
    """The matrix of the file, by rows, as 32-bit floats, columns in order.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "X.npz"
    >>> write_npz(sparse.csr_matrix([[0.0, 0.5]]), path)
    >>> read_npz(path).toarray().tolist()
    [[0.0, 0.5]]
    """
    try:
        with open(path, "rb") as stream:
            matrix = sparse.csr_matrix(sparse.load_npz(stream), dtype=np.float32)  # never unpickles
        matrix.check_format(full_check=True)
    except FileNotFoundError:
        raise DataError("no such file; check the path", path=path) from None
    except (ValueError, TypeError, OSError, KeyError, zipfile.BadZipFile, EOFError) as error:
        raise DataError(f"is no sparse matrix of scipy.sparse.save_npz: {error}", path=path) from error
    if not np.isfinite(matrix.data).all():
        row = int(np.searchsorted(matrix.indptr, np.flatnonzero(~np.isfinite(matrix.data))[0], side="right"))
        raise DataError(f"row {row} (counted from 1) holds a value that is no finite number", path=path)
    matrix.sum_duplicates()
    return matrix


def write_npz(matrix: sparse.csr_matrix, path: str | os.PathLike[str]) -> None:
    """Writes the matrix to a file whose name must end in `.npz`."""
    if not os.fspath(path).lower().endswith(".npz"):
        raise DataError("a file of this format must be named .npz", path=path)
    with open(path, "wb") as stream:
        sparse.save_npz(stream, matrix, compressed=True)
