"""How well given mentions are linked: recall at k, accuracy, and the share of gold that the knowledge base holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from deixis.evaluation.bootstrap import Interval, share_interval
from deixis.evaluation.metric import Metric as Metric
from deixis.evaluation.outcomes import MentionOutcome

RECALL_AT = (1, 5, 10, 20)


def disambiguation_metrics(
    outcomes: Sequence[MentionOutcome], at: Sequence[int] = RECALL_AT, seed: int = 0
) -> list[Metric]:
    """Recall at each k and accuracy over in-KB gold mentions, then the upper bound over all linked gold mentions.

    Examples
    --------
    >>> outcomes = [MentionOutcome(0, True, False, 2, False), MentionOutcome(0, False, False, None, False)]
    >>> [(metric.name, metric.value, metric.n) for metric in disambiguation_metrics(outcomes, at=[1, 5])]
    [('recall@1', 0.0, 1), ('recall@5', 1.0, 1), ('accuracy', 0.0, 1), ('upper_bound', 0.5, 2)]
    """
    linked = [outcome for outcome in outcomes if not outcome.is_nil]
    in_kb = [outcome for outcome in linked if outcome.is_in_kb]
    metrics = [_share(f"recall@{k}", in_kb, _found_within(k), seed) for k in at]
    metrics.append(_share("accuracy", in_kb, lambda outcome: outcome.is_right, seed))
    metrics.append(_share("upper_bound", linked, lambda outcome: outcome.is_in_kb, seed))
    return metrics


def _found_within(k: int) -> Callable[[MentionOutcome], bool]:
    return lambda outcome: outcome.rank is not None and outcome.rank <= k


def _share(
    name: str, outcomes: Sequence[MentionOutcome], is_hit: Callable[[MentionOutcome], bool], seed: int
) -> Metric:
    if not outcomes:
        return Metric(name, 0.0, Interval(0.0, 0.0), 0)
    documents = np.array([outcome.document for outcome in outcomes])
    hits = np.array([is_hit(outcome) for outcome in outcomes], dtype=np.float64)
    _, numbers = np.unique(documents, return_inverse=True)
    interval = share_interval(np.bincount(numbers, weights=hits), np.bincount(numbers), seed)
    return Metric(name, float(hits.mean()), interval, len(outcomes))
