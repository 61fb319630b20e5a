"""A few mistakes of every kind, with the text around them: what a report shows of a corpus that was not kept."""

from __future__ import annotations

import heapq
import zlib
from dataclasses import dataclass

from deixis.evaluation.linking.outcomes import Outcome
from deixis.types import Candidate, Document, Mention

N_AROUND = 80  # code points of text on either side
N_CANDIDATES = 10
_Key = tuple[int, str, int, int, str, int]


@dataclass(frozen=True, slots=True)
class ErrorExample:
    """A mistake in its text: `excerpt[start:end]` is the gold mention, or the prediction where gold has nothing.

    `guessed` is where the prediction stands in the excerpt, None if there is none or it lies outside.
    """

    outcome: Outcome
    document: str
    excerpt: str
    start: int
    end: int
    guessed: tuple[int, int] | None
    gold: str | None
    predicted: str | None
    score: float | None
    candidates: tuple[Candidate, ...]
    lang: str | None = None

    @classmethod
    def of(cls, outcome: Outcome, document: Document, gold: Mention | None, guess: Mention | None) -> ErrorExample:
        """The example made of a gold mention, a prediction, or both.

        Examples
        --------
        >>> document = Document("d", "To save Troy, Paris had to be sacrificed.")
        >>> example = ErrorExample.of(Outcome.MISSED, document, Mention(14, 19, "Paris", entity="Q167646"), None)
        >>> example.excerpt[example.start : example.end], example.gold, example.predicted
        ('Paris', 'Q167646', None)
        """
        shown = gold or guess
        if shown is None:
            raise ValueError("An example needs a gold mention or a prediction.")
        first, last = max(0, shown.start - N_AROUND), min(len(document.text), shown.end + N_AROUND)
        is_inside = guess is not None and first <= guess.start and guess.end <= last
        return cls(
            outcome=outcome,
            document=document.id,
            excerpt=document.text[first:last],
            start=shown.start - first,
            end=shown.end - first,
            guessed=(guess.start - first, guess.end - first) if guess is not None and is_inside else None,
            gold=None if gold is None else gold.entity,
            predicted=None if guess is None else guess.entity,
            score=None if guess is None else guess.score,
            candidates=() if guess is None else guess.candidates[:N_CANDIDATES],
            lang=document.lang,
        )


class ExampleStore:
    """At most `n_examples` mistakes of every kind, chosen by a checksum of their place.

    So they come from all over the corpus, and are the same whatever order documents come in.

    Examples
    --------
    >>> store = ExampleStore(n_examples=1)
    >>> for n in range(100):
    ...     store.add(Outcome.MISSED, Document(str(n), "Troy"), Mention(0, 4, "Troy", entity="Q22647"), None)
    >>> [(outcome.value, len(found)) for outcome, found in store.examples().items()]
    [('missed', 1)]
    """

    def __init__(self, n_examples: int) -> None:
        self.n_examples = n_examples
        self._n_added = 0
        self._heaps: dict[Outcome, list[tuple[_Key, ErrorExample]]] = {}

    def add(self, outcome: Outcome, document: Document, gold: Mention | None, guess: Mention | None) -> None:
        """Keep a mistake, or not."""
        shown = gold or guess
        if self.n_examples <= 0 or shown is None:
            return
        self._n_added += 1
        checksum = zlib.crc32(
            f"{document.id}\0{shown.start}\0{shown.end}\0{shown.entity}".encode(errors="surrogatepass")
        )
        key = (-checksum, document.id, shown.start, shown.end, shown.entity or "", -self._n_added)
        heap = self._heaps.setdefault(outcome, [])
        if len(heap) < self.n_examples:
            heapq.heappush(heap, (key, ErrorExample.of(outcome, document, gold, guess)))
        elif key > heap[0][0]:  # the heap's top has the largest checksum and is the first to go
            heapq.heapreplace(heap, (key, ErrorExample.of(outcome, document, gold, guess)))

    def examples(self) -> dict[Outcome, list[ErrorExample]]:
        """The kept mistakes by kind, kinds in the order of `Outcome`."""
        return {
            outcome: [example for _, example in sorted(self._heaps[outcome], reverse=True)]
            for outcome in Outcome
            if outcome in self._heaps
        }
