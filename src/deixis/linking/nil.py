"""When a mention is said to mean nothing in the knowledge base."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from deixis.errors import ConfigError
from deixis.types import Candidate, Mention


@dataclass(frozen=True)
class NilRule:
    """A mention is linked to its best candidate if that candidate's score reaches the threshold.

    Examples
    --------
    >>> rule = NilRule(threshold=0.5)
    >>> rule.decide([Mention(0, 5, "Paris")], [[Candidate("Q90", 0.4)]])[0].is_nil
    True
    """

    threshold: float = field(default=0.1, metadata={"help": "Least score of a link; below it a mention is NIL."})

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise ConfigError(f"The NIL threshold must lie in 0..1, got {self.threshold}.")

    def decide(self, mentions: Sequence[Mention], ranked: Sequence[Sequence[Candidate]]) -> list[Mention]:
        """The mentions with their candidates, and with a link or NIL."""
        return [self._decided(*each) for each in zip(mentions, ranked, strict=True)]

    def _decided(self, mention: Mention, listed: Sequence[Candidate]) -> Mention:
        best = listed[0] if listed else None
        is_linked = best is not None and best.score >= self.threshold
        return replace(
            mention,
            entity=best.id if best is not None and is_linked else None,
            score=best.score if best is not None else None,
            is_nil=not is_linked,
            candidates=tuple(listed),
        )
