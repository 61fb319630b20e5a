"""The candidate sources of a model together: one table of candidates for each batch of mentions.

Every source finds what the others miss: exact names what a name is known to mean, spellings names misspelled or in
another script, the similarity of names those longer than the mention, the tree what it learned from annotated mentions,
descriptions what an entity is also called, and vectors, where there is an encoder, what a text is about. Which of all
these candidates is meant is for the ranking to say; it is given the score of each source.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.candidates import SOURCES
from deixis.candidates.config import SourcesConfig
from deixis.candidates.mention_batch import MentionBatch
from deixis.candidates.source import CandidateSource, SourceInputs
from deixis.candidates.sources.alias import AliasSource
from deixis.features.entity_words import EntityWords
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.nearest.merging import merged
from deixis.tables import CandidateTable, EntityMask
from deixis.types import Document, MentionInContext


@dataclass(frozen=True, eq=False)
class CandidateSources:
    """The sources of a model by name, in the order of its settings, and the words of entities that they share.

    A source that had nothing to search, such as descriptions of a knowledge base without any, is not there.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q22889", "title": "Troy"}])
    >>> sources = CandidateSources.build(kb)
    >>> table = sources.propose([MentionInContext("Paris", "Paris had to be sacrificed.", 0, 5)])
    >>> table.rows.tolist(), table.column("names").round().tolist()
    ([0, 1], [1.0, 0.0])
    """

    kb: KnowledgeBase
    by_name: Mapping[str, CandidateSource]
    words: EntityWords
    config: SourcesConfig

    @classmethod
    def build(
        cls,
        kb: KnowledgeBase,
        documents: Iterable[Document] = (),
        config: SourcesConfig | None = None,
        seed: int = 0,
        n_threads: int = 0,
        counts: NDArray[np.floating] | NDArray[np.integer] | None = None,
        earlier: Mapping[str, CandidateSource] | None = None,
    ) -> CandidateSources:
        """All sources over the entities of `kb`; `counts` say how often each is spoken of.

        `earlier` are sources of the same entities, whatever documents they were built with: what they have encoded is
        not encoded again.
        """
        config = config or SourcesConfig()
        configs = {name: config[name] for name in config.sources}
        inputs = SourceInputs(kb, list(documents), counts, configs, seed, n_threads, earlier or {})
        built = {name: inputs.source(name) for name in config.sources}
        return cls(kb, {name: each for name, each in built.items() if each is not None}, inputs.words, config)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a table of candidates, one for each source."""
        return tuple(self.by_name)

    @cached_property
    def read_context(self) -> bool:
        """Whether any source reads more than the text and language of a mention."""
        return any(source.reads_context for source in self.by_name.values())

    def get(self, name: str) -> Any:  # noqa: ANN401 - each source is of its own class
        """The source of this name; None if the model has none."""
        return self.by_name.get(name)

    def with_source(self, source: CandidateSource) -> CandidateSources:
        """The same with this source, in place of the one of its name or after all others."""
        config = self.config.with_source(source.name, source.config)
        return replace(self, by_name={**self.by_name, source.name: source}, config=config)

    def with_mentions(self, mentions: Sequence[MentionInContext], rows: Sequence[int]) -> CandidateSources:
        """The same with further mentions of known entities, in place of those given before; none are stored."""
        by_name = {name: source.with_mentions(mentions, rows) for name, source in self.by_name.items()}
        return replace(self, by_name=by_name)

    def with_kb_names(self, mentions: Sequence[MentionInContext]) -> list[MentionInContext]:
        """The mentions to be ranked: one that is a name in another number or spelling stands for that name."""
        names = self.kb_names(mentions)
        pairs = zip(mentions, names, strict=True)
        return [mention if mention.text == name else replace(mention, text=name) for mention, name in pairs]

    def kb_names(self, mentions: Sequence[MentionInContext]) -> list[str]:
        """The names that mentions stand for: their own text, or a name that it is in another number or spelling."""
        alias = self.by_name.get("alias")
        if not isinstance(alias, AliasSource) or not mentions:
            return [mention.text for mention in mentions]
        return alias.kb_names(mentions)

    def propose(self, mentions: Sequence[MentionInContext], mask: EntityMask | None = None) -> CandidateTable:
        """What any source proposes for each mention, and the score of every source: 0 where it does not propose it."""
        if not self.by_name or not mentions:
            starts, nothing = np.zeros(len(mentions) + 1, dtype=np.int64), np.zeros(0, dtype=np.float32)
            return CandidateTable(starts, np.zeros(0, dtype=np.int64), dict.fromkeys(self.by_name, nothing))
        batch = MentionBatch(mentions)
        table = merged({name: each.scored(batch, each.config.k, mask) for name, each in self.by_name.items()})
        scores = {name: source.score(batch, table) for name, source in self.by_name.items()}
        own = {name: column for name, column in scores.items() if column is not None}
        return replace(table, signals={**table.signals, **own}) if own else table

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """All sources as arrays under names that begin with `prefix`, without the knowledge base."""
        arrays = self.words.to_arrays(f"{prefix}.words")
        for name, source in self.by_name.items():
            arrays |= source.to_arrays(f"{prefix}.{name}")
        return arrays

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        prefix: str,
        kb: KnowledgeBase,
        config: SourcesConfig,
        n_threads: int = 0,
    ) -> CandidateSources:
        """The sources `to_arrays` gave, over the knowledge base they were built from."""
        words = EntityWords.from_arrays(arrays, f"{prefix}.words", n_entities=len(kb))
        inputs = SourceInputs(kb, n_threads=n_threads, stored_words=words)
        opened = {
            name: SOURCES[name].from_arrays(arrays, f"{prefix}.{name}", inputs, config[name]) for name in config.sources
        }
        return cls(kb, {name: each for name, each in opened.items() if each is not None}, words, config)
