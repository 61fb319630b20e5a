"""Facts about names from the knowledge base alone: who has a name, how descriptions write it, what the list is like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from deixis.detection.names import NameMatcher
from deixis.detection.spans import Sign
from deixis.detection.words import common_words
from deixis.store.part import Part, array, value
from deixis.store.strings import StringTable

N_SAMPLED = 30_000  # texts read to see how names are written
N_SAMPLED_NAMES = 20_000
AT_ONCE = 2_000
FACTS = ("n_upper", "n_lower", "n_longer", "is_title")


@dataclass(frozen=True, eq=False)
class NameFacts(Part):
    """Facts of each name, by the matcher's number for it, and two numbers of the whole list.

    Descriptions write a name `n_upper` times with a capital that is not due to its position and `n_lower` times in
    lower case; `n_longer` other names have it as a part (all as logarithms of 1 + n); `is_title` says whether some
    entity has it as its title. `common_fraction` is the share of English's commonest words that are names of the list,
    `lower_fraction` how often texts write the words of its names in lower case, `n_names` how many names there are.

    Examples
    --------
    >>> names = StringTable.from_strings(["May", "Paris", "Paris"])
    >>> matcher = NameMatcher.build(names)
    >>> texts = StringTable.from_strings(["It may rain in Paris.", "The town may grow."])
    >>> facts = NameFacts.build(matcher, names, names, texts)
    >>> numbers = matcher.numbers(StringTable.from_strings(["May", "Paris"]))
    >>> np.expm1(facts.table[numbers, :2].astype(float)).round().tolist()
    [[0.0, 2.0], [1.0, 0.0]]
    """

    table: Annotated[NDArray[np.float16], array(columns=len(FACTS))]
    """names_by_facts."""
    common_fraction: Annotated[float, value(low=0, high=1)]
    lower_fraction: Annotated[float, value(low=0, high=1)]
    n_names: Annotated[int, value(low=0)]

    @classmethod
    def build(
        cls, matcher: NameMatcher, names: StringTable, titles: StringTable, texts: StringTable, n_threads: int = 0
    ) -> NameFacts:
        """The facts of the names; `titles` are those of the entities, `texts` their descriptions."""
        numbers = matcher.numbers(names, n_threads)
        is_sought = numbers >= 0
        counts = np.zeros((matcher.n_numbers, len(FACTS)), dtype=np.float64)
        step = max(1, len(texts) // N_SAMPLED)
        sampled = np.arange(0, len(texts), step)
        for begin in range(0, len(sampled), AT_ONCE):
            shown = list(texts.strings(sampled[begin : begin + AT_ONCE]))
            spans = matcher.spans(shown, n_threads)
            no_sign = Sign.BEGINS_SENTENCE | Sign.CAPITALS_AROUND | Sign.IN_LONGER_NAME
            is_upper = spans.has(Sign.TITLE_CASE | Sign.CAPITALS) & ~spans.has(no_sign)
            for column, chosen in ((0, is_upper), (1, spans.has(Sign.LOWER_CASE))):
                counts[:, column] += np.bincount(spans.names[chosen], minlength=len(counts))
        counts[:, 2] = matcher.n_longer(names)
        table = np.log1p(counts)
        title_numbers = matcher.numbers(titles, n_threads)
        table[title_numbers[title_numbers >= 0], 3] = 1.0
        n_names = len(np.unique(numbers[is_sought]))
        return cls(table.astype(np.float16), _common_fraction(matcher), _lower_fraction(matcher, names), n_names)

    def of(self, numbers: NDArray[np.int32]) -> NDArray[np.float32]:
        """The facts of each name; zeros for -1."""
        facts = self.table[np.maximum(numbers, 0)].astype(np.float32)
        facts[numbers < 0] = 0
        return facts


def _common_fraction(matcher: NameMatcher) -> float:
    """The share of common words that are names of the list, those in capitals only aside."""
    words = common_words()
    spans = matcher.spans(list(words), 1)
    is_whole = spans.ends == np.diff(words.offsets)[spans.texts]
    is_name = (spans.starts == 0) & is_whole & ~spans.has(Sign.LISTED_CAPITALS)
    return float(is_name.sum() / max(1, len(words)))


def _lower_fraction(matcher: NameMatcher, names: StringTable) -> float:
    """How often texts write the words of names in lower case: the mean over (a sample of) those that are known."""
    sampled = list(names.strings(range(0, len(names), max(1, len(names) // N_SAMPLED_NAMES))))
    spans = matcher.spans(sampled, 1)
    lengths = np.array([len(name) for name in sampled])
    is_whole = (spans.starts == 0) & (spans.ends == lengths[spans.texts])
    is_known = is_whole & spans.has(Sign.KNOWN_WORDS) & ~spans.has(Sign.STOP_WORDS)
    fractions = spans.lower_shares[is_known].astype(np.float64)
    return float((fractions.sum() + UNKNOWN_FRACTION) / (len(fractions) + 1))


UNKNOWN_FRACTION = 0.5  # of a list none of whose words are known
