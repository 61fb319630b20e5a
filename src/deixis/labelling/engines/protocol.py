"""The protocol of labelling engines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, Self

from numpy.typing import NDArray
from scipy import sparse

from deixis.labelling.config import LabellerConfig
from deixis.labelling.training_rows import TrainingRows
from deixis.xmr.text_rows import TextRows


class Engine(Protocol):
    """Learns from documents and their labels, and ranks labels for other documents."""

    def __init__(self, config: LabellerConfig) -> None: ...

    def check_extras(self) -> None:
        """Raises if `fit` needs an extra that is not installed; called before documents are read. `rank` needs none."""

    def fit(self, examples: TrainingRows, seed: int = 0, n_threads: int = 0) -> Self:
        """Itself, having learned; the same seed gives the same bytes, on one thread or many (torch excepted).

        Each label has at least one document. Targets lie above 0 and up to 1: 1 where a document has a label, less
        for a soft one.
        """

    @property
    def n_features(self) -> int:
        """How many columns its rows must have."""

    @property
    def n_labels(self) -> int:
        """How many labels it ranks."""

    def rank(self, documents: TextRows, k: int) -> sparse.csr_matrix:
        """docs_by_labels: the best `k` labels of each row, stored best first, scores in 0..1; each row by itself."""

    def with_search(self, beam: int | None, n_shortlist: int | None) -> Self:
        """The same engine that looks into so many clusters or nodes, or shortlists so many labels; None: as it does.

        What it has no use for is a `ConfigError`.
        """

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Everything it learned as arrays under names that begin with `prefix`."""

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, config: LabellerConfig, n_threads: int = 0
    ) -> Self:
        """The engine that `to_arrays` gave, over arrays as they lie; what does not fit is a `StoreError`."""
