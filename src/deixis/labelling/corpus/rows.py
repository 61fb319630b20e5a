"""Files to rows of features and labels: the Extreme Classification repository's, SVMLight, and SciPy's .npz.

- `xc`: a header `documents features labels`, then `label,label feature:value ...`, all counted from 0.
- `svmlight`: the same lines without a header. Files differ in what they count from, so that it must be said.
- `matrix`: a header `rows columns`, then `column:value ...`, counted from 0: one file has features, another labels.
- `npz`: a matrix as `scipy.sparse.save_npz` writes it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from io import BufferedReader
from typing import cast

from scipy import sparse

from deixis.config import Config, setting
from deixis.errors import DataError, UnknownNameError
from deixis.labelling.corpus.documents import LabelledRows
from deixis.labelling.corpus.npz import read_npz
from deixis.labelling.corpus.sparse_text import SparseTextRules, parse_stream
from deixis.store.files import open_bytes

FilePath = str | os.PathLike[str]
ROW_FORMATS = ("xc", "svmlight")
_HEADER = re.compile(rb"(?:\xef\xbb\xbf)?[ \t]*(\d+(?:[ \t]+\d+){1,2})[ \t]*\r?\n?$")
_BOM = b"\xef\xbb\xbf"
_MAX_HEADER = 200
_TWO_FILES = "give two files, one with the features and one with the labels"


@dataclass(frozen=True)
class SvmlightConfig(Config):
    """What a file without a header leaves open. LIBSVM's multi-label sets count features from 1 and labels from 0."""

    first_feature: int = setting(1, "Number of the first feature in SVMLight files: 0 or 1.", choices=(0, 1))
    first_label: int = setting(0, "Number of the first label in SVMLight files: 0 or 1.", choices=(0, 1))


def read_labelled_rows(
    path: FilePath,
    labels: FilePath | None = None,
    *,
    format: str | None = None,
    svmlight: SvmlightConfig | None = None,
    n_features: int | None = None,
    n_labels: int | None = None,
) -> LabelledRows:
    r"""Rows of features and their labels, of one file, or of two that hold a matrix each.

    `n_features` and `n_labels` are those of a model or vocabulary: what lies outside is an error, and a matrix that
    is narrower gets as many. Without them a file's header, or its largest numbers, tell. `format` is one of `xc` and
    `svmlight`; by default the first line tells.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "train.txt"
    >>> _ = path.write_text("2 4 3\n0,2 1:0.5 3:2\n1 0:1\n")
    >>> rows = read_labelled_rows(path)
    >>> rows.docs_by_features.shape, rows.docs_by_labels.toarray().tolist()
    ((2, 4), [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    """
    if format is not None and format not in ROW_FORMATS:
        raise UnknownNameError("format of labelled rows", format, known=ROW_FORMATS)
    if labels is not None:
        _check_unasked(svmlight, path)
        return _paired(path, labels, n_features, n_labels)
    if _is_npz(path):
        raise DataError(f"holds one matrix; {_TWO_FILES}", path=path)
    with open_bytes(path) as opened:
        stream = cast(BufferedReader, opened)
        if format != "svmlight":
            sizes = _read_header(stream, 3)
            if sizes is not None:
                _check_unasked(svmlight, path)
                return _read_xc(stream, path, sizes, n_features, n_labels)
            if format == "xc":
                raise DataError("the first line must be documents, features and labels: 3 numbers", path=path, line=1)
            if _read_header(stream, 2) is not None:
                raise DataError(f"the header is that of one matrix; {_TWO_FILES}", path=path, line=1)
        return _read_svmlight(stream, path, svmlight or SvmlightConfig(), n_features, n_labels)


def _check_unasked(svmlight: SvmlightConfig | None, path: FilePath) -> None:
    if svmlight is not None:
        raise DataError(
            "is not in svmlight's format, so that its numbers begin at 0: do not say where features and labels begin",
            path=path,
        )


def read_matrix(path: FilePath, *, n_columns: int | None = None) -> sparse.csr_matrix:
    r"""The sparse matrix of a file: text with a header `rows columns`, or `.npz`. `n_columns` is the width it must fit.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "trn_X_Y.txt"
    >>> _ = path.write_text("2 3\n0:1.0 2:1.0\n\n")
    >>> read_matrix(path).toarray().tolist()
    [[1.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """
    if _is_npz(path):
        return _widened(read_npz(path), n_columns, "columns", path)
    with open_bytes(path) as stream:
        sizes = _read_header(cast(BufferedReader, stream), 2)
        if sizes is None:
            raise DataError(
                "the first line must be two whole numbers, rows and columns; then come lines of column:value",
                path=path,
                line=1,
            )
        lines = parse_stream(stream, path, SparseTextRules(False, n_columns=sizes[1]), n_lines_before=1)
    return _widened(_cut(lines.rows_by_columns, sizes[0], path), n_columns, "columns", path)


def _paired(path: FilePath, labels: FilePath, n_features: int | None, n_labels: int | None) -> LabelledRows:
    docs_by_features, docs_by_labels = read_matrix(path, n_columns=n_features), read_matrix(labels, n_columns=n_labels)
    if docs_by_features.shape[0] != docs_by_labels.shape[0]:
        raise DataError(
            f"has {docs_by_labels.shape[0]} rows of labels, but {os.fspath(path)} has {docs_by_features.shape[0]} rows "
            f"of features; give two files that were made of the same documents",
            path=labels,
        )
    return LabelledRows(docs_by_features, docs_by_labels)


def _read_xc(
    stream: BufferedReader, path: FilePath, sizes: list[int], n_features: int | None, n_labels: int | None
) -> LabelledRows:
    rules = SparseTextRules(True, n_columns=sizes[1], n_labels=sizes[2])
    lines = parse_stream(stream, path, rules, n_lines_before=1)
    docs_by_features = _cut(lines.rows_by_columns, sizes[0], path)
    docs_by_labels = _cut(lines.rows_by_labels, sizes[0], path)
    return LabelledRows(
        _widened(docs_by_features, n_features, "features", path), _widened(docs_by_labels, n_labels, "labels", path)
    )


def _read_svmlight(
    stream: BufferedReader, path: FilePath, config: SvmlightConfig, n_features: int | None, n_labels: int | None
) -> LabelledRows:
    if stream.peek(3).startswith(_BOM):
        stream.read(len(_BOM))
    rules = SparseTextRules(True, config.first_label, config.first_feature, n_labels, n_features)
    lines = parse_stream(stream, path, rules)
    if lines.rows_by_columns.shape[0] == 0:
        raise DataError("the file is empty: no rows", path=path)
    return LabelledRows(lines.rows_by_columns, lines.rows_by_labels)


def _is_npz(path: FilePath) -> bool:
    return os.fspath(path).lower().endswith(".npz")


def _read_header(stream: BufferedReader, n_sizes: int) -> list[int] | None:
    """The whole numbers of the first line, if it holds just as many; otherwise the stream stays where it is."""
    opening = stream.peek(_MAX_HEADER)[:_MAX_HEADER]
    first = opening[: opening.find(b"\n") + 1] or opening
    match = _HEADER.match(first)
    sizes = [int(size) for size in match.group(1).split()] if match else []
    if len(sizes) != n_sizes:
        return None
    stream.read(len(first))
    return sizes


def _cut(rows: sparse.csr_matrix, n_rows: int, path: FilePath) -> sparse.csr_matrix:
    """As many rows as the header says; empty lines at the end are none."""
    n_read = rows.shape[0]
    if n_read < n_rows:
        raise DataError(f"the header says {n_rows} rows, but {n_read} follow; is the file cut off?", path=path)
    if rows.indptr[n_rows] != rows.indptr[-1]:
        raise DataError(f"the header says {n_rows} rows, but more follow", path=path, line=n_rows + 2)
    return rows[:n_rows]


def _widened(rows: sparse.csr_matrix, n_columns: int | None, what: str, path: FilePath) -> sparse.csr_matrix:
    if n_columns is None or rows.shape[1] == n_columns:
        return rows
    if rows.shape[1] > n_columns:
        raise DataError(
            f"has {rows.shape[1]} {what}, but there are {n_columns}; it was made for another model or vocabulary",
            path=path,
        )
    return sparse.csr_matrix((rows.data, rows.indices, rows.indptr), shape=(rows.shape[0], n_columns))
