"""The extreme ranker: label features, tree, rankers, search, in one estimator (XMRED, sections 2.2 and 2.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deixis.config import Config, setting
from deixis.errors import ConfigError, DataError, NotFittedError, StoreError
from deixis.native import _core
from deixis.progress import stage
from deixis.scipy_sparse import sparse
from deixis.store.build_folder import stored_part
from deixis.store.checks import require_value
from deixis.tables import FlatRows
from deixis.xmr.averaging import MIN_EACH, average_rankings
from deixis.xmr.beam_search import BeamConfig, TreeSearcher
from deixis.xmr.label_features import aggregate_positive_instances
from deixis.xmr.label_tree import LabelTree, TreeConfig, build_label_tree
from deixis.xmr.level_runs import RUN_INSTANCES, LevelRun, in_tree_order, runs_of, train_in_runs
from deixis.xmr.linear_rankers import RankerConfig, RankerLevel
from deixis.xmr.negatives import docs_by_nodes, teacher_forcing, with_matched, with_random
from deixis.xmr.sklearn_estimator import SklearnEstimator
from deixis.xmr.sparse_rows import SparseRows


@dataclass(frozen=True)
class LabelTreeConfig(Config):
    """Settings of the extreme ranker."""

    tree: TreeConfig = field(default_factory=TreeConfig)
    ranker: RankerConfig = field(default_factory=RankerConfig)
    beam: BeamConfig = field(default_factory=BeamConfig)
    negatives: Literal["teacher_forcing", "matcher_aware"] = setting(
        "teacher_forcing", "Learn from a parent's own instances, or also from those sent there.", is_fixed=True
    )
    upper_cost: float = setting(1.0, "The rankers' cost is multiplied by this above the last level.", above=0)
    n_random: int = setting(0, "Instances drawn from all that each parent learns from besides, as negatives.", low=0)
    n_trees: int = setting(1, "Label trees whose scores are averaged.", low=1, cli="--trees")

    def ranker_of(self, level: int, n_levels: int) -> RankerConfig:
        """The settings of the rankers of one level."""
        if level + 1 == n_levels:
            return self.ranker
        return replace(self.ranker, cost=self.ranker.cost * self.upper_cost)


# What labels documents well (docs/explanation/extreme-classification.md): a shallow tree of wide nodes. The entity
# linker has a config of its own, and the defaults above are its.
LABELLING = LabelTreeConfig(
    tree=TreeConfig(branching=256, max_leaf_size=256),
    ranker=RankerConfig(epsilon=0.2),
    beam=BeamConfig(width=20, power=4, memory=0.5),
    upper_cost=0.4,
    n_random=100,
)


class RankedTree:
    """One tree with its rankers."""

    def __init__(self, tree: LabelTree, levels: Sequence[RankerLevel], n_features: int) -> None:
        self.tree = tree
        self.levels = tuple(levels)
        self.n_features = n_features
        self._searcher = TreeSearcher(self.levels, n_features, tree.label_order)

    @classmethod
    def train(
        cls,
        docs_by_features: SparseRows,
        docs_by_labels: SparseRows,
        tree: LabelTree,
        config: LabelTreeConfig,
        seed: int = 0,
        n_threads: int = 0,
        *,
        is_soft: bool = False,
        name: str = "tree",
    ) -> RankedTree:
        """Rankers for every level of `tree`, from the top down; a build that keeps its parts has them by `name`."""
        docs_by_positions = in_tree_order(docs_by_labels, tree)
        levels: list[RankerLevel] = []
        children = docs_by_nodes(docs_by_positions, tree, 0)
        for t, child_starts in enumerate(tree.child_starts):
            parents = children
            children = docs_by_nodes(docs_by_positions, tree, t + 1)
            if config.negatives == "matcher_aware" and t > 0:
                searcher = TreeSearcher(levels, docs_by_features.n_columns)
                indptr, nodes, _ = searcher.search(docs_by_features, config.beam.width, config.beam, n_threads)
                instances = with_matched(parents, indptr, nodes)
            else:
                instances = teacher_forcing(parents)
            instances = with_random(instances, config.n_random, seed + t)
            ranker = config.ranker_of(t, tree.n_levels)
            with stage(f"training rankers, level {t + 1} of {tree.n_levels}"):
                level = train_in_runs(
                    f"{name}.level.{t}", docs_by_features, children, instances, child_starts, ranker, seed + t,
                    n_threads, is_soft=is_soft,
                )  # fmt: skip
            levels.append(level)
        return cls(tree, levels, docs_by_features.n_columns)

    def rank(
        self,
        queries: SparseRows,
        k: int,
        config: BeamConfig,
        n_threads: int = 0,
        allowed: NDArray[np.bool_] | None = None,
    ) -> FlatRows:
        """docs_by_labels scores, the best k of each row, best first; of the allowed labels if a filter is given."""
        indptr, labels, scores = self._searcher.search(queries, min(k, self.tree.n_labels), config, n_threads, allowed)
        return FlatRows(indptr, labels, scores, (queries.n_rows, self.tree.n_labels))

    def rank_row(
        self, columns: NDArray[np.int32], values: NDArray[np.float32], k: int, config: BeamConfig
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The best `k` labels of a single row and their scores; TypeError or ValueError if the core refuses the row."""
        return self._searcher.search_row(columns, values, k, config)

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Flat arrays under names that begin with `prefix`."""
        arrays = self.tree.to_arrays(f"{prefix}.tree")
        for t, level in enumerate(self.levels):
            arrays |= level.to_arrays(f"{prefix}.level.{t}")
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str, n_features: int) -> RankedTree:
        """The tree and rankers `to_arrays` gave, checked."""
        tree = LabelTree.from_arrays(arrays, f"{prefix}.tree")
        levels = [
            RankerLevel.from_arrays(arrays, f"{prefix}.level.{t}", starts, n_features)
            for t, starts in enumerate(tree.child_starts)
        ]
        return cls(tree, levels, n_features)


class LabelTreeRanker(SklearnEstimator):
    """Ranks labels for feature rows: fit on a sparse matrix and a multi-label indicator matrix, then rank.

    Examples
    --------
    >>> X = sparse.csr_matrix(np.eye(4, dtype=np.float32))
    >>> Y = sparse.csr_matrix(np.eye(4, dtype=np.float32)[[0, 1, 1, 2]])
    >>> ranker = LabelTreeRanker().fit(X, Y)
    >>> ranker.predict(X).indices.tolist()
    [0, 1, 1, 2]
    """

    def __init__(self, config: LabelTreeConfig | None = None, seed: int = 0, n_threads: int = 0) -> None:
        self.config = config or LabelTreeConfig()
        self.seed = seed
        self.n_threads = n_threads
        self.trees: tuple[RankedTree, ...] = ()

    def fit(self, X: Any, Y: Any, *, is_soft: bool = False) -> LabelTreeRanker:  # noqa: ANN401, N803 - any matrices
        """Learn from instances `X` (docs_by_features) and their labels `Y` (docs_by_labels, non-zero = has it).

        With `is_soft` the values of `Y` are targets in (0, 1]: a positive with target t costs `t * C` in the SVM, where
        negatives cost C; a node's target is the largest of its labels', and label features are sums weighted by them.
        """
        if not 0 <= self.seed < 2**63:
            raise ConfigError(f"The seed must lie in 0..2^63 - 1, got {self.seed}.")
        docs_by_features = X if isinstance(X, SparseRows) else SparseRows.of(X, "feature matrix")
        labels = Y if isinstance(Y, SparseRows) else SparseRows.of(Y, "label matrix")
        docs_by_labels = SparseRows.targets(labels) if is_soft else labels.indicators()
        if docs_by_features.n_rows != docs_by_labels.n_rows:
            raise DataError(
                f"X has {docs_by_features.n_rows} rows and Y has {docs_by_labels.n_rows}; they must be as many."
            )
        if docs_by_labels.n_columns == 0 or docs_by_features.n_rows == 0:
            raise DataError("Nothing to learn from: X and Y need at least one row, and Y at least one label.")
        trees = self._label_trees(docs_by_features, docs_by_labels)
        self.trees = tuple(
            RankedTree.train(
                docs_by_features, docs_by_labels, tree, self.config, self.seed_of(number), self.n_threads,
                is_soft=is_soft, name=f"tree.{number}",
            )
            for number, tree in enumerate(trees)
        )  # fmt: skip
        return self

    def _label_trees(self, docs_by_features: SparseRows, docs_by_labels: SparseRows) -> list[LabelTree]:
        """The trees without rankers; labels are described once, if there is a tree that is not kept from before."""

        @cache
        def labels_by_features() -> SparseRows:
            with stage("describing labels"):
                return aggregate_positive_instances(docs_by_features, docs_by_labels)

        def grouped(number: int) -> LabelTree:
            described = labels_by_features()
            with stage("grouping labels into a tree"):
                return build_label_tree(described, self.config.tree, self.seed_of(number), self.n_threads)

        numbers = range(self.config.n_trees)
        return [stored_part(partial(grouped, number), f"tree.{number}", LabelTree) for number in numbers]

    def seed_of(self, number: int) -> int:
        """The seed of one of its trees."""
        return self.seed + 1000 * number

    def first_tree(self, docs_by_features: SparseRows, docs_by_labels: SparseRows) -> LabelTree:
        """The first of the trees, which no ranker has to be learned for."""
        return self._label_trees(docs_by_features, docs_by_labels.indicators())[0]

    def level_runs(self, docs_by_features: SparseRows, docs_by_labels: SparseRows) -> list[LevelRun]:
        """What `fit` learns, in runs that need not wait for each other, the largest first; none if levels must wait."""
        runs: list[tuple[int, LevelRun]] = []
        trees = self._label_trees(docs_by_features, docs_by_labels.indicators())
        for number, tree in enumerate(trees if self.config.negatives == "teacher_forcing" else ()):
            docs_by_positions = in_tree_order(docs_by_labels.indicators(), tree)
            for level in range(tree.n_levels):
                parents = docs_by_nodes(docs_by_positions, tree, level)
                instances = with_random(teacher_forcing(parents), self.config.n_random, self.seed_of(number) + level)
                sizes = np.diff(instances.indptr)
                own = runs_of(sizes, RUN_INSTANCES)
                runs += [(int(sizes[run.start : run.stop].sum()), (number, level, run.start, run.stop)) for run in own]
        return [run for _, run in sorted(runs, key=lambda sized: -sized[0])]

    def train_run(
        self, docs_by_features: SparseRows, docs_by_labels: SparseRows, run: LevelRun, *, is_soft: bool = False
    ) -> None:
        """Learns one of `level_runs`, for a `fit` that finds it among the parts of its build."""
        number, level, first, last = run
        labels = SparseRows.targets(docs_by_labels) if is_soft else docs_by_labels.indicators()
        tree = self._label_trees(docs_by_features, labels)[number]
        docs_by_positions, seed = in_tree_order(labels, tree), self.seed_of(number)
        parents, children = (docs_by_nodes(docs_by_positions, tree, t) for t in (level, level + 1))
        instances = with_random(teacher_forcing(parents), self.config.n_random, seed + level)
        train_in_runs(
            f"tree.{number}.level.{level}", docs_by_features, children, instances, tree.child_starts[level],
            self.config.ranker_of(level, tree.n_levels), seed + level, self.n_threads,
            is_soft=is_soft, runs=[range(first, last)],
        )  # fmt: skip

    def with_beam(self, width: int) -> LabelTreeRanker:
        """The same trees, searched with another beam."""
        config = replace(self.config, beam=replace(self.config.beam, width=width))
        other = LabelTreeRanker(config, self.seed, self.n_threads)
        other.trees = self.trees
        return other

    @property
    def n_labels(self) -> int:
        """How many labels it ranks."""
        return self._fitted()[0].tree.n_labels

    @property
    def n_features(self) -> int:
        """How many columns its rows must have."""
        return self._fitted()[0].n_features

    def rank(
        self,
        X: Any,  # noqa: ANN401, N803 - any sparse or dense matrix
        k: int = 10,
        beam: BeamConfig | None = None,
        allowed: NDArray[np.bool_] | None = None,
    ) -> sparse.csr_matrix:
        """docs_by_labels scores in 0..1 of the best `k` labels of each row, stored best first.

        With `allowed`, a mask over labels, of those only: `k` of them, or all if they are fewer.
        """
        queries = X if isinstance(X, SparseRows) else SparseRows.of(X, "feature matrix")
        return self.ranking(queries, k, beam, allowed).matrix()

    def ranking(
        self,
        queries: SparseRows,
        k: int = 10,
        beam: BeamConfig | None = None,
        mask: NDArray[np.bool_] | None = None,
    ) -> FlatRows:
        """The same as `rank`, without the cost of a matrix."""
        if k < 1:
            raise ConfigError(f"k must be at least 1, got {k}.")
        if queries.n_columns != self.n_features:
            raise DataError(f"The rows have {queries.n_columns} features; the ranker was fitted on {self.n_features}.")
        trees = self._fitted()
        n_each = k if len(trees) == 1 else max(k, MIN_EACH)
        ranked = [tree.rank(queries, n_each, beam or self.config.beam, self.n_threads, mask) for tree in trees]
        if len(ranked) == 1:
            return ranked[0]
        return FlatRows.of(average_rankings([each.matrix() for each in ranked], k))

    def rank_row(
        self, columns: NDArray[np.int32], values: NDArray[np.float32], k: int = 10, beam: BeamConfig | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The best `k` labels of one row and their scores, best first, without the cost of making matrices."""
        trees = self._fitted()
        if len(trees) > 1 or k < 1:
            return self._rank_converted(columns, values, k, beam)
        try:  # the core checks the row as it lies
            return trees[0].rank_row(columns, values, k, beam or self.config.beam)
        except (TypeError, ValueError):  # arrays of other types are converted, and what is wrong with a row is said
            return self._rank_converted(columns, values, k, beam)

    def _rank_converted(
        self, columns: NDArray[np.int32], values: NDArray[np.float32], k: int, beam: BeamConfig | None
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        ranked = self.ranking(SparseRows.of_row(columns, values, self.n_features), k, beam)
        return ranked.indices, ranked.data

    def predict(self, X: Any) -> sparse.csr_matrix:  # noqa: ANN401, N803 - any sparse or dense matrix
        """The best label of each row, as an indicator matrix."""
        best = self.rank(X, k=1)
        best.data[:] = 1.0
        return best

    def __sklearn_is_fitted__(self) -> bool:
        return bool(self.trees)

    def _fitted(self) -> tuple[RankedTree, ...]:
        if not self.trees:
            raise NotFittedError("This ranker has learned nothing yet; call fit(X, Y) first.")
        return self.trees

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Flat arrays under names that begin with `prefix`."""
        arrays: dict[str, NDArray[Any]] = {f"{prefix}.n_features": np.array(self.n_features)}
        for number, tree in enumerate(self._fitted()):
            arrays |= tree.to_arrays(f"{prefix}.{number}")
        return arrays

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, config: LabelTreeConfig, n_threads: int = 0
    ) -> LabelTreeRanker:
        """The ranker `to_arrays` gave, checked."""
        n_features = require_value(arrays, f"{prefix}.n_features", int, 0, _core.MAX_COLUMNS)
        ranker = cls(config, n_threads=n_threads)
        ranker.trees = tuple(RankedTree.from_arrays(arrays, f"{prefix}.{n}", n_features) for n in range(config.n_trees))
        if len({tree.tree.n_labels for tree in ranker.trees}) > 1:
            raise StoreError(f"The trees of {prefix} hold different numbers of labels: the model is damaged.")
        return ranker
