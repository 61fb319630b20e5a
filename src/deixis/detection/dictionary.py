"""Mentions by the names of the knowledge base: the longest from left to right, or every name at every place.

Names and text are compared token by token after folding (see `deixis.features.tokens`), so accents in another encoding,
full-width letters and line breaks inside a name do not matter; in scripts without spaces a name may begin anywhere.
What is found is then checked against how the name is written, so that a film called It is not seen in every sentence:

- a name with a capital first letter is found in text with a capital first letter. Phrases whose later words are in
  lower case (Heart attack) and names in lower case are found either way, and so is everything when most of the list is
  in capitals;
- a name of up to three capitals (WHO, US) is found only in capitals;
- a name made of stop words (a short list for some languages) is found only with a capital inside a sentence;
- among names with capitals, one word in lower case is not looked for in lower case if the knowledge base's own texts
  use it now and then (year, people); one with a capital that they use often is not seen where a sentence begins or
  where all is in capitals. In a list that is mostly in lower case, only words in a fifth of the texts are left out;
- names of one character, and of digits only, are not looked for; "Mercury (planet)" is looked for as Mercury.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.config import Config, setting
from deixis.detection.spans import SpanTable
from deixis.errors import DataError, StoreError
from deixis.features.stop_words import stop_words
from deixis.features.tokens import tokenize
from deixis.native import _core
from deixis.store.checks import require
from deixis.store.strings import StringTable

# In the order in which the core's constructor takes them.
_ARRAYS: dict[str, type[np.generic]] = {
    "tokens.data": np.uint8, "tokens.offsets": np.int64, "tokens.slots": np.uint64,
    "trie.child_ptr": np.int32, "trie.labels": np.uint32, "flags": np.uint8,
}  # fmt: skip


# Shares of the knowledge base's texts that make a word common, frequent, or (in lists in lower case) a stop word.
# They are about language, not about a list; words in fewer than ten texts are too rare to tell.
COMMON_SHARE, FREQUENT_SHARE, STOP_SHARE, MIN_COMMON_TEXTS = 0.001, 0.01, 0.2, 10


@dataclass(frozen=True)
class DictionaryConfig(Config):
    """Which names are looked for, and how they must be written."""

    RETIRED = {
        "common_share": COMMON_SHARE,
        "frequent_share": FREQUENT_SHARE,
        "stop_share": STOP_SHARE,
        "min_common_texts": MIN_COMMON_TEXTS,
    }

    min_chars: int = setting(2, "Shortest name to detect, in characters.", low=1, below=2**31, cli="--min-chars")
    min_chars_unspaced: int = setting(2, "The same, in scripts without spaces.", low=1, below=2**31)
    max_tokens: int = setting(12, "Longest name to detect, in tokens.", low=1, below=2**31, cli="--max-tokens")
    case: Literal["smart", "ignore"] = setting("smart", "Take note of capitals (smart), or ignore case.", cli="--case")
    stop_words: bool = setting(True, "Do not detect names that are stop words.", cli="--stop-words")


class DictionaryDetector:
    """Finds the names of a knowledge base in texts.

    Examples
    --------
    >>> detector = DictionaryDetector.build(["Paris", "Troy", "New York", "New York City", "It"])
    >>> text = "To save Troy, Paris went to New York City. It rained."
    >>> [text[start:end] for start, end in detector.detect([text])[0]]
    ['Troy', 'Paris', 'New York City']
    """

    def __init__(self, arrays: dict[str, NDArray[Any]], config: DictionaryConfig) -> None:
        self.config = config
        self._arrays = arrays
        self._matcher = _core.DictionaryMatcher(**{name.replace(".", "_"): arrays[name] for name in _ARRAYS})

    @classmethod
    def build(
        cls,
        names: StringTable | Sequence[str] | tuple[StringTable, NDArray[np.integer]],
        texts: StringTable | None = None,
        config: DictionaryConfig | None = None,
    ) -> DictionaryDetector:
        """A detector of the names (or of what `kb.names()` gave); `texts`, the KB's descriptions, show common words."""
        config = config or DictionaryConfig()
        if isinstance(names, tuple) and names and isinstance(names[0], StringTable):
            names = names[0]
        table = StringTable.from_strings(names)  # type: ignore[arg-type]
        shown = texts if texts is not None else StringTable.from_strings([])
        stopped = StringTable.from_strings(stop_words() if config.stop_words else [])
        arrays = _core.dictionary_build(
            table.data, table.offsets, shown.data, shown.offsets, stopped.data, stopped.offsets,
            config.min_chars, config.min_chars_unspaced, config.max_tokens, config.case == "ignore",
            COMMON_SHARE, FREQUENT_SHARE, STOP_SHARE, MIN_COMMON_TEXTS,
        )  # fmt: skip
        return cls(arrays, config)

    def detect(self, texts: Sequence[str], n_threads: int = 0) -> list[list[tuple[int, int]]]:
        """For each text the code points [start, end) of the names in it, in order."""
        if isinstance(texts, str):
            raise DataError(f"Expected a list of texts, got one string: {texts[:40]!r}. Put it into a list.")
        return self._matcher.match(list(texts), n_threads)

    def spans(
        self,
        texts: Sequence[str],
        n_threads: int = 0,
        *,
        any_case: bool = False,
        plurals: bool = True,
        max_run: int = 0,
    ) -> SpanTable:
        """Every name at every place, overlaps and all; what `detect` finds is among them.

        With `plurals` also names with an -s more or less at their end; with `any_case` also names that are not written
        according to the rules; and with `max_run` also up to that many capitalized words that are not a name.

        Examples
        --------
        >>> text = "Two Parises, and Ann Troy's wagon"
        >>> spans = DictionaryDetector.build(["Paris", "Troy", "Wagons"]).spans([text], max_run=2)
        >>> [text[start:end] for start, end in zip(spans.starts, spans.ends)]
        ['Two', 'Two Parises', 'Parises', 'Ann', 'Ann Troy', 'Troy']
        """
        if isinstance(texts, str):
            raise DataError(f"Expected a list of texts, got one string: {texts[:40]!r}. Put it into a list.")
        return SpanTable(**self._matcher.match_all(list(texts), any_case, plurals, max_run, n_threads))

    @property
    def n_numbers(self) -> int:
        """Numbers of names are smaller than this."""
        return len(self._arrays["flags"])

    def names_in(self, texts: StringTable, n_threads: int = 0, is_inner: bool = False) -> sparse.csr_matrix:
        """texts_by_names: a one for each different name that `detect` would find in a text, by its number.

        With `is_inner` the texts are names themselves and the whole of a text is not looked for, only what is in it.

        Examples
        --------
        >>> names = StringTable.from_strings(["Paris", "Troy", "New Troy"])
        >>> detector = DictionaryDetector.build(names)
        >>> texts = StringTable.from_strings(["Paris of Troy, Paris", "New Troy"])
        >>> detector.names_in(texts)[:, detector.numbers(names)].toarray().tolist()
        [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        >>> detector.names_in(texts, is_inner=True)[:, detector.numbers(names)].toarray().tolist()
        [[1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]
        """
        indptr, numbers = self._matcher.match_table(texts.data, texts.offsets, is_inner, n_threads)
        shape = (len(texts), self.n_numbers)
        return sparse.csr_matrix((np.ones(len(numbers), np.float32), numbers, indptr), shape=shape)

    def numbers(self, names: StringTable, n_threads: int = 0) -> NDArray[np.int32]:
        """The number of each name in `names_in`; names that are matched the same way share it; -1 is never matched."""
        return self._matcher.numbers(names.data, names.offsets, n_threads)

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The dictionary as arrays under names that begin with `prefix`."""
        return {f"{prefix}.{name}": self._arrays[name] for name in _ARRAYS}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, config: DictionaryConfig | None = None
    ) -> DictionaryDetector:
        """The detector that `to_arrays` gave; the arrays are used where they lie, memory-mapped or not."""
        own_arrays = {name: require(arrays, f"{prefix}.{name}", dtype) for name, dtype in _ARRAYS.items()}
        try:
            return cls(own_arrays, config or DictionaryConfig())
        except (ValueError, TypeError) as error:
            raise StoreError(f"The arrays '{prefix}.*' are damaged: {error} Build the model again.") from error


def is_findable(name: str, config: DictionaryConfig | None = None) -> bool:
    """Whether a detector would find the name anywhere; not if it is too short, too long or a number once folded.

    Examples
    --------
    >>> [name for name in ("C++", "Go", "R", "1984", "!!!", "U.S.") if is_findable(name)]
    ['Go', 'U.S.']
    """
    config = config or DictionaryConfig()
    # Most names have letters enough; of the others a dictionary is made, which takes longer: is it empty?
    tokens = tokenize(name)
    if "(" not in name and 0 < len(tokens) <= config.max_tokens:
        n_letters = sum(character.isalpha() for token in tokens for character in name[token.start : token.end])
        if n_letters >= max(config.min_chars, config.min_chars_unspaced):
            return True
    alone = DictionaryDetector.build([name], config=replace(config, stop_words=False))
    return bool(alone.to_arrays("alone")["alone.flags"].any())
