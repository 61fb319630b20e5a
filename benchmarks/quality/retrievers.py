"""The ways to find candidates that were compared for decision 11, all over the same tree and the same names.

Each answers like a candidate generator. Names here are the systems of the rows that `retrieval.py` records.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.systems.bm25 import TOKEN_PATTERN, Bm25Names
from benchmarks.systems.brute_force import BruteForceCosine
from benchmarks.systems.candidate_lists import candidates_of
from benchmarks.systems.nearest_names import NearestNames
from benchmarks.systems.tree_and_names import TreeAndNames, blended
from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.label_tree import LabelTreeSource, LabelTreeSourceConfig
from deixis.candidates.sources.names import NameSource
from deixis.features.mention_features import MentionFeaturesConfig
from deixis.features.name_set import folded
from deixis.features.row_dots import row_dots
from deixis.features.tfidf import TfidfConfig
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.tables import FlatRows
from deixis.types import Candidate, MentionInContext
from deixis.xmr.beam_search import BeamConfig

DEFAULT = "default"
SHARES = (0.1, 0.2, 0.3, 0.5)  # the default is 0.15
WIDE_BEAM = 100
FUSION_CONSTANT = 60  # Cormack, Clarke and Büttcher, 2009
N_RESCORED = 200
Rank = Callable[[list[str], int], sparse.csr_matrix]


@dataclass(frozen=True)
class Ranking:
    """A function from texts to rows of a knowledge base, best first, that answers like a candidate generator."""

    kb: KnowledgeBase
    rank: Rank

    def generate(self, mentions: Sequence[MentionInContext], k: int) -> list[list[Candidate]]:
        """The best `k` of each mention."""
        found = self.rank([mention.text for mention in mentions], k)
        lists = zip(found.indptr[:-1], found.indptr[1:], strict=True)
        return [
            candidates_of(self.kb, zip(found.indices[i:j].tolist(), found.data[i:j].tolist(), strict=True))
            for i, j in lists
        ]


def systems_of(kb: KnowledgeBase, default: TreeAndNames) -> dict[str, object]:
    """All systems over one knowledge base; `default` is the label tree with the names beside it, built once."""
    tree, names = default.tree, default.names
    config = names.config
    four_letters = default.with_names(replace(config, features=replace(config.features, char_ngrams_min=4))).names
    systems: dict[str, object] = {
        "brute-force": BruteForceCosine.build(kb),
        "bm25": Bm25Names.build(kb),
        "tree": tree,
        "tree-beam-100": Ranking(kb, lambda texts, k: descend(tree, texts, k, WIDE_BEAM)),
        "tree-rescored": Ranking(kb, Rescored.of(kb, tree).rank),
        "name-tree-rescored": Ranking(kb, NameTree.build(kb).rank),
        "names-char4": four_letters,
        "names": names,
        "rank-fusion": Ranking(kb, lambda texts, k: fused(tree, names, texts, k)),
    }
    for share in SHARES:
        systems[f"blend-{share}"] = replace(default, tree_share=share)
    systems["aliases-as-titles"] = default.with_names(replace(config, alias_weight=1.0))
    return systems | {DEFAULT: default}


def other_trees(kb: KnowledgeBase, default: TreeAndNames) -> dict[str, object]:
    """Trees learned in other ways, each alone and in the default's place beside the names."""
    config = default.tree.config
    letters = TfidfConfig(max_df=1.0, char_ngrams_min=3, char_ngrams_max=4)
    configs = {
        "char3-4": replace(config, features=MentionFeaturesConfig(mention=letters, context_weight=0.0)),
        "3-trees": replace(config, ranker=replace(config.ranker, n_trees=3)),
        "matcher-aware": replace(config, ranker=replace(config.ranker, negatives="matcher_aware")),
    }
    systems: dict[str, object] = {"tree": default.tree, "tree+names": default}
    for name, other in configs.items():
        built = LabelTreeSource.build(SourceInputs(kb, n_threads=1), other)
        systems[f"tree-{name}"] = built
        systems[f"tree-{name}+names"] = replace(default, tree=built)
    return systems


def descend(tree: LabelTreeSource, texts: list[str], k: int, width: int) -> sparse.csr_matrix:
    """What the tree gives with another beam."""
    return tree.ranker.rank(tree.features.transform(texts, [], 1), k, BeamConfig(width=width))


def fused(tree: LabelTreeSource, names: NameSource, texts: list[str], k: int) -> FlatRows:
    """Reciprocal rank fusion: only places count, scores do not."""
    n_each = max(k, 50)
    first, second = (
        descend(tree, texts, n_each, tree.config.ranker.beam.width),
        names.search(as_mentions(texts), n_each),
    )
    halves = np.full(len(texts), 0.5, dtype=np.float32)
    return blended(by_place(first), by_place(second), halves, k)


def as_mentions(texts: list[str]) -> list[MentionInContext]:
    """Texts as mentions without a context."""
    return [MentionInContext(text, text, 0, len(text)) for text in texts]


def by_place(ranked: FlatRows | sparse.csr_matrix) -> sparse.csr_matrix:
    """The same ranking with 1 / (60 + place) for scores.

    Examples
    --------
    >>> by_place(sparse.csr_matrix(np.array([[0.9, 0.0], [0.2, 0.1]], dtype=np.float32))).data.round(4).tolist()
    [0.0164, 0.0164, 0.0161]
    """
    places = np.arange(1, ranked.nnz + 1) - np.repeat(ranked.indptr[:-1], np.diff(ranked.indptr))
    scores = (1 / (FUSION_CONSTANT + places)).astype(np.float32)
    return sparse.csr_matrix((scores, ranked.indices, ranked.indptr), shape=ranked.shape)


@dataclass(frozen=True)
class Rescored:
    """The tree's own list in the order of the cosine of each entity's best name."""

    tree: LabelTreeSource
    names_by_features: sparse.csr_matrix
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, kb: KnowledgeBase, tree: LabelTreeSource) -> Rescored:
        """The names of each entity stand together."""
        names, rows = kb.names()
        order = np.argsort(rows, kind="stable")
        starts = np.searchsorted(rows[order], np.arange(len(kb) + 1)).astype(np.int64)
        return cls(tree, tree.features.transform(names, [], 1)[order], starts)

    def rank(self, texts: list[str], k: int) -> sparse.csr_matrix:
        """The best `k` of the 200 that the tree gives."""
        queries = self.tree.features.transform(texts, [], 1)
        found = self.tree.ranker.rank(queries, max(k, N_RESCORED))
        n_names = np.diff(self.starts)[found.indices]
        ends = np.concatenate([[0], np.cumsum(n_names)])
        of_entity = np.arange(ends[-1]) - np.repeat(ends[:-1], n_names)
        partners = np.repeat(self.starts[found.indices], n_names) + of_entity
        cosines = row_dots(queries, ends[found.indptr], self.names_by_features, partners, 1)
        best = np.maximum.reduceat(cosines, ends[:-1]) if len(cosines) else cosines
        return best_of(sparse.csr_matrix((best, found.indices, found.indptr), shape=found.shape), k)


@dataclass(frozen=True)
class NameTree:
    """A tree whose labels are names, not entities; its list is ordered by cosine and stands for the entities."""

    tree: LabelTreeSource
    names_by_features: sparse.csr_matrix
    names_by_entities: sparse.csr_matrix

    @classmethod
    def build(cls, kb: KnowledgeBase) -> NameTree:
        """Each different name is an entity of its own to the tree."""
        names, rows = kb.names()
        number_of: dict[str, int] = {}
        numbers = np.array([number_of.setdefault(folded(name), len(number_of)) for name in names])
        forms = KnowledgeBase.from_records({"id": str(n), "title": name} for name, n in number_of.items())
        tree = LabelTreeSource.build(SourceInputs(forms, n_threads=1), LabelTreeSourceConfig())
        ones = np.ones(len(rows), dtype=np.float32)
        meant = sparse.csr_matrix((ones, (numbers, rows)), shape=(len(forms), len(kb)))
        return cls(tree, tree.features.transform(forms.titles, [], 1), meant)

    def rank(self, texts: list[str], k: int) -> sparse.csr_matrix:
        """The entities of the best of 200 names."""
        queries = self.tree.features.transform(texts, [], 1)
        found = self.tree.ranker.rank(queries, max(k, N_RESCORED))
        cosines = row_dots(queries, found.indptr, self.names_by_features, found.indices, 1)
        meant = self.names_by_entities[found.indices]
        n_meant = np.diff(meant.indptr)
        queried = np.repeat(np.repeat(np.arange(len(texts)), np.diff(found.indptr)), n_meant)
        scores = np.repeat(cosines, n_meant)
        order = np.lexsort((-scores, meant.indices, queried))
        is_first = np.ones(len(order), dtype=bool)
        pairs = np.stack([queried[order], meant.indices[order]])
        is_first[1:] = (pairs[:, 1:] != pairs[:, :-1]).any(axis=0)
        kept = order[is_first]
        indptr = np.searchsorted(queried[kept], np.arange(len(texts) + 1))
        shape = (len(texts), self.names_by_entities.shape[1])
        return best_of(sparse.csr_matrix((scores[kept], meant.indices[kept], indptr), shape=shape), k)


def best_of(scored: sparse.csr_matrix, k: int) -> sparse.csr_matrix:
    """The best `k` of each row, best first; of equals the one that came first.

    Examples
    --------
    >>> best_of(sparse.csr_matrix(np.array([[0.1, 0.9, 0.5]])), 2).indices.tolist()
    [1, 2]
    """
    lengths = np.diff(scored.indptr)
    rows = np.repeat(np.arange(scored.shape[0]), lengths)
    order = np.lexsort((-scored.data, rows))  # keeps the order of rows, so places stay those of indptr
    is_kept = np.arange(scored.nnz) - np.repeat(scored.indptr[:-1], lengths) < k
    order = order[is_kept]
    indptr = np.concatenate([[0], np.cumsum(np.minimum(lengths, k))])
    return sparse.csr_matrix((scored.data[order], scored.indices[order], indptr), shape=scored.shape)


@dataclass(frozen=True)
class AsItComes:
    """`bm25s` with its own choice of the best, which looks at all documents; only its cost is of interest."""

    names: Bm25Names

    def generate(self, mentions: Sequence[MentionInContext], k: int) -> list[list[Candidate]]:
        """The rows it gives, whatever their scores."""
        import bm25s  # noqa: PLC0415 - of the extra `bench`

        texts = [mention.text for mention in mentions]
        words = bm25s.tokenize(texts, token_pattern=TOKEN_PATTERN, stopwords=None, show_progress=False)
        found, scores = self.names.index.retrieve(words, k=min(k, len(self.names.kb)), show_progress=False)
        pairs = zip(found.tolist(), scores.tolist(), strict=True)
        return [candidates_of(self.names.kb, zip(rows, listed, strict=True)) for rows, listed in pairs]


class Scan:
    """Brute force to the letter: the mention's features times every name, without an inverted index."""

    def __init__(self, brute: BruteForceCosine) -> None:
        self.brute = brute
        self.names_by_features = brute.nearest.features_by_names.T.tocsr()

    def generate(self, mentions: Sequence[MentionInContext], k: int) -> list[list[Candidate]]:
        """The entities of the nearest names, one mention after the other."""
        found = []
        for query in self.brute.vectorizer.transform([mention.text for mention in mentions], n_threads=1):
            cosines = self.names_by_features @ query.toarray().ravel()
            names = np.flatnonzero(cosines)
            found.append(candidates_of(self.brute.kb, self.brute.nearest.best(names, cosines[names], k)))
        return found


def by_entity(brute: BruteForceCosine) -> BruteForceCosine:
    """The same brute force with the names of each entity together: of equal cosines, the earlier entity comes first."""
    rows = brute.nearest.rows
    order = np.argsort(rows, kind="stable")
    names_by_features = brute.nearest.features_by_names.T.tocsr()[order]
    return BruteForceCosine(brute.kb, brute.vectorizer, NearestNames(names_by_features, rows[order]))
