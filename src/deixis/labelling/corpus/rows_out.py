"""Rows of features, labels and scores out: the Extreme Classification repository's files, SVMLight, `.npz`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TextIO

from scipy import sparse

from deixis.labelling.corpus.documents import LabelledRows
from deixis.labelling.corpus.npz import write_npz
from deixis.labelling.corpus.rows import FilePath, SvmlightConfig

_ROWS_AT_ONCE = 4096


def write_matrix(matrix: sparse.csr_matrix, path: FilePath) -> None:
    """Writes `rows columns`, then `column:value ...` a row, or an `.npz` if the file is named so. No digit is lost.

    This is also how the repository's tools expect predictions: `row` is a document, `column` a label.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "score_mat.txt"
    >>> write_matrix(sparse.csr_matrix([[0.0, 0.1], [0.0, 0.0]], dtype="float32"), path)
    >>> path.read_text().splitlines()
    ['2 2', '1:0.1', '']
    """
    if os.fspath(path).lower().endswith(".npz"):
        write_npz(matrix, path)
        return
    with open(path, "w", encoding="utf-8", newline="\n") as stream:
        write_matrix_lines(matrix, stream)


def write_matrix_lines(matrix: sparse.csr_matrix, stream: TextIO) -> None:
    """Writes the same lines to a stream."""
    stream.write(f"{matrix.shape[0]} {matrix.shape[1]}\n")
    stream.writelines(f"{pairs}\n" for pairs in _pairs(matrix, 0))


def write_xc(rows: LabelledRows, path: FilePath) -> None:
    """Writes `documents features labels`, then `label,label feature:value ...` a document; labels lose their values."""
    with open(path, "w", encoding="utf-8", newline="\n") as stream:
        stream.write(f"{len(rows)} {rows.docs_by_features.shape[1]} {rows.docs_by_labels.shape[1]}\n")
        stream.writelines(_lines(rows, SvmlightConfig(first_feature=0, first_label=0)))


def write_svmlight(rows: LabelledRows, path: FilePath, config: SvmlightConfig | None = None) -> None:
    """Writes `label,label feature:value ...` a document. Values of labels, and how many of what there are, are lost."""
    with open(path, "w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(_lines(rows, config or SvmlightConfig()))


def _lines(rows: LabelledRows, config: SvmlightConfig) -> Iterator[str]:
    indptr = rows.docs_by_labels.indptr
    words = (rows.docs_by_labels.indices + config.first_label).astype(str)
    for row, pairs in enumerate(_pairs(rows.docs_by_features, config.first_feature)):
        yield f"{','.join(words[indptr[row] : indptr[row + 1]].tolist())} {pairs}\n"


def _pairs(matrix: sparse.csr_matrix, first: int) -> Iterator[str]:
    """Each row as `column:value` between spaces, with as many digits as tell its 32-bit values apart."""
    for start in range(0, matrix.shape[0], _ROWS_AT_ONCE):
        part = matrix[start : start + _ROWS_AT_ONCE]
        columns = (part.indices + first).astype(str).tolist()
        values = part.data.astype("float32").astype(str).tolist()
        words = [f"{column}:{value}" for column, value in zip(columns, values, strict=True)]
        ends = part.indptr.tolist()
        yield from (" ".join(words[begin:end]) for begin, end in zip(ends[:-1], ends[1:], strict=True))
