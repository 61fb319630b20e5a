"""Holds the predictions of one document against its gold: who answers whom, what is right, and why not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from deixis.errors import DataError
from deixis.evaluation.linking.matching import Matching
from deixis.evaluation.linking.outcomes import DocumentCounts, DocumentOutcome, MentionOutcome, Outcome
from deixis.gold import Resolve, acceptable_ids
from deixis.types import Document, Mention

CountOf = Callable[[str], int | None]
"""An entity's id -> how often it is mentioned elsewhere, or None if that is not known."""
TypesOf = Callable[[str], Sequence[str]]
"""An entity's id -> its types, the most telling first."""
N_PAGES = 5  # KILT's recall@5
NO_TYPE, NIL_TYPE, MISSED_TYPE = "(no type)", "(NIL)", "(missed)"
_N_CACHED = 1 << 14  # ids whose resolution is kept


class Judge:
    """Says of each gold mention what became of it, document by document.

    The knowledge base is seen through `resolve` only; without one (None) every gold id counts as known.

    Examples
    --------
    >>> text = "Paris left Troy."
    >>> gold = Document("d", text, mentions=(Mention(0, 5, "Paris", entity="Q1"), Mention(11, 15, "Troy", is_nil=True)))
    >>> guess = gold.with_mentions([Mention(0, 5, "Paris", entity="Q1", score=0.9)])
    >>> outcome = Judge(resolve=None).judge(gold, guess)
    >>> [mention.outcome.value for mention in outcome.mentions]
    ['right', 'NIL missed']
    >>> outcome.counts.n_right, outcome.counts.n_links, outcome.counts.n_in_kb
    (1, 1, 1)
    """

    def __init__(
        self, resolve: Resolve | None, *, count_of: CountOf | None = None, types_of: TypesOf | None = None
    ) -> None:
        cached = lru_cache(maxsize=_N_CACHED)
        self._accepted = cached(lambda gold: acceptable_ids(gold, resolve))
        self._resolved: Resolve = cached(resolve) if resolve is not None else lambda name: name
        self._count = None if count_of is None else cached(count_of)
        self._type = None if types_of is None else cached(lambda name: next(iter(types_of(name)), NO_TYPE))

    def judge(
        self, gold: Document, predicted: Document, ranked: Document | None = None, number: int = 0
    ) -> DocumentOutcome:
        """The outcome of one document; ranks are those of `ranked`, where a longer look was taken for them."""
        truths, guesses = _decided(gold, predicted)
        accepted = [frozenset[str]() if m.entity is None else self._accepted(m.entity) for m in truths]
        links = [None if m.entity is None else self._known(m.entity) for m in guesses]
        matching = Matching.of(truths, guesses, accepted, links)
        span_to_mention = {(m.start, m.end): m for m in reversed(guesses if ranked is None else ranked.mentions)}
        mentions: list[MentionOutcome] = []
        for position, truth in enumerate(truths):
            answer = matching.answers[position]
            guess = None if answer is None else guesses[answer]
            link = None if answer is None else links[answer]
            rank = _rank(guess, accepted[position], self._known)
            outcome = _outcome(truth, guess, bool(accepted[position]), link in accepted[position], rank)
            if guess is None and position in matching.beside:
                outcome, guess = Outcome.WRONG_SPAN, guesses[matching.beside[position]]
            if ranked is not None or answer is None:  # a mention that another one took the answer from has candidates
                rank = _rank(span_to_mention.get((truth.start, truth.end)), accepted[position], self._known)
            mentions.append(
                MentionOutcome(
                    document=number,
                    is_in_kb=bool(accepted[position]),
                    is_nil=truth.is_nil,
                    rank=rank,
                    is_right=outcome is Outcome.RIGHT,
                    outcome=outcome,
                    frequency=self._frequency(accepted[position]),
                    types=self._types(accepted[position], answer is not None, link),
                    gold=truth,
                    guess=guess,
                )
            )
        spurious = [(_spurious(guesses[answer]), guesses[answer]) for answer in matching.spurious]
        scored = [
            (guess.score, answer in matching.right) for answer, guess in enumerate(guesses) if links[answer] is not None
        ]
        n_links = sum(m.entity is not None and self._resolved(m.entity) is not None for m in guesses)
        return DocumentOutcome(mentions, spurious, scored, _counts(mentions, guesses, matching, n_links))

    def _known(self, name: str) -> str:
        """The knowledge base's id for it, or the name as it is."""
        return self._resolved(name) or name

    def _frequency(self, accepted: frozenset[str]) -> int | None:
        if self._count is None:
            return None
        return max((count for count in map(self._count, accepted) if count is not None), default=None)

    def _types(self, accepted: frozenset[str], is_answered: bool, link: str | None) -> tuple[str, str] | None:
        if self._type is None or not accepted:
            return None
        gold = self._type(link if link in accepted else min(accepted))
        if link is not None:
            return gold, self._type(link)
        return gold, NIL_TYPE if is_answered else MISSED_TYPE


def _decided(gold: Document, predicted: Document) -> tuple[list[Mention], list[Mention]]:
    """Gold mentions that somebody has decided, and the predictions that can be held against them, in order.

    Twice the same is once. What was predicted where gold is undecided is neither right nor wrong.
    """
    truths = _distinct(gold, [mention for mention in gold.mentions if mention.is_decided])
    guesses = _distinct(predicted, predicted.mentions)
    if len(truths) < len(gold.mentions):
        undecided = {(m.start, m.end) for m in gold.mentions if not m.is_decided}
        undecided -= {(m.start, m.end) for m in truths}
        guesses = [m for m in guesses if (m.start, m.end) not in undecided]
    return truths, guesses


def _distinct(document: Document, mentions: Sequence[Mention]) -> list[Mention]:
    length = len(document.text)
    distinct: dict[tuple[int, int, str | None], Mention] = {}
    for mention in mentions:
        if not 0 <= mention.start < mention.end <= length:
            raise DataError(
                f"Document {document.id!r} has a mention at {mention.start}..{mention.end}, but its text has only 0.."
                f"{length}. Offsets count code points, 'end' is exclusive, a mention holds at least one character."
            )
        distinct.setdefault((mention.start, mention.end, mention.entity), mention)
    return sorted(distinct.values(), key=lambda mention: (mention.start, mention.end))


def _rank(guess: Mention | None, accepted: frozenset[str], known: Callable[[str], str]) -> int | None:
    """The place of the first right candidate; a candidate listed twice holds one place."""
    if guess is None or not accepted:
        return None
    names = [candidate.id for candidate in guess.candidates]
    if not names and guess.entity is not None:
        names = [guess.entity]
    for position, name in enumerate(names):
        if name in accepted or known(name) in accepted:
            return len(set(map(known, names[:position]))) + 1
    return None


def _outcome(truth: Mention, guess: Mention | None, is_in_kb: bool, is_right: bool, rank: int | None) -> Outcome:
    if not is_in_kb:
        return _outcome_of_nil(guess) if truth.is_nil else Outcome.NOT_IN_KB
    if guess is None:
        return Outcome.MISSED
    if is_right:
        return Outcome.RIGHT
    if not guess.candidates:
        return Outcome.WRONGLY_NIL if guess.entity is None else Outcome.WRONG_LINK
    if rank is None:
        return Outcome.NOT_A_CANDIDATE
    return Outcome.WRONGLY_NIL if rank == 1 and guess.entity is None else Outcome.LOST_IN_RANKING


def _outcome_of_nil(guess: Mention | None) -> Outcome:
    if guess is None:
        return Outcome.NIL_MISSED
    return Outcome.RIGHTLY_NIL if guess.entity is None else Outcome.NIL_LINKED


def _spurious(guess: Mention) -> Outcome:
    return Outcome.SPURIOUS_NIL if guess.entity is None else Outcome.SPURIOUS


def _counts(
    mentions: Sequence[MentionOutcome], guesses: Sequence[Mention], matching: Matching, n_links: int
) -> DocumentCounts:
    n_in_kb = sum(mention.is_in_kb for mention in mentions)
    answered = [mention for mention, answer in zip(mentions, matching.answers, strict=True) if answer is not None]
    is_linked = [mention.guess is not None and mention.guess.entity is not None for mention in answered]
    return DocumentCounts(
        n_in_kb=n_in_kb,
        n_links=n_links,
        n_right=len(matching.right),
        n_right_weak=len(matching.right) + matching.n_right_beside,
        n_links_on_in_kb=sum(m.is_in_kb and linked for m, linked in zip(answered, is_linked, strict=True)),
        n_nil=len(mentions) - n_in_kb,
        n_nil_answers=sum(guess.entity is None for guess in guesses),
        n_rightly_nil=sum(not m.is_in_kb and not linked for m, linked in zip(answered, is_linked, strict=True)),
        n_spans=len(mentions),
        n_predicted_spans=len(guesses),
        n_same_span=len(answered),
        n_overlapping_span=len(answered) + matching.n_spans_beside,
        n_linked_gold=sum(not mention.is_nil for mention in mentions),
        n_first_right=sum(mention.rank == 1 for mention in mentions),
        n_pages_found=sum(mention.rank is not None and mention.rank <= N_PAGES for mention in mentions),
    )
