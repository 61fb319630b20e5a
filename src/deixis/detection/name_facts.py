"""Facts about names from the knowledge base alone: the entities with a name, and how descriptions write it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from deixis.detection.dictionary import DictionaryDetector
from deixis.detection.spans import Sign
from deixis.store.part import Part, array
from deixis.store.strings import StringTable

N_SAMPLED = 30_000  # texts read to see how names are written
AT_ONCE = 2_000
FACTS = ("n_bearers", "popularity", "n_upper", "n_lower")


@dataclass(frozen=True, eq=False)
class NameFacts(Part):
    """Logarithms (of 1 + n) of four counts for each name, by the detector's number for it.

    `n_bearers` entities have it; `popularity` is the count of the most popular of them; descriptions write it `n_upper`
    times with a capital that is not due to its position, and `n_lower` times in lower case.

    Examples
    --------
    >>> names = StringTable.from_strings(["May", "Paris", "Paris"])
    >>> detector = DictionaryDetector.build(names)
    >>> texts = StringTable.from_strings(["It may rain in Paris.", "The town may grow."])
    >>> facts = NameFacts.build(detector, names, np.array([0, 1, 2]), np.array([0.0, 9.0, 1.0]), texts)
    >>> numbers = detector.numbers(StringTable.from_strings(["May", "Paris"]))
    >>> np.expm1(facts.table[numbers].astype(float)).round().tolist()
    [[1.0, 0.0, 0.0, 2.0], [2.0, 9.0, 1.0, 0.0]]
    """

    table: Annotated[NDArray[np.float16], array(columns=len(FACTS))]
    """names_by_facts."""

    @classmethod
    def build(
        cls,
        detector: DictionaryDetector,
        names: StringTable,
        rows: NDArray[np.integer],
        counts: NDArray[np.float64],
        texts: StringTable,
        n_threads: int = 0,
    ) -> NameFacts:
        """The facts of the names of the entities in `rows`; `counts` are how often each entity occurs."""
        numbers = detector.numbers(names, n_threads)
        is_sought = numbers >= 0
        table = np.zeros((detector.n_numbers, len(FACTS)), dtype=np.float64)
        table[:, 0] = np.bincount(numbers[is_sought], minlength=len(table))
        np.maximum.at(table[:, 1], numbers[is_sought], counts[rows[is_sought]])
        step = max(1, len(texts) // N_SAMPLED)
        sampled = np.arange(0, len(texts), step)
        for begin in range(0, len(sampled), AT_ONCE):
            shown = list(texts.strings(sampled[begin : begin + AT_ONCE]))
            spans = detector.spans(shown, n_threads, any_case=True, plurals=False, max_run=0)
            is_upper = spans.has(Sign.BEGINS_UPPER) & ~spans.has(Sign.UPPER_ANYWAY | Sign.IN_LONGER_NAME)
            for column, chosen in ((2, is_upper), (3, spans.has(Sign.BEGINS_LOWER))):
                table[:, column] += np.bincount(spans.names[chosen], minlength=len(table))
        return cls(np.log1p(table).astype(np.float16))

    def of(self, numbers: NDArray[np.int32]) -> NDArray[np.float32]:
        """The facts of each name; zeros for -1."""
        facts = self.table[numbers].astype(np.float32)
        facts[numbers < 0] = 0
        return facts
