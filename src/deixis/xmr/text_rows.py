"""Documents as rankers see them: rows of features, and the texts these were made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.errors import DataError
from deixis.store.strings import StringTable


@dataclass(frozen=True, eq=False)
class TextRows:
    """Rows of features with their texts, for encoders that read; texts are None where there are only matrices.

    Examples
    --------
    >>> rows = TextRows(sparse.csr_matrix(np.eye(3)), StringTable.from_strings(["a", "b", "c"]))
    >>> part = rows[np.array([True, False, True])]
    >>> part.shape, list(part.texts)
    ((2, 3), ['a', 'c'])
    """

    docs_by_features: sparse.csr_matrix
    texts: StringTable | None = None

    def __post_init__(self) -> None:
        if self.texts is not None and len(self.texts) != self.docs_by_features.shape[0]:
            raise DataError(
                f"There are {len(self.texts)} texts and {self.docs_by_features.shape[0]} rows; they must be as many."
            )

    @property
    def shape(self) -> tuple[int, int]:
        """Documents, features."""
        n_rows, n_columns = self.docs_by_features.shape
        return n_rows, n_columns

    def __getitem__(self, rows: slice | NDArray[Any]) -> TextRows:
        """These documents only."""
        texts = self.texts
        if texts is not None:
            texts = texts.take(np.arange(len(texts))[rows])
        return TextRows(self.docs_by_features[rows], texts)


def feature_rows(X: Any) -> Any:  # noqa: ANN401, N803 - any sparse or dense matrix
    """The rows of features alone, whether texts came with them or not."""
    return X.docs_by_features if isinstance(X, TextRows) else X
