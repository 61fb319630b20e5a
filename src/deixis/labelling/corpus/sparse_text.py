"""Sparse rows written as text: `label,label column:value column:value`, one row a line, with or without labels.

A block of lines at a time goes through the compiled core, so that files of any size cost the memory of their matrices.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from scipy import sparse

from deixis.errors import DataError
from deixis.native import _core
from deixis.progress import track

LineProblem = _core.LineProblem
_BLOCK_BYTES = 1 << 24
_TOKEN = re.compile(rb"[^ \t\r\n#]*")
_PROBLEMS = {
    LineProblem.NO_PAIR: "{token!r} is no column:value, such as 17:0.25",
    LineProblem.BAD_VALUE: "the value of {token!r} is no finite number",
    LineProblem.COLUMN_OUTSIDE: "the column of {token!r} must be from {first_column} to {last_column}",
    LineProblem.BAD_LABEL: "{token!r} are no labels; a line begins with whole numbers joined by commas, such as 3,17",
    LineProblem.LABEL_OUTSIDE: "the label of {token!r} must be from {first_label} to {last_label}",
    LineProblem.COLUMN_TWICE: "a column comes twice in the line that begins with {token!r}; give each column one value",
}


@dataclass(frozen=True)
class SparseTextRules:
    """What the lines of a file may hold; the sizes are what is allowed, and None lets the file decide."""

    has_labels: bool
    first_label: int = 0
    first_column: int = 0
    n_labels: int | None = None
    n_columns: int | None = None

    @property
    def max_labels(self) -> int:
        """How many labels there may be."""
        return _core.MAX_COLUMNS if self.n_labels is None else self.n_labels

    @property
    def max_columns(self) -> int:
        """How many columns there may be."""
        return _core.MAX_COLUMNS if self.n_columns is None else self.n_columns


@dataclass(frozen=True)
class SparseLines:
    """What the lines of a file held, and the number of lines."""

    rows_by_labels: sparse.csr_matrix
    rows_by_columns: sparse.csr_matrix
    n_lines: int


def parse_stream(stream: BinaryIO, path: object, rules: SparseTextRules, n_lines_before: int = 0) -> SparseLines:
    r"""The rows of every line that is left in a stream; a line is a row, even an empty one, unless it is a comment.

    Examples
    --------
    >>> import io
    >>> lines = parse_stream(io.BytesIO(b"0,2 1:0.5 3:2 # a comment\n 0:1\n"), "train.txt", SparseTextRules(True))
    >>> lines.rows_by_labels.toarray().tolist(), lines.rows_by_columns.toarray().tolist()
    ([[1.0, 0.0, 1.0], [0.0, 0.0, 0.0]], [[0.0, 0.5, 0.0, 2.0], [1.0, 0.0, 0.0, 0.0]])
    """
    parts: list[dict[str, Any]] = []
    n_lines = n_lines_before
    for block in track(_blocks(stream), "reading rows"):
        part = _core.parse_sparse_lines(
            block, rules.has_labels, rules.first_label, rules.first_column, rules.max_labels, rules.max_columns
        )
        n_lines += part["n_lines"]
        if part["problem"]:
            raise DataError(_reason(part, block, rules), path=path, line=n_lines + 1)
        parts.append(part)
    labels = _matrix(_joined(parts, "n_labels", np.int64), _joined(parts, "labels", np.int32), None, rules.n_labels)
    values = _joined(parts, "values", np.float32)
    columns = _matrix(
        _joined(parts, "n_columns", np.int64), _joined(parts, "columns", np.int32), values, rules.n_columns
    )
    return SparseLines(labels, columns, n_lines)


def _reason(part: dict[str, Any], block: bytes, rules: SparseTextRules) -> str:
    token = _TOKEN.match(block, part["bad_at"])
    reason = _PROBLEMS[part["problem"]].format(
        token=token.group()[:60].decode("utf-8", "replace") if token else "",
        first_label=rules.first_label,
        last_label=rules.first_label + rules.max_labels - 1,
        first_column=rules.first_column,
        last_column=rules.first_column + rules.max_columns - 1,
    )
    first = {
        LineProblem.COLUMN_OUTSIDE: rules.first_column,
        LineProblem.LABEL_OUTSIDE: rules.first_label,
    }.get(part["problem"], 0)
    return f"{reason}; if the file counts from 0, say so" if first == 1 else reason


def _blocks(stream: BinaryIO) -> Iterator[bytes]:
    """The stream in pieces that end where a line does."""
    rest = b""
    while block := stream.read(_BLOCK_BYTES):
        cut = block.rfind(b"\n") + 1
        if cut:
            yield rest + block[:cut]
            rest = block[cut:]
        else:
            rest += block
    if rest:
        yield rest


def _joined(parts: list[dict[str, Any]], name: str, dtype: type) -> Any:  # noqa: ANN401 - an array of that type
    arrays = [part.pop(name) for part in parts]
    return np.concatenate(arrays) if arrays else np.empty(0, dtype=dtype)


def _matrix(n_items: Any, columns: Any, values: Any, n_columns: int | None) -> sparse.csr_matrix:  # noqa: ANN401 - arrays
    indptr = np.concatenate([[0], np.cumsum(n_items)])
    if values is None:
        values = np.ones(len(columns), dtype=np.float32)
    if n_columns is None:
        n_columns = int(columns.max()) + 1 if len(columns) else 0
    return sparse.csr_matrix((values, columns, indptr), shape=(len(n_items), n_columns))
