"""Rare and frequent entities apart: the figures by how often the gold entity was seen elsewhere.

Bins of Botha, Shan and Gillick, "Entity Linking in 100 Languages", EMNLP 2020, the last ones joined.
"""

from __future__ import annotations

from dataclasses import dataclass

from deixis.evaluation.statistics.metric import Metric

FREQUENCY_BINS: tuple[tuple[int, int | None], ...] = ((0, 1), (1, 10), (10, 100), (100, 1_000), (1_000, None))
"""From, and up to but not with."""


@dataclass(frozen=True, slots=True)
class FrequencyBin:
    """The `n` gold mentions whose entity was seen `low` times or more and less than `high` times (None: no limit).

    Examples
    --------
    >>> FrequencyBin(10, 100, 0, []).label, FrequencyBin(1_000, None, 0, []).label, FrequencyBin(0, 1, 0, []).label
    ('[10, 100)', '[1000, inf)', '0')
    """

    low: int
    high: int | None
    n: int
    metrics: list[Metric]

    @property
    def label(self) -> str:
        """The bin as an interval."""
        if self.high == self.low + 1:
            return str(self.low)
        return f"[{self.low}, {'inf' if self.high is None else self.high})"
