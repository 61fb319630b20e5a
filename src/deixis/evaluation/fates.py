"""What becomes of a mention on its way to a link: one class per mistake that a person can do something about."""

from __future__ import annotations

from enum import StrEnum


class Fate(StrEnum):
    """What became of a gold mention, or of a prediction where gold has nothing. Each gets exactly one.

    The order is that of the walk: what the knowledge base lacks cannot be proposed, what was not proposed cannot be
    ranked first. Compare a fate with its member or its text.

    Examples
    --------
    >>> Fate("lost in ranking").advice
    'The right entity was a candidate but another was linked: add training mentions or better descriptions.'
    >>> [fate.value for fate in Fate if fate.is_good]
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
        return self in (Fate.RIGHT, Fate.RIGHTLY_NIL)

    @property
    def advice(self) -> str:
        """What happened and what would help, in one sentence."""
        return _ADVICE[self]


_ADVICE = {
    Fate.RIGHT: "Linked to the annotated entity.",
    Fate.RIGHTLY_NIL: "Annotated as NIL and answered NIL.",
    Fate.NOT_IN_KB: "The annotated entity is not in the knowledge base: add it, or map its id with 'alt_ids'.",
    Fate.MISSED: "Nothing was predicted here: add the name as an alias, or give the mentions.",
    Fate.WRONG_SPAN: "A prediction overlaps this mention but has other borders: look at detector or guidelines.",
    Fate.NOT_A_CANDIDATE: "The right entity was not proposed: add this name as an alias, or ask for more candidates.",
    Fate.LOST_IN_RANKING: (
        "The right entity was a candidate but another was linked: add training mentions or better descriptions."
    ),
    Fate.WRONG_LINK: "Linked to another entity; the predictions list no candidates, so it is not known why.",
    Fate.WRONGLY_NIL: "Answered NIL although the entity is known: lower the NIL threshold.",
    Fate.NIL_LINKED: "Annotated as NIL but linked: raise the NIL threshold.",
    Fate.NIL_MISSED: "Annotated as NIL and nothing was predicted: harmless where only links are wanted.",
    Fate.SPURIOUS: "A link where gold has no mention: raise the threshold, or check whether the gold is complete.",
    Fate.SPURIOUS_NIL: "A NIL answer where gold has no mention: harmless where only links are wanted.",
}
