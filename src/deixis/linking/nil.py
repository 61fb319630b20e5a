"""When a mention is said to mean nothing in the knowledge base."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from deixis.errors import ConfigError
from deixis.types import Candidate, Mention

RAW_THRESHOLD = 0.1  # for scores that are not calibrated; docs/decisions/0012-nil-threshold.md


@dataclass(frozen=True)
class NilRule:
    """A mention is linked to its best candidate if that candidate's score reaches the threshold.

    A target precision is only a wish until a calibration has settled which threshold fulfils it.

    Examples
    --------
    >>> rule = NilRule(threshold=0.5)
    >>> rule.decide([Mention(0, 5, "Paris")], [[Candidate("Q90", 0.4)]])[0].is_nil
    True
    """

    threshold: float | None = field(
        default=None,
        metadata={
            "help": f"Least score of a link; below it a mention is NIL. None: {RAW_THRESHOLD}, or what fits best."
        },
    )
    target_precision: float | None = field(
        default=None, metadata={"help": "Share of links to be right; calibration chooses the threshold."}
    )

    def __post_init__(self) -> None:
        if self.threshold is not None and not 0 <= self.threshold <= 1:
            raise ConfigError(f"The NIL threshold must lie in 0..1, got {self.threshold}.")
        if self.target_precision is not None and not 0 < self.target_precision <= 1:
            raise ConfigError(f"The target precision must lie in 0..1, got {self.target_precision}.")

    @property
    def least_score(self) -> float:
        """The threshold that holds."""
        return RAW_THRESHOLD if self.threshold is None else self.threshold

    def decide(self, mentions: Sequence[Mention], ranked: Sequence[Sequence[Candidate]]) -> list[Mention]:
        """The mentions with their candidates, and with a link or NIL."""
        return [self._decided(*each) for each in zip(mentions, ranked, strict=True)]

    def _decided(self, mention: Mention, listed: Sequence[Candidate]) -> Mention:
        best = listed[0] if listed else None
        is_linked = best is not None and best.score >= self.least_score
        return replace(
            mention,
            entity=best.id if best is not None and is_linked else None,
            score=best.score if best is not None else None,
            is_nil=not is_linked,
            candidates=tuple(listed),
        )
