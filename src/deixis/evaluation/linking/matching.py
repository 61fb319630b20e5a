"""Which prediction answers which gold mention: by the same span (strong) or by an overlapping one (weak), one to one.

Overlapping gold mentions, and gold mentions of one span with several entities, are allowed: each waits for an answer of
its own.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from deixis.types import Mention

Pair = tuple[int, int]
"""The position of a gold mention and the position of the prediction that is held against it."""
PairTest = Callable[[int, int], bool]


@dataclass(frozen=True, slots=True)
class Matching:
    """Who answers whom in one document.

    Examples
    --------
    >>> gold = [Mention(0, 8, "New York", entity="Q60")]
    >>> guesses = [Mention(4, 8, "York", entity="Q60"), Mention(9, 11, "is", entity="Q1")]
    >>> Matching.of(gold, guesses, [frozenset({"Q60"})], ["Q60", "Q1"])
    Matching(answers=[None], right=frozenset(), beside={0: 0}, spurious=[1], n_right_beside=1, n_spans_beside=1)
    """

    answers: list[int | None]
    """Per gold mention, the prediction of the same span."""
    right: frozenset[int]
    """The predictions of the same span that link to an accepted entity."""
    beside: dict[int, int]
    """Gold mentions in the knowledge base without an answer -> the prediction that overlaps them."""
    spurious: list[int]
    """The predictions that are neither an answer nor beside one."""
    n_right_beside: int
    """How many more are right if an overlapping span will do."""
    n_spans_beside: int
    """How many more spans are found if an overlapping one will do."""

    @classmethod
    def of(
        cls,
        gold: Sequence[Mention],
        guesses: Sequence[Mention],
        accepted: Sequence[frozenset[str]],
        links: Sequence[str | None],
    ) -> Matching:
        """The matching of gold mentions, each with the ids that answer it, and predictions, each with its link.

        No accepted id means that NIL is the answer. A right answer of the same span is found before any other; a
        right answer beside it may come from a prediction that answers another mention wrongly.
        """

        def is_right(position: int, answer: int) -> bool:
            return links[answer] in accepted[position] if accepted[position] else links[answer] is None

        answers: list[int | None] = [None] * len(gold)
        pairs = same_span_pairs(gold, guesses, is_right)
        for position, answer in pairs:
            answers[position] = answer
        right = {position: answer for position, answer in pairs if links[answer] in accepted[position]}
        if len(right) == len(gold) == len(guesses):
            return cls(answers, frozenset(right.values()), {}, [], 0, 0)
        left = [position for position, ids in enumerate(accepted) if ids and position not in right]
        taken = set(right.values())
        others = [answer for answer, link in enumerate(links) if link is not None and answer not in taken]
        n_right_beside = len(_overlapping(gold, guesses, left, others, is_right))

        left = [position for position, answer in enumerate(answers) if answer is None]
        taken = {answer for _, answer in pairs}
        others = [answer for answer in range(len(guesses)) if answer not in taken]
        n_spans_beside = len(_overlapping(gold, guesses, left, others))

        left = [position for position in left if accepted[position]]
        beside = dict(_overlapping(gold, guesses, left, others, is_right))
        left = [position for position in left if position not in beside]
        free = [answer for answer in others if answer not in beside.values()]
        beside |= dict(_overlapping(gold, guesses, left, free))
        used = set(beside.values())
        spurious = [answer for answer in others if answer not in used]
        return cls(answers, frozenset(right.values()), beside, spurious, n_right_beside, n_spans_beside)


def same_span_pairs(gold: Sequence[Mention], guesses: Sequence[Mention], is_right: PairTest) -> list[Pair]:
    """The pairs of one span, in the order of gold.

    Where several gold mentions or predictions share a span, right answers are paired first, then the rest; both as they
    come.

    Examples
    --------
    >>> gold = [Mention(0, 5, "Paris", entity="a"), Mention(0, 5, "Paris", entity="b")]
    >>> guesses = [Mention(0, 5, "Paris", entity="b"), Mention(0, 5, "Paris", entity="c")]
    >>> same_span_pairs(gold, guesses, lambda i, j: gold[i].entity == guesses[j].entity)
    [(0, 1), (1, 0)]
    """
    span_to_guesses = _by_span(guesses)
    pairs: list[Pair] = []
    for span, positions in _by_span(gold).items():
        waiting = span_to_guesses.get(span)
        if waiting is None:
            continue
        if len(positions) == len(waiting) == 1:
            pairs.append((positions[0], waiting[0]))
        else:
            pairs += _right_first(positions, waiting, is_right)
    pairs.sort()
    return pairs


def _by_span(mentions: Sequence[Mention]) -> dict[tuple[int, int], list[int]]:
    span_to_positions: dict[tuple[int, int], list[int]] = {}
    for position, mention in enumerate(mentions):
        span_to_positions.setdefault((mention.start, mention.end), []).append(position)
    return span_to_positions


def _right_first(positions: Sequence[int], waiting: Sequence[int], is_right: PairTest) -> list[Pair]:
    pairs: list[Pair] = []
    left, free = list(positions), list(waiting)
    for position in positions:
        answer = next((guess for guess in free if is_right(position, guess)), None)
        if answer is not None:
            pairs.append((position, answer))
            left.remove(position)
            free.remove(answer)
    return pairs + list(zip(left, free, strict=False))


def overlapping_pairs(
    gold: Sequence[Mention], guesses: Sequence[Mention], accepts: PairTest = lambda gold, guess: True
) -> list[Pair]:
    """The wanted pairs that share at least one character, each mention in one pair at most.

    Pairs with the longest overlap come first; of equals the earlier gold mention, then the earlier prediction.

    Examples
    --------
    >>> gold = [Mention(0, 8, "New York"), Mention(4, 8, "York")]
    >>> overlapping_pairs(gold, [Mention(0, 13, "New York City"), Mention(0, 5, "New Y")])
    [(0, 0), (1, 1)]
    """
    if not gold or not guesses:
        return []
    order = sorted(range(len(guesses)), key=lambda position: guesses[position].start)
    starts = [guesses[position].start for position in order]
    longest = max(guess.end - guess.start for guess in guesses)
    overlaps: list[tuple[int, int, int]] = []
    for position, mention in enumerate(gold):
        first, last = bisect_right(starts, mention.start - longest), bisect_left(starts, mention.end)
        for answer in order[first:last]:
            guess = guesses[answer]
            shared = min(mention.end, guess.end) - max(mention.start, guess.start)
            if shared > 0 and accepts(position, answer):
                overlaps.append((-shared, position, answer))
    return _one_to_one(overlaps)


def _overlapping(
    gold: Sequence[Mention],
    guesses: Sequence[Mention],
    positions: Sequence[int],
    answers: Sequence[int],
    accepts: PairTest = lambda position, answer: True,
) -> list[Pair]:
    """The overlapping pairs among these gold mentions and these predictions."""
    pairs = overlapping_pairs(
        [gold[position] for position in positions],
        [guesses[answer] for answer in answers],
        lambda position, answer: accepts(positions[position], answers[answer]),
    )
    return [(positions[position], answers[answer]) for position, answer in pairs]


def _one_to_one(overlaps: list[tuple[int, int, int]]) -> list[Pair]:
    overlaps.sort()
    taken: set[int] = set()
    used: set[int] = set()
    pairs: list[Pair] = []
    for _, position, answer in overlaps:
        if position not in taken and answer not in used:
            taken.add(position)
            used.add(answer)
            pairs.append((position, answer))
    return sorted(pairs)
