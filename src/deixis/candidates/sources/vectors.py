"""Candidates by meaning: the entities whose vectors are most like that of the mention in its context.

After Farhan, 2024, "Multilingual Entity Linking Using Dense Retrieval": one encoder for mentions and entities (section
4.1), any number of texts per entity, the best of which counts, and an index that holds descriptions, contexts of
annotated mentions, or both (section 6.6.3). The two are kept apart, so each call chooses which are searched,
which costs an approximate index nothing; an entity can be added by its mentions alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.annotated import annotated_documents, known_mentions
from deixis.candidates.mention_batch import MentionBatch
from deixis.candidates.source import CandidateSource, SourceInputs
from deixis.candidates.sources.mention_vectors import MentionVectors, VectorTextsConfig, described, vectors_by
from deixis.config import Config, setting
from deixis.encoders.config import EncoderConfig
from deixis.encoders.protocol import TextEncoder
from deixis.encoders.registry import encoder_arrays, encoder_from_arrays
from deixis.errors import ConfigError, StoreError
from deixis.gold import known_parts
from deixis.kb.entity import Entity
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.nearest import VECTOR_INDEXES
from deixis.nearest.merging import best_of_both
from deixis.nearest.protocol import VectorSearch
from deixis.nearest.vector_index import VectorIndex
from deixis.progress import stage, track
from deixis.registry import Lazy, LazyRegistry
from deixis.store.checks import require
from deixis.tables import CandidateTable, EntityMask, FlatRows
from deixis.types import Document, MentionInContext

Floats = NDArray[np.float32]
Contents = Literal["descriptions", "contexts", "both"]
_BATCH = 4096  # contexts encoded at a time
_OPENERS = LazyRegistry("way to open an encoder", {"by name": Lazy("deixis.neural.opening:open_encoder")})


@dataclass(frozen=True)
class VectorConfig(Config):
    """Which encoder makes the vectors, of which texts, and how the nearest are found."""

    encoder: EncoderConfig = field(default_factory=EncoderConfig)
    texts: VectorTextsConfig = field(default_factory=VectorTextsConfig)
    contents: Contents = setting(
        "both", "Vectors to compare mentions with: descriptions of entities, contexts of annotated mentions."
    )
    max_contexts: int = setting(20, "Annotated mentions of an entity that are kept, at most.", low=1)
    index: Literal["exact", "graph"] = setting("exact", "Compare all vectors, or search approximately.", cli="--index")
    k: int = setting(50, "Candidates by vectors of texts.", low=1)


class VectorSource(CandidateSource):
    """Finds the entities of which a text is most like the mention in its context; the score is the cosine.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([
    ...     {"id": "city", "title": "Paris", "description": "capital of France, on the river Seine"},
    ...     {"id": "prince", "title": "Paris", "description": "prince of Troy who carried Helen off"},
    ... ])
    >>> source = VectorSource.build(SourceInputs(kb))
    >>> mention = MentionInContext("Paris", "Paris on the river Seine", 0, 5)
    >>> [candidate.id for candidate in source.generate([mention], k=1)[0]]
    ['city']
    """

    name = "vectors"
    config_type = VectorConfig

    def __init__(
        self,
        kb: KnowledgeBase,
        encoder: TextEncoder,
        descriptions: VectorSearch,
        contexts: VectorSearch | None,
        config: VectorConfig,
    ) -> None:
        self.kb = kb
        self.encoder = encoder
        self.descriptions = descriptions
        self.contexts = contexts
        self.config = config
        self.vectors: MentionVectors = vectors_by(encoder, config.texts)

    @classmethod
    def build(
        cls, inputs: SourceInputs, config: VectorConfig | None = None, encoder: TextEncoder | None = None
    ) -> VectorSource:
        """Vectors of all descriptions, and of annotated mentions in their contexts.

        They are made by `encoder`, if it is given, which settings then call as they like; else by the one they name.
        Descriptions that have vectors already (`inputs.earlier`) are not encoded again.
        """
        config, kb = config or VectorConfig(), inputs.kb
        if len(kb) == 0:
            raise ConfigError("The knowledge base has no entities; vectors need at least one.")
        earlier = inputs.earlier.get(cls.name)
        if isinstance(earlier, VectorSource) and encoder is None:
            return earlier.with_documents_only(inputs.documents)
        if encoder is None:
            with stage("fitting the encoder"):
                texts = kb.names()[0], kb.description_texts()
                encoder = _OPENERS["by name"](config.encoder, *texts, inputs.seed, inputs.n_threads)
        descriptions = _described(kb, encoder, config, VECTOR_INDEXES[config.index])
        return cls(kb, encoder, descriptions, None, config).with_contexts(inputs.documents)

    def extend(self, added: SourceInputs) -> VectorSource:
        """Vectors of the new entities' descriptions by the same encoder, all of which are compared."""
        descriptions = _described(added.kb, self.encoder, self.config, VectorIndex)
        return VectorSource(added.kb, self.encoder, descriptions, None, replace(self.config, index="exact"))

    def with_contents(self, contents: Contents) -> VectorSource:
        """The same vectors, others of which are searched."""
        config = replace(self.config, contents=contents)
        return VectorSource(self.kb, self.encoder, self.descriptions, self.contexts, config)

    def with_documents_only(self, annotated: Iterable[Document]) -> VectorSource:
        """The same descriptions, and the contexts of these documents in place of those before."""
        return VectorSource(self.kb, self.encoder, self.descriptions, None, self.config).with_contexts(annotated)

    def with_documents(self, annotated: Iterable[Document], entities: Iterable[Entity] = ()) -> VectorSource:
        """The same source with further contexts, and with entities that were not known, by their mentions alone.

        An id that neither the knowledge base nor `entities` have becomes an entity of its own, with the text of most of
        its mentions as title. New entities come after the known ones; nothing that has a vector is encoded again.
        """
        documents = annotated_documents(annotated)
        further = list(entities)
        new = {entity.id for entity in further}
        names: dict[str, Counter[str]] = {}
        for mention in (mention for document in documents for mention in document.mentions):
            if mention.entity and mention.entity not in new and not known_parts(mention.entity, self.kb.row_of):
                names.setdefault(mention.entity, Counter())[mention.text] += 1
        further += [Entity(each, texts.most_common(1)[0][0]) for each, texts in names.items()]
        kb = self.kb.with_entities(further) if further else self.kb
        config, kind = self.config, VECTOR_INDEXES[self.config.index]
        descriptions = kind.over(_regrouped(self.descriptions.exact, len(kb))) if further else self.descriptions
        contexts = self.contexts
        if further and contexts is not None:
            contexts = kind.over(_regrouped(contexts.exact, len(kb)))
        return VectorSource(kb, self.encoder, descriptions, contexts, config).with_contexts(documents)

    def with_contexts(self, annotated: Iterable[Document]) -> VectorSource:
        """The same source with further contexts, of mentions whose entities it knows."""
        mentions_and_rows = known_mentions(self.kb, annotated)
        known = _spread(
            [(mention, row) for mention, rows in mentions_and_rows for row in rows], self.config.max_contexts
        )
        if not known:
            return self
        starts = track(range(0, len(known), _BATCH), "embedding contexts")
        blocks = (self.vectors.of_mentions([mention for mention, _ in known[at : at + _BATCH]]) for at in starts)
        added = VectorIndex.build(blocks, np.array([row for _, row in known], dtype=np.int32), len(self.kb))
        exact = added if self.contexts is None else self.contexts.exact.joined(added)
        contexts = VECTOR_INDEXES[self.config.index].over(exact)
        return VectorSource(self.kb, self.encoder, self.descriptions, contexts, self.config)

    def search(self, mentions: Sequence[MentionInContext], k: int, mask: EntityMask | None = None) -> FlatRows:
        """mentions_by_entities: the best `k` rows of the knowledge base for each mention, stored best first."""
        self.check_search(k, mask)
        indexes = self._indexes()
        if not mentions or not indexes:
            return FlatRows.empty(len(mentions), len(self.kb))
        queries, k = self._queries(mentions), min(k, len(self.kb))
        is_filter = mask is not None and not mask.all()
        scores = [
            index.search(queries, k, mask[index.groups] if is_filter and mask is not None else None)
            for index in indexes
        ]
        return scores[0] if len(scores) == 1 else best_of_both(scores[0], scores[1], k)

    def score(self, mentions: Sequence[MentionInContext], table: CandidateTable) -> Floats:
        """How similar each candidate is to its mention, whoever proposed it; 0 without any vector."""
        best = np.zeros(len(table.rows), dtype=np.float32)
        if len(table.rows):
            queries = self._queries(mentions)
            for index in self._indexes():
                best = np.maximum(best, index.exact.scores(queries, table.starts, table.rows))
        return best

    def _queries(self, mentions: Sequence[MentionInContext]) -> Floats:
        """The vectors of mentions, which searching and scoring need: encoded once for a batch."""
        batch = MentionBatch.of(mentions)
        return batch.once((self.name, id(self.vectors)), lambda: self.vectors.of_mentions(batch.mentions))

    def _indexes(self) -> list[VectorSearch]:
        both = {"descriptions": self.descriptions, "contexts": self.contexts}
        chosen = both.values() if self.config.contents == "both" else [both[self.config.contents]]
        return [index for index in chosen if index is not None]

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Vectors, and what the encoder learned, as arrays under names that begin with `prefix`."""
        n_contexts = 0 if self.contexts is None else len(self.contexts.groups)
        sizes = np.array([len(self.kb), len(self.descriptions.groups), n_contexts], dtype=np.int64)
        arrays = {f"{prefix}.sizes": sizes} | encoder_arrays(self.encoder, f"{prefix}.encoder", self.config.encoder)
        arrays |= self.descriptions.to_arrays(f"{prefix}.descriptions")
        return arrays if self.contexts is None else arrays | self.contexts.to_arrays(f"{prefix}.contexts")

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        prefix: str,
        inputs: SourceInputs,
        config: VectorConfig | None = None,
    ) -> VectorSource:
        """The source `to_arrays` gave, over the knowledge base it was built from."""
        config, kb = config or VectorConfig(), inputs.kb
        sizes = require(arrays, f"{prefix}.sizes", np.int64)
        kind = VECTOR_INDEXES[config.index]
        descriptions = kind.from_arrays(arrays, f"{prefix}.descriptions", n_groups=len(kb))
        contexts = None
        if len(sizes) == 3 and sizes[2]:
            contexts = kind.from_arrays(arrays, f"{prefix}.contexts", n_groups=len(kb))
        n_contexts = 0 if contexts is None else len(contexts.groups)
        if sizes.tolist() != [len(kb), len(descriptions.groups), n_contexts]:
            raise StoreError(
                f"The array '{prefix}.sizes' is {sizes.tolist()}, but there are {len(kb)} entities with "
                f"{len(descriptions.groups)} and {n_contexts} vectors. The model is damaged; build it again."
            )
        return cls(kb, encoder_from_arrays(arrays, f"{prefix}.encoder", config.encoder), descriptions, contexts, config)


def _described(
    kb: KnowledgeBase,
    encoder: TextEncoder,
    config: VectorConfig,
    index: Any,  # noqa: ANN401 - a class of VECTOR_INDEXES
) -> VectorSearch:
    """Vectors of all descriptions in an index of this class."""
    rows = np.arange(len(kb), dtype=np.int32)
    blocks = vectors_by(encoder, config.texts).of_entities(kb, rows)
    search: VectorSearch = index.build(blocks, described(kb, rows)[0], len(kb))
    return search


def _regrouped(exact: VectorIndex, n_groups: int) -> VectorIndex:
    return VectorIndex(exact.codes, exact.scales, exact.groups, n_groups)


def _spread(known: list[tuple[MentionInContext, int]], n_each: int) -> list[tuple[MentionInContext, int]]:
    """The mentions in the order of their rows; of one row at most `n_each`, taken evenly from first to last."""
    by_row: dict[int, list[MentionInContext]] = {}
    for mention, row in known:
        by_row.setdefault(row, []).append(mention)
    spread = []
    for row, mentions in sorted(by_row.items()):
        n = min(n_each, len(mentions))
        spread += [(mentions[number * len(mentions) // n], row) for number in range(n)]
    return spread
