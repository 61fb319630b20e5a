"""Candidates from a label tree over the entities' names (XMRED, sections 2.1 to 2.3): mentions in, entities out.

The paper's own recipe (`preset "xmred"` of the linker) routes by name and context together. With one instance per
entity that sends mentions down the wrong branches, so by default the tree sees names only; context decides later.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.annotated import annotated_documents, known_mentions
from deixis.candidates.mention_batch import MentionBatch
from deixis.candidates.source import CandidateSource, SourceInputs
from deixis.candidates.training_rows import Instances, PseudoInstancesConfig, make_instances, related_titles
from deixis.config import Config, setting
from deixis.errors import ConfigError, StoreError
from deixis.features.mention_features import MentionFeatures, MentionFeaturesConfig
from deixis.features.tfidf import TfidfConfig
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.progress import stage
from deixis.scipy_sparse import sparse
from deixis.store.build_folder import parts_below, stored_part
from deixis.store.part import Part, nested
from deixis.store.strings import StringTableBuilder
from deixis.tables import EntityMask, FlatRows
from deixis.types import Document, MentionInContext
from deixis.xmr.beam_search import BeamConfig
from deixis.xmr.label_augmentation import AugmentationConfig
from deixis.xmr.level_runs import LevelRun
from deixis.xmr.model import LabelTreeConfig, LabelTreeRanker
from deixis.xmr.sparse_rows import SparseRows

logger = logging.getLogger(__name__)

BELOW = "label_tree."  # the names of the tree's own parts begin with it, in a build that keeps its parts


def _names_only() -> MentionFeaturesConfig:
    # A word that nearly all names or annotated mentions share is still a name: none is too frequent to count.
    words = TfidfConfig(max_df=1.0, char_ngrams_min=4, char_ngrams_max=4)
    return MentionFeaturesConfig(mention=words, context_weight=0.0)


def _wide_beam() -> LabelTreeConfig:
    return LabelTreeConfig(beam=BeamConfig(width=20))


@dataclass(frozen=True)
class LabelTreeSourceConfig(Config):
    """What the tree learns from and sees of a mention, and how it is searched."""

    instances: PseudoInstancesConfig = field(default_factory=PseudoInstancesConfig)
    features: MentionFeaturesConfig = field(default_factory=_names_only)
    ranker: LabelTreeConfig = field(default_factory=_wide_beam)
    augmentation: AugmentationConfig = field(default_factory=AugmentationConfig)
    k: int = setting(50, "Candidates from the label tree.", low=1)


class LabelTreeSource(CandidateSource):
    """Finds the entities a mention may mean by descending a tree of all entities.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q22889", "title": "Troy"}])
    >>> source = LabelTreeSource.build(SourceInputs(kb))
    >>> mention = MentionInContext("Paris", "Paris had to be sacrificed.", 0, 5)
    >>> [candidate.id for candidate in source.generate([mention], k=1)[0]]
    ['Q90']
    """

    name = "label_tree"
    config_type = LabelTreeSourceConfig

    def __init__(
        self, kb: KnowledgeBase, features: MentionFeatures, ranker: LabelTreeRanker, config: LabelTreeSourceConfig
    ) -> None:
        self.kb = kb
        self.features = features
        self.ranker = ranker
        self.config = config

    @classmethod
    def build(cls, inputs: SourceInputs, config: LabelTreeSourceConfig | None = None) -> LabelTreeSource:
        """A tree of all entities, learned from their names and from annotated mentions if there are any."""
        config, kb, seed, n_threads = config or LabelTreeSourceConfig(), inputs.kb, inputs.seed, inputs.n_threads
        if len(kb) == 0:
            raise ConfigError("The knowledge base has no entities; a linker needs at least one.")
        with parts_below(BELOW):
            rows = TrainingRows.of(inputs, config)
            ranker = LabelTreeRanker(config.ranker, seed=seed, n_threads=n_threads)
            ranker.fit(rows.docs_by_features, rows.docs_by_labels, is_soft=rows.is_soft)
        return cls(kb, rows.features, ranker, config)

    @staticmethod
    def level_runs(inputs: SourceInputs, config: LabelTreeSourceConfig) -> list[LevelRun]:
        """The runs of rankers that a build learns, after what they learn from and the tree itself."""
        with parts_below(BELOW):
            rows = TrainingRows.of(inputs, config)
            ranker = LabelTreeRanker(config.ranker, seed=inputs.seed, n_threads=inputs.n_threads)
            return ranker.level_runs(rows.docs_by_features, rows.docs_by_labels)

    @staticmethod
    def order(inputs: SourceInputs, config: LabelTreeSourceConfig) -> NDArray[np.integer]:
        """The `row_order` of the source, before its rankers have learned."""
        with parts_below(BELOW):
            rows = TrainingRows.of(inputs, config)
            ranker = LabelTreeRanker(config.ranker, seed=inputs.seed, n_threads=inputs.n_threads)
            return ranker.first_tree(rows.docs_by_features, rows.docs_by_labels).positions()

    @staticmethod
    def train_run(inputs: SourceInputs, config: LabelTreeSourceConfig, run: LevelRun) -> None:
        """Learns one of the runs, for the build to find it among its parts."""
        with parts_below(BELOW):
            rows = TrainingRows.of(inputs, config)
            ranker = LabelTreeRanker(config.ranker, seed=inputs.seed, n_threads=inputs.n_threads)
            ranker.train_run(rows.docs_by_features, rows.docs_by_labels, run, is_soft=rows.is_soft)

    @property
    def row_order(self) -> NDArray[np.integer]:
        """The position of each entity in the first tree: what is below one node stands together."""
        return self.ranker.trees[0].tree.positions()

    @property
    def reads_context(self) -> bool:
        """Whether the tree was trained to."""
        return self.features.has_context

    def search(self, mentions: Sequence[MentionInContext], k: int, mask: EntityMask | None = None) -> FlatRows:
        """mentions_by_entities: the best `k` rows of the knowledge base for each mention, stored best first.

        The tree has a score for each entity, so a mention with a known word gets `k`, or all that the mask leaves if
        they are fewer.
        """
        self.check_search(k, mask)
        window, n_threads = self.config.features.context_window, self.ranker.n_threads
        contexts = [mention.context(window) for mention in mentions] if self.features.has_context else []
        queries = self.features.rows_of(MentionBatch.of(mentions).table, contexts, n_threads)
        # Mentions without a known word would all be given the same.
        is_known = queries.row_lengths > 0
        rows = SparseRows(queries.indptr, queries.indices, queries.data, queries.shape[1])
        ranked = self.ranker.ranking(rows, k, mask=mask)
        return ranked if is_known.all() else ranked.kept_where(np.repeat(is_known, ranked.row_lengths))

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Vocabulary, tree and rankers as arrays under names that begin with `prefix`, without the knowledge base."""
        return self.features.to_arrays(f"{prefix}.features") | self.ranker.to_arrays(f"{prefix}.ranker")

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        prefix: str,
        inputs: SourceInputs,
        config: LabelTreeSourceConfig | None = None,
    ) -> LabelTreeSource:
        """The source `to_arrays` gave, over the knowledge base it was built from."""
        config, n_entities = config or LabelTreeSourceConfig(), len(inputs.kb)
        features = MentionFeatures.from_arrays(arrays, f"{prefix}.features", config.features)
        ranker = LabelTreeRanker.from_arrays(arrays, f"{prefix}.ranker", config.ranker, inputs.n_threads)
        if (ranker.n_labels, ranker.n_features) != (n_entities, features.n_features):
            raise StoreError(
                f"The tree '{prefix}.*' ranks {ranker.n_labels} labels by {ranker.n_features} features, but there are "
                f"{n_entities} entities and {features.n_features} features. The model is damaged; build it again."
            )
        return cls(inputs.kb, features, ranker, config)


@dataclass(frozen=True, eq=False)
class TrainingRows(Part):
    """What the tree of a list learns from: names and mentions as features, and the entities that they may mean."""

    features: Annotated[MentionFeatures, nested(config="config")]
    docs_by_features: SparseRows
    docs_by_labels: SparseRows
    is_soft: bool

    @classmethod
    def of(cls, inputs: SourceInputs, config: LabelTreeSourceConfig) -> TrainingRows:
        """Those of a knowledge base and of annotated documents."""
        return stored_part(partial(cls._made, inputs, config), "rows", cls, config=config.features)

    @classmethod
    def _made(cls, inputs: SourceInputs, config: LabelTreeSourceConfig) -> TrainingRows:
        kb, seed, n_threads = inputs.kb, inputs.seed, inputs.n_threads
        with stage("making training instances"):
            has_context = config.features.context_weight > 0
            instances = make_instances(kb, config.instances, has_context)
        documents = annotated_documents(inputs.documents)
        annotated = _from_mentions(kb, documents, config.features.context_window if has_context else 0)
        related = related_titles(kb, documents, config.augmentation, seed, n_threads)
        instances = Instances.joined([part for part in (instances, annotated, related) if part is not None])
        with stage("counting words"):
            features = MentionFeatures(config.features).fit(instances.mentions, instances.contexts, n_threads)
            docs_by_features = features.transform(instances.mentions, instances.contexts, n_threads)
        labels = SparseRows.of(instances.docs_by_labels, "label matrix")
        return cls(features, SparseRows.of(docs_by_features), labels, related is not None)


def _from_mentions(kb: KnowledgeBase, documents: Sequence[Document], window: int) -> Instances | None:
    """The annotated mentions whose entity is in the knowledge base."""
    mentions, contexts, starts, rows = StringTableBuilder(), StringTableBuilder(), [0], list[int]()
    for mention, own in known_mentions(kb, documents):
        mentions.append(mention.text)
        contexts.append(mention.context(window) if window else "")
        rows += sorted(own)
        starts.append(len(rows))
    if not rows:
        if documents:
            logger.warning(
                "nothing learned from %d documents: no mention has an entity of the knowledge base (%d have another)",
                len(documents), sum(m.entity is not None for document in documents for m in document.mentions),
            )  # fmt: skip
        return None
    ones = np.ones(len(rows), np.float32)
    labels = sparse.csr_matrix((ones, np.array(rows), np.array(starts)), shape=(len(starts) - 1, len(kb)))
    return Instances(mentions.build(), contexts.build(), labels)
