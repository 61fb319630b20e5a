"""The names of a list, and every place in a text where one of them may stand.

Names and text are compared word by word without case, accents (Latin, Greek, Cyrillic) and the endings of plural and
possessive, British as American spelling; hyphens, apostrophes, slashes and quotation marks between words do not count.
Other punctuation does: a name is found across a comma, a bracket, the end of a sentence or of a line only if the name
has the same there (a line of forty characters or more counts as broken for its length). A name with one comma is also
found turned round, without it. A long word that neither the list nor the table of common words has may be one letter
away from a word of the list. In scripts without spaces a name may begin anywhere. Names of one character, and of digits
only, are not looked for; "Mercury (planet)" is looked for as Mercury.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.detection.dictionary import DictionaryConfig
from deixis.detection.spans import SpanTable
from deixis.detection.words import word_table
from deixis.errors import DataError, StoreError
from deixis.features.tokens import with_narrow_tokens
from deixis.native import _core
from deixis.store.checks import require
from deixis.store.strings import StringTable

# In the order in which the core's constructor takes them.
_ARRAYS: dict[str, type[np.generic]] = {
    "tokens.data": np.uint8, "tokens.offsets": np.uint32, "tokens.slots": np.uint32,
    "trie.child_ptr": np.int32, "trie.labels": np.uint32, "writing": np.uint8,
}  # fmt: skip


class NameMatcher:
    """Finds the names of a list in texts, in whichever case, overlaps and all.

    Examples
    --------
    >>> matcher = NameMatcher.build(["Parkinson's disease", "Lung cancer", "Cancer, Breast"])
    >>> text = "Parkinson diseases, lung-cancer; breast"
    >>> spans = matcher.spans([text])
    >>> [text[start:end] for start, end in zip(spans.starts, spans.ends)]
    ['Parkinson diseases', 'lung-cancer']
    >>> len(matcher.spans(["Breast cancer, cancer breast"]))
    1
    """

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        self._arrays = arrays
        self._matcher = _core.NameMatcher(**{name.replace(".", "_"): arrays[name] for name in _ARRAYS})

    @classmethod
    def build(cls, names: StringTable | Sequence[str], config: DictionaryConfig | None = None) -> NameMatcher:
        """A matcher of these names."""
        config = config or DictionaryConfig()
        table = StringTable.from_strings(names)
        return cls(
            _core.names_build(table.data, table.offsets, config.min_chars, config.min_chars_unspaced, config.max_tokens)
        )

    def spans(self, texts: Sequence[str], n_threads: int = 0, *, max_run: int = 0) -> SpanTable:
        """Every name at every place, and with `max_run` up to that many capitalized words that are not a name.

        Examples
        --------
        >>> text = "Two Parises, and Ann Troy's wagon"
        >>> spans = NameMatcher.build(["Paris", "Troy", "Wagons"]).spans([text], max_run=2)
        >>> [text[start:end] for start, end in zip(spans.starts, spans.ends)]
        ['Two', 'Two Parises', 'Parises', 'Ann', 'Ann Troy', 'Troy', 'wagon']
        """
        if isinstance(texts, str):
            raise DataError(f"Expected a list of texts, got one string: {texts[:40]!r}. Put it into a list.")
        return SpanTable(**self._matcher.spans(list(texts), word_table(), max_run, n_threads))

    @property
    def n_numbers(self) -> int:
        """Numbers of names are smaller than this."""
        return len(self._arrays["writing"])

    def numbers(self, names: StringTable, n_threads: int = 0) -> NDArray[np.int32]:
        """The number of each name in `spans`; names with the same stems share it; -1 is never found."""
        return self._matcher.numbers(names.data, names.offsets, n_threads)

    def n_longer(self, names: StringTable) -> NDArray[np.int32]:
        """How many of these names each name is a part of, by its number."""
        return self._matcher.n_longer(names.data, names.offsets)

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The names as arrays under names that begin with `prefix`."""
        return {f"{prefix}.{name}": self._arrays[name] for name in _ARRAYS}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> NameMatcher:
        """The matcher that `to_arrays` gave; the arrays are used where they lie, memory-mapped or not."""
        arrays = with_narrow_tokens(arrays, prefix)
        own_arrays = {name: require(arrays, f"{prefix}.{name}", dtype) for name, dtype in _ARRAYS.items()}
        try:
            return cls(own_arrays)
        except (ValueError, TypeError) as error:
            raise StoreError(f"The arrays '{prefix}.*' are damaged: {error} Build the model again.") from error


def is_findable(name: str, config: DictionaryConfig | None = None) -> bool:
    """Whether a name could be found anywhere; not if it is too short, too long or a number once folded.

    Examples
    --------
    >>> [name for name in ("C++", "Go", "R", "1984", "!!!", "U.S.") if is_findable(name)]
    ['Go', 'U.S.']
    """
    config = config or DictionaryConfig()
    # Most names have letters enough; of the others a matcher is made, which takes longer: is it empty?
    words = _core.stems(name)
    if "(" not in name and 0 < len(words) <= config.max_tokens:
        if sum(character.isalpha() for character in name) >= max(config.min_chars, config.min_chars_unspaced) + 1:
            return True
    return bool(NameMatcher.build([name], config).numbers(StringTable.from_strings([name]))[0] >= 0)
