"""Candidates of several lists put together: names, spellings, likeness of names, the label tree, descriptions, vectors.

Every list finds what the others miss: a table knows what a name means, spellings find names misspelled or in another
script, likeness finds names longer than the mention, the tree what annotated mentions taught, descriptions what an
entity is also called, and vectors, where there is an encoder, what a text is about. Which of all these candidates is
meant is for the ranking to say; it is given what each list says of each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.candidates.candidate_lists import listed
from deixis.candidates.sources.alias import AliasCandidates, AliasConfig
from deixis.candidates.sources.descriptions import DescriptionSearch
from deixis.candidates.sources.label_tree import LabelTreeCandidates, LabelTreeCandidatesConfig
from deixis.candidates.sources.spelling import StringCandidates, StringConfig
from deixis.candidates.sources.vectors import DenseCandidates, DenseConfig
from deixis.errors import ConfigError
from deixis.features.entity_words import EntityWords
from deixis.features.name_forms import NameFormsConfig
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.progress import stage
from deixis.tables import CandidateTable
from deixis.types import Candidate, Document, MentionInContext

PROVEN = 1000  # in a short list nobody is spoken of often: one mention more must not seem much
LISTS = ("alias", "string", "names", "tree", "described")
DENSE = "dense"  # the list that only models with an encoder have
N_DENSE = 50  # candidates that it puts forward where an encoder is chosen and no number


def _any_script() -> StringConfig:
    return StringConfig(forms=replace(NameFormsConfig.loose(), transliterates=True))


@dataclass(frozen=True)
class UnionConfig:
    """The lists, and how many candidates each puts forward; one that puts forward 0 is left out."""

    alias: AliasConfig = field(default_factory=AliasConfig)
    string: StringConfig = field(default_factory=_any_script)
    tree: LabelTreeCandidatesConfig = field(default_factory=LabelTreeCandidatesConfig)
    dense: DenseConfig = field(default_factory=DenseConfig)
    n_alias: int = field(default=100, metadata={"help": "Candidates from the table of names."})
    n_string: int = field(default=20, metadata={"help": "Candidates by the spelling of names."})
    n_names: int = field(default=200, metadata={"help": "Candidates by the likeness of names."})
    n_tree: int = field(default=50, metadata={"help": "Candidates from the label tree."})
    n_described: int = field(default=50, metadata={"help": "Candidates by the words of descriptions."})
    n_dense: int = field(default=0, metadata={"help": f"Candidates by vectors of texts; --encoder makes it {N_DENSE}."})

    def __post_init__(self) -> None:
        counts = [getattr(self, each.name) for each in fields(self) if each.name.startswith("n_")]
        if min(counts) < 0 or not max(counts):
            raise ConfigError(f"Each list puts forward 0 candidates or more, and one of them some, got {counts}.")

    def with_encoder(self, name: str) -> UnionConfig:
        """The same lists and one of vectors by this encoder.

        Examples
        --------
        >>> UnionConfig().with_encoder("minilm").n_dense
        50
        """
        dense = replace(self.dense, encoder=replace(self.dense.encoder, name=name))
        return replace(self, dense=dense, n_dense=self.n_dense or N_DENSE)


class UnionCandidates:
    """Finds the entities a mention may mean by all lists, with what each of them says.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q22889", "title": "Troy"}])
    >>> generator = UnionCandidates.build(kb)
    >>> proposals = generator.propose([MentionInContext("Paris", "Paris had to be sacrificed.", 0, 5)])
    >>> proposals.rows.tolist(), proposals.signals["names"].round().tolist()
    ([0, 1], [1.0, 0.0])
    """

    def __init__(
        self,
        kb: KnowledgeBase,
        alias: AliasCandidates,
        string: StringCandidates | None,
        tree: LabelTreeCandidates,
        words: EntityWords,
        described: DescriptionSearch | None,
        config: UnionConfig,
        dense: DenseCandidates | None = None,
    ) -> None:
        self.kb = kb
        self.alias = alias
        self.string = string
        self.tree = tree
        self.words = words
        self.described = described
        self.config = config
        self.dense = dense

    @classmethod
    def build(
        cls,
        kb: KnowledgeBase,
        annotated: Iterable[Document] = (),
        config: UnionConfig | None = None,
        seed: int = 0,
        n_threads: int = 0,
        popularity: NDArray[np.floating] | None = None,
        dense: DenseCandidates | None = None,
    ) -> UnionCandidates:
        """All lists over the entities of `kb`; `popularity` says how often each is spoken of, by any count.

        `dense` has vectors of the same entities, whatever contexts: they are not made again.
        """
        config = config or UnionConfig()
        documents = list(annotated)
        counts = kb.counts if popularity is None else popularity
        standing = standings(counts)
        tree = LabelTreeCandidates.build(kb, documents, config.tree, seed, n_threads, standing)
        counted = replace(kb, counts=np.rint(counts).astype(np.int64))
        alias = AliasCandidates.build(counted, documents, config.alias, seed, n_threads)
        string = None
        if config.n_string:
            string = StringCandidates.build(counted, documents, config.string, seed, n_threads)
        with stage("counting words of descriptions"):
            words = entity_words(kb, n_threads)
            described = None
            if config.n_described and len(words.descriptions.indices):
                described = DescriptionSearch.build(words, standing, tree.ranker.trees[0].tree.positions())
        if not config.n_dense:
            dense = None
        elif dense is None:
            dense = DenseCandidates.build(kb, documents, config.dense, seed, n_threads)
        else:
            dense = dense.taught_anew(documents)
        return cls(kb, alias, string, tree, words, described, config, dense)

    def with_dense(self, dense: DenseCandidates) -> UnionCandidates:
        """The same lists and this one of vectors, in place of the one there was, if any."""
        config = replace(self.config, dense=dense.config, n_dense=self.config.n_dense or N_DENSE)
        lists = self.alias, self.string, self.tree, self.words, self.described
        return UnionCandidates(self.kb, *lists, config, dense)

    def with_alias(self, alias: AliasCandidates) -> UnionCandidates:
        """The same lists with this one of names."""
        lists = alias, self.string, self.tree, self.words, self.described
        return UnionCandidates(self.kb, *lists, self.config, self.dense)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a table of candidates, one per source."""
        return LISTS if self.dense is None else (*LISTS, DENSE)

    def propose(self, mentions: Sequence[MentionInContext], allowed: NDArray[np.bool_] | None = None) -> CandidateTable:
        """What any of the lists finds for each mention, and what each says of it: 0 where it does not list it."""
        config, n_threads = self.config, self.tree.ranker.n_threads
        texts = [mention.text for mention in mentions]
        empty = np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.int32), np.zeros(len(mentions) + 1, dtype=np.int64)
        nothing = sparse.csr_matrix(empty, shape=(len(mentions), len(self.kb)))
        lists = dict.fromkeys(self.columns, nothing)
        if not mentions:
            return CandidateTable.merged(lists)
        if config.n_alias:
            lists["alias"] = self.alias.rank(mentions, config.n_alias, allowed)
        if self.string is not None:
            lists["string"] = self.string.rank(mentions, config.n_string, allowed)
        if config.n_names and self.tree.names is not None:
            found = self.tree.names.search(texts, config.n_names, n_threads, allowed)
            cosines = self.tree.names.cosines(found)
            lists["names"] = sparse.csr_matrix((cosines, found.indices, found.indptr), shape=found.shape)
        if config.n_tree:
            lists["tree"] = self.tree.rank_by_tree(mentions, config.n_tree, allowed)
        if self.described is not None:
            lists["described"] = self.described.search(
                self.words.queries(texts, n_threads), config.n_described, n_threads, allowed
            )
        if self.dense is None:
            return CandidateTable.merged(lists)
        queries = self.dense.vectors.of_mentions(mentions)
        proposals = CandidateTable.merged(lists | {DENSE: self.dense.search(queries, config.n_dense, allowed)})
        # Vectors have a say on what the other lists found too.
        scores = self.dense.scores(queries, proposals.starts, proposals.rows)
        return replace(proposals, signals={**proposals.signals, DENSE: scores})

    def rank(
        self, mentions: Sequence[MentionInContext], k: int, allowed: NDArray[np.bool_] | None = None
    ) -> sparse.csr_matrix:
        """mentions_by_entities: the best `k` by the mean of what all lists say, stored best first."""
        if k < 1:
            raise ConfigError(f"k must be at least 1, got {k}.")
        proposals = self.propose(mentions, allowed)
        return proposals.best(np.mean(list(proposals.signals.values()), axis=0), k, len(self.kb))

    def generate(
        self, mentions: Sequence[MentionInContext], k: int, allowed: NDArray[np.bool_] | None = None
    ) -> list[list[Candidate]]:
        """For each mention up to `k` different entities, best first by that mean."""
        return listed(self.kb, self.rank(mentions, k, allowed))

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """All lists as arrays under names that begin with `prefix`, without the knowledge base."""
        arrays = self.alias.to_arrays(f"{prefix}.alias") | self.tree.to_arrays(f"{prefix}.tree")
        arrays |= self.words.to_arrays(f"{prefix}.words")
        if self.string is not None:
            arrays |= self.string.to_arrays(f"{prefix}.string")
        if self.dense is not None:
            arrays |= self.dense.to_arrays(f"{prefix}.dense")
        return arrays if self.described is None else arrays | self.described.to_arrays(f"{prefix}.described")

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        prefix: str,
        kb: KnowledgeBase,
        config: UnionConfig,
        n_threads: int = 0,
    ) -> UnionCandidates:
        """The generator `to_arrays` gave, over the knowledge base it was built from."""
        string = described = dense = None
        if config.n_dense:
            dense = DenseCandidates.from_arrays(arrays, f"{prefix}.dense", kb, config.dense, n_threads)
        if config.n_string:
            string = StringCandidates.from_arrays(arrays, f"{prefix}.string", kb, config.string, n_threads)
        words = EntityWords.from_arrays(arrays, f"{prefix}.words", n_entities=len(kb))
        if config.n_described and len(words.descriptions.indices):
            described = DescriptionSearch.from_arrays(
                arrays, f"{prefix}.described", len(kb), words.vectorizer.n_features
            )
        return cls(
            kb,
            AliasCandidates.from_arrays(arrays, f"{prefix}.alias", kb, config.alias),
            string,
            LabelTreeCandidates.from_arrays(arrays, f"{prefix}.tree", kb, config.tree, n_threads),
            words,
            described,
            config,
            dense,
        )


def standings(counts: NDArray[Any]) -> NDArray[np.float32]:
    """Counts as numbers from 0 to 1: their logarithm against that of the largest, or of `PROVEN` if that is larger.

    Examples
    --------
    >>> standings(np.array([0, 99, 9999])).round(1).tolist()
    [0.0, 0.5, 1.0]
    """
    logs = np.log1p(counts)
    shares: NDArray[np.float32] = (logs / max(logs.max(initial=0.0), np.log1p(PROVEN))).astype(np.float32)
    return shares


def entity_words(kb: KnowledgeBase, n_threads: int = 0) -> EntityWords:
    """The words of the names and descriptions of a knowledge base; names of types count as description."""
    ones = np.ones(len(kb.type_codes), dtype=np.float32)
    types = sparse.csr_matrix((ones, kb.type_codes, kb.type_indptr), shape=(len(kb), len(kb.type_names)))
    return EntityWords.build(*kb.names(), kb.description_texts(), [(types, kb.type_names)], n_threads)
