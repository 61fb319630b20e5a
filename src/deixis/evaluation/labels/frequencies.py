"""How often labels stand in the training data: which are rare, and how much a hit on a rare one should weigh.

Propensities as in Jain et al. (KDD 2016, section 4): a rare label is more likely to be missing from the truth. Deciles
hold equal shares of the training data's label occurrences, as in the plots of Mittal et al. (DECAF, WSDM 2021); ten
groups of equally many labels would put labels seen once into most of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix

from deixis.errors import ConfigError, DataError

PROPENSITY_A = 0.55
PROPENSITY_B = 1.5
N_DECILES = 10


@dataclass(frozen=True)
class LabelFrequencies:
    """The number of training documents, and how many of them have each label.

    Examples
    --------
    >>> frequencies = LabelFrequencies.of(csr_matrix([[1, 1, 0], [1, 0, 0], [1, 0, 0]]))
    >>> frequencies.counts.tolist(), frequencies.n_documents
    ([3, 1, 0], 3)
    """

    counts: NDArray[np.int64]
    n_documents: int

    def __post_init__(self) -> None:
        if self.counts.ndim != 1 or self.counts.min(initial=0) < 0 or self.counts.max(initial=0) > self.n_documents:
            raise DataError(f"Each label's frequency must lie in 0..{self.n_documents}, the number of documents.")

    @classmethod
    def of(cls, docs_by_labels: csr_matrix | csr_array) -> LabelFrequencies:
        """The frequencies in a training set; stored zeros are no labels."""
        matrix = csr_matrix(docs_by_labels, copy=True)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        return cls(np.bincount(matrix.indices, minlength=matrix.shape[1]), matrix.shape[0])

    def inverse_propensities(self, a: float = PROPENSITY_A, b: float = PROPENSITY_B) -> NDArray[np.float64]:
        """1 / p of each label: 1 + C (N_l + b)^-a with C = (ln N - 1)(b + 1)^a, and C no less than 0.

        The paper's values for `a` and `b`: 0.5 and 0.4 for Wikipedia, 0.6 and 2.6 for Amazon, 0.55 and 1.5 for others.

        Examples
        --------
        >>> LabelFrequencies(np.array([1, 1000]), n_documents=1000).inverse_propensities().round(2).tolist()
        [6.91, 1.22]
        """
        if not (a > 0 and b > 0):
            raise ConfigError(f"The propensity's a and b must be above 0, got {a} and {b}.")
        scale = max(0.0, np.log(max(1, self.n_documents)) - 1.0) * (b + 1.0) ** a
        weights: NDArray[np.float64] = 1.0 + scale * (self.counts + b) ** -a
        return weights

    def deciles(self) -> NDArray[np.int64]:
        """Each label's decile: 1 has the rarest labels, 10 the most frequent, 0 those that were never seen.

        Each of 1..10 has about a tenth of the training data's label occurrences. Labels of equal frequency are
        ordered by their number. A label that has more than a tenth leaves deciles empty.

        Examples
        --------
        >>> LabelFrequencies(np.array([0, 1, 1, 1, 1, 6]), n_documents=6).deciles().tolist()
        [0, 1, 2, 3, 4, 8]
        """
        order = np.argsort(self.counts, kind="stable")
        mass = self.counts[order]
        middles = (np.cumsum(mass) - mass / 2.0) / max(1, mass.sum())
        deciles = np.empty(len(mass), dtype=np.int64)
        deciles[order] = np.where(mass > 0, np.minimum(middles * N_DECILES, N_DECILES - 1).astype(np.int64) + 1, 0)
        return deciles
