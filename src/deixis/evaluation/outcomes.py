"""What became of each gold mention: was its entity known, at which rank was it proposed, was the link right.

Records only; `judge` makes them, `tally` adds them up.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from deixis.evaluation.fates import Fate
from deixis.types import Mention


@dataclass(frozen=True, slots=True)
class MentionOutcome:
    """One gold mention; `rank` counts from 1 and is None when no candidate was right.

    `is_nil` says it was annotated as NIL; `frequency` is how often its entity is mentioned elsewhere, None if nobody
    knows. `gold` and `guess` are the mention and the prediction held against it, `types` the types of their entities.
    """

    document: int
    is_in_kb: bool
    is_nil: bool
    rank: int | None
    is_right: bool
    fate: Fate = Fate.MISSED
    frequency: int | None = None
    types: tuple[str, str] | None = None
    gold: Mention | None = field(default=None, repr=False, compare=False)
    guess: Mention | None = field(default=None, repr=False, compare=False)

    @property
    def score(self) -> float | None:
        """The score of the prediction, if there is one and it has one."""
        return None if self.guess is None else self.guess.score


class DocumentCounts(NamedTuple):
    """What one document adds to every share.

    A *link* is a prediction with an entity, a *NIL answer* one without; `n_links` counts links to entities that the
    knowledge base has. Gold is *in KB* if the knowledge base has one
    of its ids; all other gold, annotated as NIL or not, is *NIL* to this knowledge base (GERBIL: "emerging"). Weak
    counts take overlapping spans for the same. `n_first_right` and `n_pages_found` are KILT's: the right entity came
    first, or among the first five.
    """

    n_in_kb: int = 0
    n_links: int = 0
    n_right: int = 0
    n_right_weak: int = 0
    n_links_on_in_kb: int = 0
    n_nil: int = 0
    n_nil_answers: int = 0
    n_rightly_nil: int = 0
    n_spans: int = 0
    n_predicted_spans: int = 0
    n_same_span: int = 0
    n_overlapping_span: int = 0
    n_linked_gold: int = 0
    n_first_right: int = 0
    n_pages_found: int = 0


@dataclass(frozen=True, slots=True)
class DocumentOutcome:
    """All that evaluation says of one document: its gold mentions, the predictions beside them, and its counts."""

    mentions: list[MentionOutcome]
    spurious: list[tuple[Fate, Mention]]
    links: list[tuple[float | None, bool]]
    """The score of each link and whether it is right, in the order of the text."""
    counts: DocumentCounts
