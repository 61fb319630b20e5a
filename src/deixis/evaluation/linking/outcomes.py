"""What becomes of a mention on its way to a link: one class per mistake that a person can do something about.

What became of each gold mention: was its entity known, at which rank was it proposed, was the link right.

Records only; `judge` makes them, `tally` adds them up.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from deixis.types import Mention


class Outcome(StrEnum):
    """What became of a gold mention, or of a prediction where gold has nothing. Each gets exactly one.

    The order is that of the walk: what the knowledge base lacks cannot be proposed, what was not proposed cannot be
    ranked first. Compare an outcome with its member or its text.

    Examples
    --------
    >>> Outcome("lost in ranking").advice
    'The right entity was a candidate but another was linked: add training mentions or better descriptions.'
    >>> [outcome.value for outcome in Outcome if outcome.is_good]
    ['right', 'rightly NIL']
    """

    RIGHT = "right"
    RIGHTLY_NIL = "rightly NIL"
    NOT_IN_KB = "gold not in KB"
    MISSED = "missed"
    WRONG_SPAN = "wrong span"
    NOT_A_CANDIDATE = "not among candidates"
    LOST_IN_RANKING = "lost in ranking"
    WRONG_LINK = "wrong link"
    WRONGLY_NIL = "wrongly NIL"
    NIL_LINKED = "NIL linked"
    NIL_MISSED = "NIL missed"
    SPURIOUS = "spurious"
    SPURIOUS_NIL = "spurious NIL"

    @property
    def is_good(self) -> bool:
        """Whether the answer was the annotated one."""
        return self in (Outcome.RIGHT, Outcome.RIGHTLY_NIL)

    @property
    def advice(self) -> str:
        """What happened and what would help, in one sentence."""
        return _ADVICE[self]


_ADVICE = {
    Outcome.RIGHT: "Linked to the annotated entity.",
    Outcome.RIGHTLY_NIL: "Annotated as NIL and answered NIL.",
    Outcome.NOT_IN_KB: "The annotated entity is not in the knowledge base: add it, or map its id with 'alt_ids'.",
    Outcome.MISSED: "Nothing was predicted here: add the name as an alias, or give the mentions.",
    Outcome.WRONG_SPAN: "A prediction overlaps this mention but has other borders: check detector or guidelines.",
    Outcome.NOT_A_CANDIDATE: (
        "The right entity was not proposed: add this name as an alias, or ask for more candidates."
    ),
    Outcome.LOST_IN_RANKING: (
        "The right entity was a candidate but another was linked: add training mentions or better descriptions."
    ),
    Outcome.WRONG_LINK: "Linked to another entity; the predictions list no candidates, so it is not known why.",
    Outcome.WRONGLY_NIL: "Answered NIL although the entity is known: lower the NIL threshold.",
    Outcome.NIL_LINKED: "Annotated as NIL but linked: raise the NIL threshold.",
    Outcome.NIL_MISSED: "Annotated as NIL and nothing was predicted: harmless where only links are wanted.",
    Outcome.SPURIOUS: "A link where gold has no mention: raise the threshold, or check whether the gold is complete.",
    Outcome.SPURIOUS_NIL: "A NIL answer where gold has no mention: harmless where only links are wanted.",
}


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
    outcome: Outcome = Outcome.MISSED
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
    spurious: list[tuple[Outcome, Mention]]
    links: list[tuple[float | None, bool]]
    """The score of each link and whether it is right, in the order of the text."""
    counts: DocumentCounts
