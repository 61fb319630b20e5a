"""What became of each gold mention: was its entity known, at which rank was it proposed, was the link right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from deixis.errors import DataError
from deixis.evaluation.gold import Resolve, acceptable_ids
from deixis.types import Document, Mention


@dataclass(frozen=True, slots=True)
class MentionOutcome:
    """One gold mention; `rank` counts from 1 and is None when no candidate was right."""

    document: int
    is_in_kb: bool
    is_nil: bool
    rank: int | None
    is_right: bool


def mention_outcomes(
    gold: Iterable[Document], predicted: Iterable[Document], resolve: Resolve, first_document: int = 0
) -> list[MentionOutcome]:
    """One outcome per decided gold mention, document after document; undecided mentions are nobody's gold.

    Predicted mentions are found by their span; a gold mention that was not predicted at all has no rank. Documents
    are numbered from `first_document` on, so that a corpus can be scored batch by batch.

    Examples
    --------
    >>> from deixis.types import Candidate
    >>> gold = Document("d", "Paris fled.", mentions=(Mention(0, 5, "Paris", entity="Q1"),))
    >>> guess = Mention(0, 5, "Paris", entity="Q2", candidates=(Candidate("Q2", 0.6), Candidate("Q1", 0.4)))
    >>> mention_outcomes([gold], [gold.with_mentions([guess])], resolve=lambda name: name)
    [MentionOutcome(document=0, is_in_kb=True, is_nil=False, rank=2, is_right=False)]
    """
    outcomes: list[MentionOutcome] = []
    for number, (truth, guess) in enumerate(zip(gold, predicted, strict=True), start=first_document):
        if truth.id != guess.id or truth.text != guess.text:
            raise DataError(f"gold document {truth.id!r} was given the prediction of {guess.id!r}: keep their order")
        guesses = _by_span(guess.mentions)
        for mention in truth.mentions:
            if mention.is_decided:
                found = guesses.get((mention.start, mention.end))
                outcomes.append(_outcome(number, mention, found, resolve))
    return outcomes


def _by_span(mentions: Iterable[Mention]) -> dict[tuple[int, int], Mention]:
    return {(mention.start, mention.end): mention for mention in mentions}


def _outcome(document: int, gold: Mention, guess: Mention | None, resolve: Resolve) -> MentionOutcome:
    accepted = frozenset[str]() if gold.entity is None else acceptable_ids(gold.entity, resolve)
    rank = None
    is_right = False
    if guess is not None:
        ids: list[str | None] = [candidate.id for candidate in guess.candidates] or [guess.entity]
        rank = next((place for place, name in enumerate(ids, start=1) if name in accepted), None)
        is_right = guess.entity is not None and guess.entity in accepted
    return MentionOutcome(document, bool(accepted), gold.is_nil, rank, is_right)
