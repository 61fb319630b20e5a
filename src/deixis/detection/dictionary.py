"""Names of the knowledge base in its own descriptions, by rules: the longest from left to right.

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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.config import Config, setting
from deixis.errors import DataError
from deixis.features.stop_words import stop_words
from deixis.native import _core
from deixis.scipy_sparse import sparse
from deixis.store.strings import StringTable

_ARRAYS = ("tokens.data", "tokens.offsets", "tokens.slots", "trie.child_ptr", "trie.labels", "flags")


# Shares of the knowledge base's texts that make a word common, frequent, or (in lists in lower case) a stop word.
# They are about language, not about a list; words in fewer than ten texts are too rare to tell.
COMMON_SHARE, FREQUENT_SHARE, STOP_SHARE, MIN_COMMON_TEXTS = 0.001, 0.01, 0.2, 10


@dataclass(frozen=True)
class DictionaryConfig(Config):
    """Which names are looked for."""

    RETIRED = {
        "common_share": COMMON_SHARE,
        "frequent_share": FREQUENT_SHARE,
        "stop_share": STOP_SHARE,
        "min_common_texts": MIN_COMMON_TEXTS,
        "case": "smart",
        "stop_words": True,
    }

    min_chars: int = setting(2, "Shortest name to detect, in characters.", low=1, below=2**31)
    min_chars_unspaced: int = setting(2, "The same, in scripts without spaces.", low=1, below=2**31)
    max_tokens: int = setting(12, "Longest name to detect, in tokens.", low=1, below=2**31)


class DictionaryDetector:
    """Finds the names of a knowledge base in texts.

    Examples
    --------
    >>> detector = DictionaryDetector.build(["Paris", "Troy", "New York", "New York City", "It"])
    >>> text = "To save Troy, Paris went to New York City. It rained."
    >>> [text[start:end] for start, end in detector.detect([text])[0]]
    ['Troy', 'Paris', 'New York City']
    """

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
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
        stopped = StringTable.from_strings(stop_words())
        arrays = _core.dictionary_build(
            table.data, table.offsets, shown.data, shown.offsets, stopped.data, stopped.offsets,
            config.min_chars, config.min_chars_unspaced, config.max_tokens,
            COMMON_SHARE, FREQUENT_SHARE, STOP_SHARE, MIN_COMMON_TEXTS,
        )  # fmt: skip
        return cls(arrays)

    def detect(self, texts: Sequence[str], n_threads: int = 0) -> list[list[tuple[int, int]]]:
        """For each text the code points [start, end) of the names in it, in order."""
        if isinstance(texts, str):
            raise DataError(f"Expected a list of texts, got one string: {texts[:40]!r}. Put it into a list.")
        return self._matcher.match(list(texts), n_threads)

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
