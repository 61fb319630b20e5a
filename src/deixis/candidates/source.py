"""What every candidate source has, and what it is built from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from deixis.candidates import SOURCES
from deixis.candidates.candidate_lists import candidates_of
from deixis.candidates.entity_facts import entity_words, popularity_from
from deixis.errors import ConfigError
from deixis.features.added_ngrams import AddedNgrams, AddedVectorizer
from deixis.features.entity_words import EntityWords
from deixis.features.stated_names import StatedNames
from deixis.features.tfidf import TfidfVectorizer
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.nearest.mask_cache import check_allowed
from deixis.progress import stage
from deixis.store.build_folder import PART, saved_part, stored_part
from deixis.store.part import Part
from deixis.tables import CandidateTable, EntityMask, FlatRows
from deixis.types import Candidate, Document, MentionInContext


class SourceConfig(Protocol):
    """The settings of a source: a frozen dataclass with a `k`, and what else the source needs."""

    @property
    def k(self) -> int:
        """How many candidates the source proposes for a mention, at most."""


class CandidateSource(ABC):
    """One way to propose entities for mentions. A line in `deixis.candidates.SOURCES` makes it part of the pipeline.

    A source has at least `build`, `search`, `to_arrays` and `from_arrays`; its scores are a column of the candidate
    table under its `name`. `kb` are the entities that it proposes, as rows.
    """

    name: ClassVar[str]
    config_type: ClassVar[type[Any]]
    kb: KnowledgeBase
    config: Any

    @classmethod
    @abstractmethod
    def build(cls, inputs: SourceInputs, config: Any = None) -> Self | None:  # noqa: ANN401 - the source's own config
        """The source over a knowledge base; None if there is nothing to search, such as no descriptions."""

    @abstractmethod
    def search(self, mentions: Sequence[MentionInContext], k: int, mask: EntityMask | None = None) -> FlatRows:
        """mentions_by_entities: the best `k` rows of each mention, stored best first, scores in 0..1.

        The mask is applied before the best `k` are taken, so a filter never gives fewer candidates than exist.
        """

    def column(self, candidates: FlatRows) -> NDArray[np.float32]:
        """The source's column of the candidate table, for what `search` gave, in order: the scores themselves."""
        return np.asarray(candidates.data, dtype=np.float32)

    def scored(self, mentions: Sequence[MentionInContext], k: int, mask: EntityMask | None) -> FlatRows:
        """mentions_by_entities: what `search` proposes, in any order, with the scores of `column`."""
        ranking = self.search(mentions, k, mask)
        if not isinstance(ranking, FlatRows):
            ranking = FlatRows.of(ranking)  # a source of somebody else's may give a SciPy matrix
        return ranking.with_data(self.column(ranking))

    def score(self, mentions: Sequence[MentionInContext], table: CandidateTable) -> NDArray[np.float32] | None:
        """A score for every candidate of the table, whichever source proposed it; None: only its own have one."""
        del mentions, table
        return None

    def extend(self, added: SourceInputs) -> Self | None:
        """The source over new entities only, with comparable scores; None: it cannot propose them before a build."""
        del added
        return None

    def with_mentions(self, mentions: Sequence[MentionInContext], rows: Sequence[int]) -> Self:
        """The source with further mentions of known entities (corrections); itself where they do not matter."""
        del mentions, rows
        return self

    @abstractmethod
    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Everything it learned as arrays under names that begin with `prefix`, without the knowledge base."""

    @classmethod
    @abstractmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        prefix: str,
        inputs: SourceInputs,
        config: Any = None,  # noqa: ANN401 - the source's own config
    ) -> Self | None:
        """The source that `to_arrays` gave, over the knowledge base it was built from; None where `build` gave None."""

    @property
    def reads_context(self) -> bool:
        """Whether candidates depend on more than the text and language of a mention; if not, they can be kept."""
        return True

    @property
    def row_order(self) -> NDArray[np.integer] | None:
        """The position of each entity in an order of its own that puts similar ones together; None: it has none."""
        return None

    def generate(
        self, mentions: Sequence[MentionInContext], k: int, mask: EntityMask | None = None
    ) -> list[list[Candidate]]:
        """The candidates of `search` as records, a list for each mention; an empty list if there are none."""
        return candidates_of(self.kb, self.search(mentions, k, mask)) if mentions else []

    def check_search(self, k: int, mask: EntityMask | None) -> None:
        """An error unless `k` and the mask can be searched with."""
        if k < 1:
            raise ConfigError(f"k must be at least 1, got {k}.")
        if mask is not None:
            check_allowed(mask, len(self.kb))


@dataclass(frozen=True, eq=False)
class RowOrder(Part):
    """The position of each entity in an order that puts similar ones together."""

    positions: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SourceInputs:
    """A knowledge base, annotated documents, and how often each entity is spoken of.

    `counts` are those of the knowledge base if none are given. `configs` has the settings of every source of the model,
    by name, and `earlier` sources of the same entities, of which vectors need not be made again. `stored_words` are the
    words of a saved model or of added entities, which also have a `stored_popularity` and, by the name of a source, new
    n-grams of their names; `built` are the sources that were built from these inputs so far.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris", "count": 999}, {"id": "Q1", "title": "Troy"}])
    >>> SourceInputs(kb).popularity.round(3).tolist()
    [1.0, 0.0]
    """

    kb: KnowledgeBase
    documents: Sequence[Document] = ()
    counts: NDArray[np.floating] | NDArray[np.integer] | None = None
    configs: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    n_threads: int = 0
    earlier: Mapping[str, CandidateSource] = field(default_factory=dict)
    stored_words: EntityWords | None = None
    stored_popularity: NDArray[np.float32] | None = None
    built: dict[str, CandidateSource | None] = field(default_factory=dict, repr=False)
    name_to_ngrams: Mapping[str, AddedNgrams] = field(default_factory=dict, repr=False)

    def source(self, name: str) -> CandidateSource | None:
        """The source of this name, built at the first call: sources may use each other."""
        if name not in self.built:
            config = self.configs.get(name)
            self.built[name] = saved_part(
                f"sources.{name}",
                lambda: SOURCES[name].build(self, config),
                lambda arrays: SOURCES[name].from_arrays(arrays, PART, self, config) if arrays else None,
            )
        return self.built[name]

    def ngrams(self, name: str, vectorizer: TfidfVectorizer | AddedVectorizer) -> AddedNgrams:
        """The new n-grams under a name; without any those that the vectorizer has, or none."""
        if name in self.name_to_ngrams:
            return self.name_to_ngrams[name]
        return vectorizer.ngrams if isinstance(vectorizer, AddedVectorizer) else AddedNgrams(vectorizer)

    @cached_property
    def popularity(self) -> NDArray[np.float32]:
        """How often each entity is spoken of, from 0 to 1."""
        if self.stored_popularity is not None:
            return self.stored_popularity
        return popularity_from(self.kb.counts if self.counts is None else self.counts)

    @cached_property
    def counted_kb(self) -> KnowledgeBase:
        """The knowledge base with these counts in place of its own."""
        return self.kb if self.counts is None else replace(self.kb, counts=np.rint(self.counts).astype(np.int64))

    @cached_property
    def words(self) -> EntityWords:
        """The words of names and descriptions."""
        if self.stored_words is not None:
            return self.stored_words
        return replace(self.counted_words, stated=self.stated)

    @cached_property
    def counted_words(self) -> EntityWords:
        """The same without what descriptions state."""
        return stored_part(self._words, "words", EntityWords, n_entities=len(self.kb))

    def _words(self) -> EntityWords:
        with stage("counting words of descriptions"):
            return entity_words(self.kb, self.n_threads)

    @cached_property
    def stated(self) -> StatedNames:
        """What descriptions state of their entities: further names, and which only list namesakes."""
        return stored_part(lambda: StatedNames.read(self.kb.titles, self.kb.description_texts()), "stated", StatedNames)

    @cached_property
    def row_order(self) -> NDArray[np.integer]:
        """The position of each entity in an order that puts similar ones together: the label tree's, or by title."""
        return self.stored_row_order(self._row_order)

    def stored_row_order(self, order: Callable[[], NDArray[np.integer]]) -> NDArray[np.integer]:
        """The order, kept among the parts of a build, so that who knows it need not make the source it comes from."""
        return stored_part(lambda: RowOrder(order().astype(np.int64)), "order", RowOrder).positions

    def _row_order(self) -> NDArray[np.integer]:
        tree = self.source("label_tree") if "label_tree" in self.configs else None
        if tree is not None and tree.row_order is not None:
            return tree.row_order
        positions = np.empty(len(self.kb), dtype=np.int64)
        positions[np.argsort(np.array(list(self.kb.titles), dtype=object), kind="stable")] = np.arange(len(self.kb))
        return positions
