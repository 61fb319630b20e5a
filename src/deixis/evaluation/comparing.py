"""Two runs over the same documents, figure by figure, and whether a difference could be luck."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from deixis.errors import DataError
from deixis.evaluation.document_sums import Array
from deixis.evaluation.linking_figures import RECALL_AT, linking_figures
from deixis.evaluation.significance import Difference, paired_difference
from deixis.evaluation.tally import Tally


@dataclass(frozen=True, slots=True)
class Compared:
    """A figure of two runs: the first one's, the other's, and first minus other; of `n` things."""

    name: str
    value: float
    other: float
    difference: Difference
    n: int


def compared(
    tally: Tally, other: Tally, names: Collection[str], at: Sequence[int] = RECALL_AT, seed: int = 0
) -> list[Compared]:
    """The figures of these names, for those that both runs have; documents are matched by their ids, in any order.

    Examples
    --------
    >>> from deixis.types import Document, Mention
    >>> gold = Document("d", "Troy", mentions=(Mention(0, 4, "Troy", "Q1"),))
    >>> tally, other = Tally(resolve=None), Tally(resolve=None)
    >>> tally.add(gold, gold)
    >>> other.add(gold, gold.with_mentions([Mention(0, 4, "Troy", "Q2")]))
    >>> [(each.name, each.value, each.other) for each in compared(tally, other, ["accuracy"])]
    [('accuracy', 1.0, 0.0)]
    """
    own, others = _aligned(tally, other, at)
    columns = list(own)
    sums_a, sums_b = (np.column_stack([run[column] for column in columns]) for run in (own, others))
    found = []
    for figure in linking_figures(at):
        if figure.name not in names:
            continue
        statistic = figure.over(columns)
        values = [float(statistic(sums.sum(axis=0, keepdims=True))[0]) for sums in (sums_a, sums_b)]
        if not np.isnan(values).any():
            difference = paired_difference(statistic, sums_a, sums_b, seed)
            n = int(own[figure.n].sum())
            found.append(Compared(figure.name, values[0], values[1], difference, n))
    return found


def _aligned(tally: Tally, other: Tally, at: Sequence[int]) -> tuple[dict[str, Array], dict[str, Array]]:
    """The columns of both runs, documents in one order."""
    ids, other_ids = tally.ledger.document_ids, other.ledger.document_ids
    order, other_order = np.argsort(ids), np.argsort(other_ids)
    if not np.array_equal(ids[order], other_ids[other_order]):
        raise DataError(
            f"The two runs hold other documents: {len(np.setdiff1d(ids, other_ids))} are only in the first, "
            f"{len(np.setdiff1d(other_ids, ids))} only in the other. Compare runs over the same data."
        )
    return (
        {name: values[order] for name, values in tally.columns(at).items()},
        {name: values[other_order] for name, values in other.columns(at).items()},
    )
