"""`--filter-labels` of `deixis xmr predict` and `eval`: labels that documents must not get."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click
import numpy as np
from scipy import sparse

from deixis.cli.commands.xmr.inputs import Reading
from deixis.cli.files import check_files
from deixis.errors import DataError
from deixis.labelling.label_filter import OwnLabels, read_label_filter
from deixis.labelling.labeller import Labeller
from deixis.store.strings import StringTable

OWN = "own"

filter_option: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(
    "--filter-labels",
    metavar="own|FILE",
    help="Never give a text the label it is called as (own), or FILE's pairs.",
)


@dataclass(frozen=True)
class LabelFilter:
    """What the option asks for; nothing without it."""

    own: OwnLabels | None = None
    pairs: sparse.csr_matrix | None = None
    path: str = ""

    @classmethod
    def of(cls, option: str | None, labeller: Labeller, reading: Reading) -> LabelFilter:
        """The filter for documents that a model reads; wrong usage is an error before any is read."""
        if option is None:
            return cls()
        if option == OWN:
            if labeller.features is None:
                raise click.UsageError(
                    "--filter-labels own compares texts, and MODEL reads rows of features. Give a file of pairs."
                )
            return cls(OwnLabels(labeller.vocabulary.titles))
        if reading.skip_bad:
            raise click.UsageError(
                f"{option} counts the rows of DOCS, and --skip-bad leaves some out. Mend DOCS, or filter by 'own'."
            )
        check_files([option])
        return cls(pairs=read_label_filter(option, len(labeller.vocabulary)), path=option)

    def labels_of(self, begin: int, n: int, texts: StringTable | list[str] | None) -> sparse.csr_matrix | None:
        """docs_by_labels that `n` documents, the first of which is number `begin`, must not get; None without them."""
        if self.own is not None and texts is not None:
            return self.own.of(texts)
        if self.pairs is None:
            return None
        rows = self.pairs[begin : begin + n]
        indptr = np.append(rows.indptr, np.full(n - rows.shape[0], rows.nnz, rows.indptr.dtype))
        return sparse.csr_matrix((rows.data, rows.indices, indptr), shape=(n, self.pairs.shape[1]))

    def check_rows(self, n_documents: int) -> None:
        """Raises if a file has pairs of rows that DOCS do not have."""
        if self.pairs is not None and self.pairs.shape[0] > n_documents:
            raise DataError(
                f"has a pair of document {self.pairs.shape[0] - 1}, but there are {n_documents}, counted from 0; it "
                "was made for other documents",
                path=self.path,
            )
