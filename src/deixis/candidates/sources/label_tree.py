"""Candidates from a label tree over the entities' names (XMRED, sections 2.1 to 2.3): mentions in, entities out.

The paper's own recipe (`preset "xmred"` of the linker) routes by name and context together. With one instance per
entity that sends mentions down the wrong branches, so by default the tree sees names only; context decides later.
What it has learned is blended with the plain likeness of names (`sources/names`), which finds what its branches lose.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.candidates.annotated import annotated_documents, known_mentions
from deixis.candidates.candidate_lists import listed
from deixis.candidates.sources.names import NameSearch, NameSearchConfig
from deixis.candidates.training_rows import Instances, PseudoInstancesConfig, make_instances, related_titles
from deixis.errors import ConfigError, StoreError
from deixis.features.mention_features import MentionFeatures, MentionFeaturesConfig
from deixis.features.name_set import NameSet
from deixis.features.tfidf import TfidfConfig
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.nearest.blending import blended
from deixis.progress import stage
from deixis.store.checks import require
from deixis.store.strings import StringTableBuilder
from deixis.types import Candidate, Document, MentionInContext
from deixis.xmr.beam_search import BeamConfig
from deixis.xmr.label_augmentation import AugmentationConfig
from deixis.xmr.model import LabelTreeConfig, LabelTreeRanker
from deixis.xmr.rankings import kept_where

logger = logging.getLogger(__name__)

MIN_EACH = 50  # what tree and names put forward, at least: the best of both together are not the best of each


def _names_only() -> MentionFeaturesConfig:
    # A word that nearly all names or annotated mentions share is still a name: none is too frequent to count.
    words = TfidfConfig(max_df=1.0, char_ngrams_min=4, char_ngrams_max=4)
    return MentionFeaturesConfig(mention=words, context_weight=0.0)


def _wide_beam() -> LabelTreeConfig:
    return LabelTreeConfig(beam=BeamConfig(width=20))


@dataclass(frozen=True)
class LabelTreeCandidatesConfig:
    """What the tree learns from and sees of a mention, how it is searched, and what the likeness of names adds."""

    instances: PseudoInstancesConfig = field(default_factory=PseudoInstancesConfig)
    features: MentionFeaturesConfig = field(default_factory=_names_only)
    ranker: LabelTreeConfig = field(default_factory=_wide_beam)
    names: NameSearchConfig = field(default_factory=NameSearchConfig)
    augmentation: AugmentationConfig = field(default_factory=AugmentationConfig)


class LabelTreeCandidates:
    """Finds the entities a mention may mean by descending a tree of all entities, and by the likeness of their names.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q22889", "title": "Troy"}])
    >>> generator = LabelTreeCandidates.build(kb)
    >>> mention = MentionInContext("Paris", "Paris had to be sacrificed.", 0, 5)
    >>> [candidate.id for candidate in generator.generate([mention], k=1)[0]]
    ['Q90']
    """

    def __init__(
        self,
        kb: KnowledgeBase,
        features: MentionFeatures,
        ranker: LabelTreeRanker,
        config: LabelTreeCandidatesConfig,
        names: NameSearch | None = None,
        learned: NameSet | None = None,
    ) -> None:
        self.kb = kb
        self.features = features
        self.ranker = ranker
        self.config = config
        self.names = names
        self.learned = learned or NameSet()

    @classmethod
    def build(
        cls,
        kb: KnowledgeBase,
        annotated: Iterable[Document] = (),
        config: LabelTreeCandidatesConfig | None = None,
        seed: int = 0,
        n_threads: int = 0,
        popularity: NDArray[np.float32] | None = None,
    ) -> LabelTreeCandidates:
        """A generator that knows the entities of `kb`, and the mentions of `annotated` documents if there are any.

        Where `popularity` (0 to 1 for each entity) is given, the search by names prefers what is often spoken of.
        """
        config = config or LabelTreeCandidatesConfig()
        if len(kb) == 0:
            raise ConfigError("The knowledge base has no entities; a linker needs at least one.")
        with stage("making training instances"):
            has_context = config.features.context_weight > 0
            instances = make_instances(kb, config.instances, has_context)
        documents = annotated_documents(annotated)
        given = _from_mentions(kb, documents, config.features.context_window if has_context else 0)
        related = related_titles(kb, documents, config.augmentation, seed, n_threads)
        instances = Instances.joined([part for part in (instances, given, related) if part is not None])
        with stage("counting words"):
            features = MentionFeatures(config.features).fit(instances.mentions, instances.contexts, n_threads)
            docs_by_features = features.transform(instances.mentions, instances.contexts, n_threads)
        ranker = LabelTreeRanker(config.ranker, seed=seed, n_threads=n_threads)
        ranker.fit(docs_by_features, instances.docs_by_labels, is_soft=related is not None)
        names = None
        if _searches_names(config):
            with stage("making an index of names"):
                names = NameSearch.build(kb, ranker.trees[0].tree.positions(), config.names, n_threads, popularity)
        return cls(kb, features, ranker, config, names, NameSet.of(() if given is None else given.mentions))

    def generate(
        self, mentions: Sequence[MentionInContext], k: int, allowed: NDArray[np.bool_] | None = None
    ) -> list[list[Candidate]]:
        """For each mention up to `k` entities, of the allowed ones, best first, with scores from 0 to 1."""
        if k < 1:
            raise ConfigError(f"k must be at least 1, got {k}.")
        if not mentions:
            return []
        return listed(self.kb, self.rank(mentions, k, allowed))

    def rank(
        self, mentions: Sequence[MentionInContext], k: int, allowed: NDArray[np.bool_] | None = None
    ) -> sparse.csr_matrix:
        """mentions_by_entities: the best `k` rows of the knowledge base for each mention, stored best first.

        With `allowed`, a mask over the rows, of those only. The tree has a score for each of them, so a mention with a
        known word gets `k`, or all if they are fewer.
        """
        n_each = k if self.names is None else max(k, MIN_EACH)
        ranked = self.rank_by_tree(mentions, n_each, allowed)
        if self.names is None:
            return ranked
        config, n_threads = self.config.names, self.ranker.n_threads
        texts = [mention.text for mention in mentions]
        shares = np.where(self.learned.holds(texts), config.learned_tree_share, config.tree_share)
        alike = self.names.search(texts, n_each, n_threads, allowed)
        return blended(ranked, alike, shares.astype(np.float32), k, n_threads)

    def rank_by_tree(
        self, mentions: Sequence[MentionInContext], k: int, allowed: NDArray[np.bool_] | None = None
    ) -> sparse.csr_matrix:
        """The same by the tree alone."""
        window, n_threads = self.config.features.context_window, self.ranker.n_threads
        contexts = [mention.context(window) for mention in mentions] if self.features.has_context else []
        queries = self.features.transform([mention.text for mention in mentions], contexts, n_threads)
        # Mentions without a known word would all be given the same.
        is_known = np.diff(queries.indptr) > 0
        ranked = self.ranker.rank(queries, k, allowed=allowed)
        return kept_where(ranked, np.repeat(is_known, np.diff(ranked.indptr)))

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Vocabulary, tree and rankers as arrays under names that begin with `prefix`, without the knowledge base."""
        arrays = self.features.to_arrays(f"{prefix}.features") | self.ranker.to_arrays(f"{prefix}.ranker")
        if self.names is not None:
            arrays |= self.names.to_arrays(f"{prefix}.names")
        return arrays | {f"{prefix}.learned": self.learned.hashes}

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        prefix: str,
        kb: KnowledgeBase,
        config: LabelTreeCandidatesConfig,
        n_threads: int = 0,
    ) -> LabelTreeCandidates:
        """The generator `to_arrays` gave, over the knowledge base it was built from."""
        features = MentionFeatures.from_arrays(arrays, f"{prefix}.features", config.features)
        ranker = LabelTreeRanker.from_arrays(arrays, f"{prefix}.ranker", config.ranker, n_threads)
        if (ranker.n_labels, ranker.n_features) != (len(kb), features.n_features):
            raise StoreError(
                f"The tree '{prefix}.*' ranks {ranker.n_labels} labels by {ranker.n_features} features, but there are "
                f"{len(kb)} entities and {features.n_features} features. The model is damaged; build it again."
            )
        names = None
        if _searches_names(config):
            names = NameSearch.from_arrays(arrays, f"{prefix}.names", len(kb), config.names)
        learned = NameSet(require(arrays, f"{prefix}.learned", np.uint64))
        return cls(kb, features, ranker, config, names, learned)


def _searches_names(config: LabelTreeCandidatesConfig) -> bool:
    """Whether the likeness of names has a say at all."""
    return min(config.names.tree_share, config.names.learned_tree_share) < 1


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
