"""Two runs over the same documents, figure by figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from deixis.errors import DataError
from deixis.evaluation.linking.figures import RECALL_AT, linking_figures
from deixis.evaluation.linking.tally import Tally
from deixis.evaluation.statistics.resampling import Sums
from deixis.evaluation.statistics.significance import Difference, paired_difference

SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class Comparison:
    """A figure in run a and in run b, and their difference."""

    name: str
    value_a: float
    value_b: float
    difference: Difference

    @property
    def verdict(self) -> Literal["better", "worse", "unclear"]:
        """Whether run a is better or worse than run b, or it may be luck (p of 0.05 and more)."""
        if self.difference.p_value >= SIGNIFICANT:
            return "unclear"
        return "better" if self.difference.value > 0 else "worse"


def compared(
    a: Tally, b: Tally, names: Sequence[str], at: Sequence[int] = RECALL_AT, seed: int = 0
) -> list[Comparison]:
    """The named figures of both runs, in the order of a report; names that are about nothing are left out.

    Documents may have come in another order, but must be the same and have the same gold.

    Examples
    --------
    >>> from deixis.types import Document, Mention
    >>> a, b = Tally(resolve=None), Tally(resolve=None)
    >>> for n in range(6):
    ...     gold = Document(str(n), "Troy", mentions=(Mention(0, 4, "Troy", "Q22647"),))
    ...     a.add(gold, gold)
    ...     b.add(gold, gold.with_mentions([]))
    >>> (accuracy,) = compared(a, b, ["accuracy"])
    >>> accuracy.value_a, accuracy.value_b, accuracy.difference.p_value, accuracy.verdict
    (1.0, 0.0, 0.03125, 'better')
    """
    columns, sums_a, sums_b = _aligned(a, b, at)
    comparisons: list[Comparison] = []
    for figure in linking_figures(at):
        if figure.name in names:
            statistic = figure.over(columns)
            values = [float(statistic(sums.sum(axis=0, keepdims=True))[0]) for sums in (sums_a, sums_b)]
            if not np.isnan(values).any():
                difference = paired_difference(statistic, sums_a, sums_b, seed)
                comparisons.append(Comparison(figure.name, values[0], values[1], difference))
    return comparisons


def _aligned(a: Tally, b: Tally, at: Sequence[int]) -> tuple[list[str], Sums, Sums]:
    """The names of the columns, and the sums of both runs with their documents in one order."""
    ids_a, ids_b = a.ledger.document_ids, b.ledger.document_ids
    n_shared = len(np.intersect1d(ids_a, ids_b))
    if not len(ids_a) == len(ids_b) == n_shared:
        raise DataError(
            f"The runs can only be compared over the same documents: one has {len(ids_a)}, the other {len(ids_b)}, "
            f"and {n_shared} of them have the same 'id'."
        )
    columns_a, columns_b = a.columns(at), b.columns(at)
    order_a, order_b = np.argsort(ids_a), np.argsort(ids_b)
    for name in ("n_spans", "n_linked_gold"):
        n_other = int((columns_a[name][order_a] != columns_b[name][order_b]).sum())
        if n_other:
            raise DataError(f"The runs were held against different gold: {n_other} documents have other mentions.")
    names = list(columns_a)
    sums_a, sums_b = (np.column_stack([columns[name] for name in names]) for columns in (columns_a, columns_b))
    return names, sums_a[order_a], sums_b[order_b]
