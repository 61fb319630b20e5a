"""One score out of two and a label's frequency, by a decision tree (ELIAS, section 3.5).

scikit-learn grows the tree; using one needs NumPy only. Where we differ: the tree also sees the combined score, which
it could only make up by many cuts, and pairs of one leaf, which a tree cannot tell apart, keep the order of that score:
a leaf's value is spread over the room up to half-way to its neighbours'. The depth is the one that ranks best by
cross-validation without losing the first place, and 0, the combined score as it is, is one to choose from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from deixis.config import Config, setting
from deixis.errors import ConfigError, DataError, MissingExtraError, StoreError
from deixis.store.part import Part, array
from deixis.xmr.scored_pairs import ScoredPairs

_LEAF = -1
N_FEATURES = 4


@dataclass(frozen=True)
class ScoreTreeConfig(Config):
    """How the tree is grown."""

    depths: tuple[int, ...] = setting(
        (0, 2, 3, 4, 5, 6, 8),
        "Depths to choose from, by cross-validation on the held-out points; 0 is no tree.",
        low=0,
        high=64,
        is_fixed=True,
    )
    min_leaf: float = setting(
        0.002, "Share of the held-out pairs in a leaf, at least.", above=0, below=1, is_fixed=True
    )
    n_folds: int = setting(5, "Parts of the held-out points for the cross-validation.", low=2, is_fixed=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.depths:
            raise ConfigError("depths must be numbers in 0..64, at least one, got none.")


@dataclass(frozen=True, eq=False)
class ScoreTree(Part):
    """A grown tree: a pair goes on to `left[i]` if its `feature[i]` is at most `threshold[i]`, else to `right[i]`.

    A leaf has -1 for both, and `value` is the share of its pairs that were right.

    Examples
    --------
    >>> tree = ScoreTree(
    ...     left=np.array([1, -1, -1], np.int32),
    ...     right=np.array([2, -1, -1], np.int32),
    ...     feature=np.array([0, 0, 0], np.int32),
    ...     threshold=np.array([0.5, 0, 0]),
    ...     value=np.array([0.2, 0.1, 0.5]),
    ... )
    >>> tree.probabilities(np.array([[0.4], [0.9]], np.float32)).tolist()
    [0.1, 0.5]
    >>> tree.spread(np.array([[0.4], [0.3], [0.9]], np.float32), np.array([0.0, 1.0, 0.5])).round(3).tolist()
    [0.0, 0.3, 0.5]
    """

    left: NDArray[np.int32]
    right: Annotated[NDArray[np.int32], array(like="left")]
    feature: Annotated[NDArray[np.int32], array(low=0, high=N_FEATURES, like="left")]
    threshold: Annotated[NDArray[np.float64], array(like="left")]
    value: Annotated[NDArray[np.float64], array(low=0.0, high=1.0 + 1e-9, like="left")]

    @classmethod
    def fit(
        cls, pairs: ScoredPairs, is_right: NDArray[np.bool_], config: ScoreTreeConfig | None = None, seed: int = 0
    ) -> ScoreTree:
        """Grow a tree on what held-out documents shortlisted; `is_right` says which labels they have.

        The depth is the one with the highest nDCG@5 of documents left out, if P@1 is not lower than that of the
        least depth; a document is left out as a whole.
        """
        config = config or ScoreTreeConfig()
        if len(pairs) == 0:
            raise DataError("There are no held-out points to calibrate scores on; hold some documents out of training.")
        if is_right.all() or not is_right.any():
            what = "right" if is_right.all() else "wrong"
            raise DataError(f"All {len(pairs)} held-out pairs are {what}: scores cannot be calibrated on them.")
        grown = cls.of_sklearn(_grown(pairs.features, is_right, config, seed))
        return grown.cut(_best_depth(pairs, is_right, config, seed))

    @classmethod
    def of_sklearn(cls, classifier: Any) -> ScoreTree:  # noqa: ANN401 - a DecisionTreeClassifier of two classes
        """The tree of a fitted classifier of right (its last class) and wrong."""
        grown = classifier.tree_
        counts = grown.value[:, 0, :]
        return cls(
            grown.children_left.astype(np.int32),
            grown.children_right.astype(np.int32),
            np.maximum(grown.feature, 0).astype(np.int32),
            grown.threshold.astype(np.float64),
            counts[:, -1] / counts.sum(axis=1),
        )

    @property
    def n_leaves(self) -> int:
        """How many leaves the tree has."""
        return int((self.left == _LEAF).sum())

    @property
    def depths(self) -> NDArray[np.int64]:
        """How many steps each node is from the root."""
        depths = np.zeros(len(self.left), dtype=np.int64)
        for node in np.flatnonzero(self.left != _LEAF).tolist():  # children come after their parent
            depths[[self.left[node], self.right[node]]] = depths[node] + 1
        return depths

    def cut(self, depth: int) -> ScoreTree:
        """The tree as if it had been grown to `depth` at most: nodes there become leaves."""
        depths = self.depths
        is_kept = depths <= depth
        numbers = (np.cumsum(is_kept) - 1).astype(np.int32)
        is_inner = (self.left != _LEAF) & (depths < depth)
        left = np.where(is_inner, numbers[self.left], np.int32(_LEAF))[is_kept]
        right = np.where(is_inner, numbers[self.right], np.int32(_LEAF))[is_kept]
        return ScoreTree(left, right, self.feature[is_kept], self.threshold[is_kept], self.value[is_kept])

    def leaves(self, features: NDArray[np.float32]) -> NDArray[np.intp]:
        """The leaf of each pair."""
        nodes = np.zeros(len(features), dtype=np.intp)
        moving = np.arange(len(features))
        while len(moving):
            at = nodes[moving]
            is_inner = self.left[at] != _LEAF
            moving, at = moving[is_inner], at[is_inner]
            goes_left = features[moving, self.feature[at]] <= self.threshold[at]
            nodes[moving] = np.where(goes_left, self.left[at], self.right[at])
        return nodes

    def probabilities(self, features: NDArray[np.float32]) -> NDArray[np.float64]:
        """The value of each pair's leaf, as scikit-learn's `predict_proba` gives it."""
        probabilities: NDArray[np.float64] = self.value[self.leaves(features)]
        return probabilities

    def spread(self, features: NDArray[np.float32], combined: NDArray[np.floating]) -> NDArray[np.float64]:
        """Leaf values with the order of `combined` (0..1) inside a leaf, never past the values of other leaves."""
        levels, numbers = np.unique(self.value[self.left == _LEAF], return_inverse=True)
        between = (levels[1:] + levels[:-1]) / 2
        lowest, highest = (2 * levels[0] - between[0], 2 * levels[-1] - between[-1]) if len(between) else (0.0, 1.0)
        bounds = np.concatenate([[max(0.0, lowest)], between, [min(1.0, highest)]])
        level_of_node = np.zeros(len(self.value), dtype=np.intp)
        level_of_node[self.left == _LEAF] = numbers
        level = level_of_node[self.leaves(features)]
        spread: NDArray[np.float64] = bounds[level] + (bounds[level + 1] - bounds[level]) * np.clip(combined, 0, 1)
        return spread

    def check_parts(self, prefix: str) -> None:
        """Children come after their parent, so that every walk ends in a leaf."""
        n_nodes, numbers, is_leaf = len(self.left), np.arange(len(self.left)), self.left == _LEAF
        is_inside = (self.left > numbers) & (self.right > numbers) & (self.left < n_nodes) & (self.right < n_nodes)
        if n_nodes == 0 or not (is_inside | (is_leaf & (self.right == _LEAF))).all():
            raise StoreError(f"{prefix}.left and {prefix}.right are no tree: the model is damaged; build it again.")


def decision_tree_class() -> Any:  # noqa: ANN401 - scikit-learn is there only if the extra is
    """scikit-learn's decision tree, or an error that says what to install."""
    try:
        from sklearn.tree import DecisionTreeClassifier
    except ModuleNotFoundError as error:
        raise MissingExtraError("Learning to calibrate scores", "scikit-learn", "sklearn") from error
    return DecisionTreeClassifier


def _grown(features: NDArray[np.float32], is_right: NDArray[np.bool_], config: ScoreTreeConfig, seed: int) -> Any:  # noqa: ANN401
    """A classifier of scikit-learn's, grown to the largest depth."""
    tree = decision_tree_class()(
        criterion="log_loss",
        max_depth=max(1, *config.depths),
        min_samples_leaf=config.min_leaf,
        random_state=seed,
    )
    return tree.fit(features, is_right)


def _best_depth(pairs: ScoredPairs, is_right: NDArray[np.bool_], config: ScoreTreeConfig, seed: int) -> int:
    """The depth whose trees rank documents best that they were not grown on; the least of equals.

    A depth that has the first label right less often than the least one, by more than a standard error, is out.
    """
    n_documents, depths = len(pairs.starts) - 1, sorted(config.depths)
    n_folds = min(config.n_folds, n_documents)
    if len(depths) == 1 or n_folds < 2:
        return depths[0]
    folds = np.random.default_rng(seed).permutation(n_documents) % n_folds
    fold_of_pair = np.repeat(folds, np.diff(pairs.starts))
    scores = np.zeros((len(depths), len(pairs)))
    for fold in range(n_folds):
        is_left_out = fold_of_pair == fold
        seen = is_right[~is_left_out]
        if not len(seen) or seen.all() or not seen.any():
            return depths[0]
        grown = ScoreTree.of_sklearn(_grown(pairs.features[~is_left_out], seen, config, seed))
        for number, depth in enumerate(depths):
            scores[number, is_left_out] = grown.cut(depth).spread(
                pairs.features[is_left_out], pairs.combined[is_left_out]
            )
    goodness = np.array([pairs.ndcg(each, is_right) for each in scores])
    firsts = np.array([pairs.is_first_right(each, is_right) for each in scores], dtype=np.float64)
    losses = firsts[0] - firsts
    loses_first = losses.mean(axis=1) > losses.std(axis=1) / np.sqrt(losses.shape[1])
    return depths[int(np.argmax(np.where(loses_first, -np.inf, goodness)))]
