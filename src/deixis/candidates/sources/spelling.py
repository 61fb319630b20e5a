"""Candidates by string similarity: the entities whose names are spelled most like a mention that is not itself a name.

After Farhan, 2024, "Multilingual Entity Linking Using Dense Retrieval", section 3.4.2, which compares a mention with
every alias by normalised Indel distance. The same names are found here without comparing most (`nearest.indel_index`).
New is that a mention may also be compared with the single words of names: Kuehbauer finds Dietmar Kühbauer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.mention_batch import MentionBatch
from deixis.candidates.source import CandidateSource, SourceInputs
from deixis.candidates.weighted_names import AliasNames
from deixis.config import Config, setting
from deixis.features.name_forms import NameForms, NameFormsConfig
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.native import _core
from deixis.nearest.merging import best_of_both
from deixis.nearest.spelling_index import IndelIndex
from deixis.progress import stage
from deixis.store.checks import check_length, check_range, require
from deixis.store.numbers import distinct_numbers
from deixis.store.scratch import GrowingArray
from deixis.store.sparse_rows_builder import row_chunks
from deixis.store.string_hashes import distinct_strings
from deixis.store.strings import StringTable, StringTableBuilder
from deixis.tables import EntityMask, FlatRows
from deixis.types import MentionInContext


def _any_script() -> NameFormsConfig:
    return replace(NameFormsConfig.loose(), transliterates=True)


@dataclass(frozen=True)
class SpellingConfig(Config):
    """What of a name is compared, and what is similar enough."""

    forms: NameFormsConfig = field(default_factory=_any_script)
    min_similarity: float = setting(0.6, "Least similarity of a name, from 0 to 1.", low=0, high=1)
    searches_always: bool = setting(False, "Search similar names also for a mention that is itself a name.")
    word_weight: float = setting(
        0.9,
        "What similarity to a single word of a name counts; 0: words are not compared.",
        low=0,
        high=1,
        is_fixed=True,
    )
    max_shared: int = setting(
        50, "Words that more entities than this have in their names are not compared.", low=1, is_fixed=True
    )
    k: int = setting(20, "Candidates by the spelling of names.", low=1)


class SpellingSource(CandidateSource):
    """Finds the entities whose names are most similar to a mention; the score is the similarity.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q406", "title": "İstanbul"}, {"id": "Q3640", "title": "Ankara"}])
    >>> source = SpellingSource.build(SourceInputs(kb))
    >>> candidates = source.generate([MentionInContext("Istanbulda", "Istanbulda", 0, 10)], k=5)[0]
    >>> [(candidate.id, round(candidate.score, 2)) for candidate in candidates]
    [('Q406', 0.89)]
    """

    name = "spelling"
    config_type = SpellingConfig

    def __init__(
        self,
        kb: KnowledgeBase,
        names: IndelIndex,
        words: IndelIndex | None,
        popular: NDArray[np.int32],
        config: SpellingConfig,
        n_threads: int = 0,
    ) -> None:
        self.kb = kb
        self.names = names
        self.words = words
        self.popular = popular  # rows, the most popular first: the indexes know entities by their places here
        self.config = config
        self.n_threads = n_threads
        self.forms = NameForms(config.forms)

    @classmethod
    def build(cls, inputs: SourceInputs, config: SpellingConfig | None = None) -> SpellingSource:
        """An index of the names of the knowledge base and of annotated mentions; deterministic."""
        config, kb = config or SpellingConfig(), inputs.counted_kb
        with stage("making an index of spellings"):
            known = AliasNames.collect(kb, inputs.documents, title_weight=1.0)
            popular = _most_popular(kb, known)
            positions = np.empty(len(kb), dtype=np.int64)
            positions[popular] = np.arange(len(kb))
            keys = NameForms(config.forms).keys(known.names, known.langs, inputs.n_threads)
            is_name = np.diff(keys.offsets) > 0
            keys, groups = keys.take(np.flatnonzero(is_name)), positions[known.rows[is_name]]
            names = IndelIndex.build(keys, groups, len(kb))
            words = _index_of_words(keys, groups, len(kb), config) if config.word_weight else None
        return cls(inputs.kb, names, words, popular, config, inputs.n_threads)

    def extend(self, added: SourceInputs) -> SpellingSource:
        """An index of the new entities' names, all words of them: similarities do not depend on other names."""
        new = SpellingSource.build(added, replace(self.config, max_shared=len(added.kb) + 1))
        return SpellingSource(added.counted_kb, new.names, new.words, new.popular, self.config, self.n_threads)

    def equal_names(self) -> SpellingSource:
        """The same source, which finds names that are equal to the mention but for what is not compared."""
        config = replace(self.config, min_similarity=1.0, word_weight=0.0)
        return SpellingSource(self.kb, self.names, None, self.popular, config, self.n_threads)

    @property
    def reads_context(self) -> bool:
        """Names alone are compared."""
        return False

    def search(self, mentions: Sequence[MentionInContext], k: int, mask: EntityMask | None = None) -> FlatRows:
        """mentions_by_entities: the similarity of the best `k` rows of a mention; of equals the more popular first."""
        self.check_search(k, mask)
        batch = MentionBatch.of(mentions)
        keys = self.forms.keys(batch.table, batch.langs, n_threads=1)
        of_mention, firsts = _distinct(keys)
        is_open = None if mask is None else mask[self.popular]
        if len(firsts) == len(keys):
            scores = self._search(keys, k, is_open)
        else:
            scores = self._search(keys.take(firsts), k, is_open)[np.array(of_mention)]
        return FlatRows(scores.indptr, self.popular[scores.indices], scores.data, scores.shape)

    def _search(self, keys: StringTable, k: int, is_open: NDArray[np.bool_] | None) -> FlatRows:
        """keys_by_places: the same for different keys, with the entities' places in `popular`."""
        config, n_keys = self.config, len(keys)
        stops = not config.searches_always
        by_name = self.names.search(
            keys, k, config.min_similarity, stops_at_exact=stops, allowed=is_open, n_threads=self.n_threads
        )
        if self.words is None or not n_keys:
            return by_name
        unknown, lasts = _core.open_rows(by_name.indptr, by_name.data, k, 1.0 if stops else np.inf)
        if not len(unknown):
            return by_name
        is_all = len(unknown) == n_keys
        # What a word must reach to be among the best, which names have filled; less what rounding takes.
        minima = np.maximum(config.min_similarity, lasts * (1 - 1e-6)) / config.word_weight
        by_word = self.words.search(
            keys if is_all else keys.take(unknown),
            k,
            np.minimum(1.0, minima),
            allowed=is_open,
            n_threads=self.n_threads,
        )
        by_word = by_word.with_data(by_word.data * np.float32(config.word_weight))
        return best_of_both(by_name, by_word if is_all else _spread(by_word, unknown, n_keys), k)

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The indexes as arrays under names that begin with `prefix`."""
        arrays = self.names.to_arrays(f"{prefix}.names") | {f"{prefix}.popular": self.popular}
        return arrays if self.words is None else arrays | self.words.to_arrays(f"{prefix}.words")

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        prefix: str,
        inputs: SourceInputs,
        config: SpellingConfig | None = None,
    ) -> SpellingSource:
        """The source `to_arrays` gave, over the knowledge base it was built from; opened, not read."""
        config, n_entities = config or SpellingConfig(), len(inputs.kb)
        popular = require(arrays, f"{prefix}.popular", np.int32)
        check_length(f"{prefix}.popular", popular, n_entities)
        check_range(f"{prefix}.popular", popular, 0, n_entities)
        names = IndelIndex.from_arrays(arrays, f"{prefix}.names", n_entities)
        words = IndelIndex.from_arrays(arrays, f"{prefix}.words", n_entities) if config.word_weight else None
        return cls(inputs.kb, names, words, popular, config, inputs.n_threads)


def _most_popular(kb: KnowledgeBase, known: AliasNames) -> NDArray[np.int32]:
    """The rows by how often they are mentioned, the earlier first among equals."""
    counts = kb.counts + np.bincount(known.rows, weights=known.counts, minlength=len(kb))
    return np.argsort(-counts, kind="stable").astype(np.int32)


def _index_of_words(keys: StringTable, groups: NDArray[np.int64], n_groups: int, config: SpellingConfig) -> IndelIndex:
    """An index of the words of names of several words."""
    builder, lengths = StringTableBuilder(), GrowingArray(np.int64)
    for chunk in row_chunks(len(keys)):  # Python's own strings take ten times the room
        split = [own if len(own := key.split()) > 1 else [] for key in keys.strings(chunk)]
        builder.extend(list(chain.from_iterable(split)))
        lengths.extend(np.fromiter(map(len, split), np.int64, len(split)))
    words = builder.build()
    word_groups = np.repeat(groups, lengths.build())
    numbers, firsts = distinct_strings(words)
    pairs = distinct_numbers(numbers * n_groups + word_groups)
    is_rare = np.bincount(pairs // n_groups, minlength=len(firsts)) <= config.max_shared
    rare = np.flatnonzero(is_rare[numbers])
    return IndelIndex.build(words.take(rare), word_groups[rare], n_groups)


def _distinct(keys: StringTable) -> tuple[list[int], list[int]]:
    """For each key its number among the different ones, and where each of these stands first."""
    data, ends, numbers, firsts = keys.data.tobytes(), keys.offsets.tolist(), dict[bytes, int](), list[int]()
    of_key = [numbers.setdefault(data[start:end], len(numbers)) for start, end in pairwise(ends)]
    for position, number in enumerate(of_key):
        if number == len(firsts):
            firsts.append(position)
    return of_key, firsts


def _spread(rows: FlatRows, positions: NDArray[np.int64], n_rows: int) -> FlatRows:
    """The same rows at some places of a longer matrix, the others empty."""
    lengths = np.zeros(n_rows, dtype=np.int64)
    lengths[positions] = rows.row_lengths
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    return FlatRows(indptr, rows.indices, rows.data, (n_rows, rows.shape[1]))
