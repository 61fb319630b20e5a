"""Features of candidates as a matrix with names, and weights by name."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import DataError, StoreError
from deixis.learners.listwise import TrainingExamples, fit_weights
from deixis.native import _core
from deixis.ranking.features import FEATURES, RENAMED, RETIRED
from deixis.store.checks import MAX_WEIGHT, require
from deixis.store.part import Part, array

# The order of weights in models that were saved without the names of their features, under the names of that time.
UNNAMED = (
    "names", "names_squared", "string", "tree", "tree_log", "alias", "prior", "title", "id", "popularity",
    "popularity_unnamed", "popularity_described", "named", "fully_named", "described", "fully_described",
    "title_in_mention", "title_in_text", "near", "around", "text", "others", "description_length", "n_names", "learned",
    "learned_prior", "learned_tree", "learned_names", "learned_popularity", "learned_around", "dense",
)  # fmt: skip

logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class FeatureMatrix:
    """candidates_by_features, and the name of each column."""

    names: tuple[str, ...]
    values: NDArray[np.float32]

    def columns(self, names: Sequence[str]) -> NDArray[np.float32]:
        """The columns of these features, in this order."""
        if self.names[: len(names)] == tuple(names):
            return self.values[:, : len(names)]
        return self.values[:, [self.names.index(name) for name in names]]


@dataclass(frozen=True, eq=False)
class FeatureWeights(Part):
    """What one unit of each feature adds to a candidate's log odds; any other feature weighs 0.

    Examples
    --------
    >>> weights = FeatureWeights.of({"names": 2.0, "popularity": 0.5})
    >>> weights["names"], weights["alias"]
    (2.0, 0.0)
    >>> weights.extended(["names", "alias"]).names
    ('names', 'popularity', 'alias')
    """

    names: tuple[str, ...]
    values: Annotated[NDArray[np.float64], array(low=-MAX_WEIGHT, high=MAX_WEIGHT, like="names")]

    @classmethod
    def of(cls, by_name: Mapping[str, float]) -> FeatureWeights:
        """These weights, in the order of `FEATURES`; a name that is none of them is refused."""
        unknown = sorted(set(by_name) - set(FEATURES))
        if unknown:
            raise DataError(f"No ranking feature is named {unknown[0]!r}. Known: {', '.join(FEATURES)}.")
        names = tuple(name for name in FEATURES if name in by_name)
        return cls(names, np.array([by_name[name] for name in names], dtype=np.float64))

    def by_name(self) -> dict[str, float]:
        """Each weight by the name of its feature."""
        return dict(zip(self.names, self.values.tolist(), strict=True))

    def __getitem__(self, name: str) -> float:
        return float(self.values[self.names.index(name)]) if name in self.names else 0.0

    def __len__(self) -> int:
        return len(self.names)

    def with_values(self, values: NDArray[np.float64]) -> FeatureWeights:
        """The same features with other weights."""
        return replace(self, values=values)

    def extended(self, more: Mapping[str, float] | Iterable[str]) -> FeatureWeights:
        """The same weights, and after them those of further features: 0 where only names are given."""
        weights = more if isinstance(more, Mapping) else dict.fromkeys(more, 0.0)
        further = {name: weight for name, weight in weights.items() if name not in self.names}
        if not further:
            return self
        return FeatureWeights((*self.names, *further), np.concatenate([self.values, list(further.values())]))

    @cached_property
    def parts(self) -> tuple[FeatureWeights, FeatureWeights]:
        """The weights of features that do not read the context of a mention, and of those that do."""
        return self.part(reads_context=False), self.part(reads_context=True)

    def part(self, *, reads_context: bool) -> FeatureWeights:
        """Only the weights of features that read the context of a mention, or only those of the others.

        Examples
        --------
        >>> weights = FeatureWeights.of({"names": 2.0, "near": 0.5})
        >>> weights.part(reads_context=True).by_name(), weights.part(reads_context=False).by_name()
        ({'near': 0.5}, {'names': 2.0})
        """
        is_own = [FEATURES[name].reads_context == reads_context for name in self.names]
        names = tuple(name for name, own in zip(self.names, is_own, strict=True) if own)
        return FeatureWeights(names, self.values[np.array(is_own, dtype=bool)])

    def sums(self, features: FeatureMatrix) -> NDArray[np.float64]:
        """The weighted sum of each candidate's features.

        Only features that have a weight are summed: one more that weighs 0 would change the last digits.
        """
        return weighted_sums(list(features.columns(self.names).T), self.values, len(features.values))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str, **context: Any) -> FeatureWeights:  # noqa: ANN401
        """The weights `to_arrays` gave, or those of a model that was saved without names; under today's names."""
        stored = super().from_arrays(arrays if prefix not in arrays else _named(arrays, prefix), prefix, **context)
        return _of_today(tuple(RENAMED.get(name, name) for name in stored.names), stored.values, prefix)


def weighted_sums(columns: Sequence[NDArray[np.float32]], weights: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """The sum of columns of `n` numbers times their weights, a column after the other.

    It is the same whatever rows they have besides, which a matrix product does not promise.
    """
    in_one_piece = [each if each.flags.c_contiguous else np.ascontiguousarray(each) for each in columns]
    return _core.weighted_sums(in_one_piece, weights, n)


def fit_feature_weights(
    examples: Sequence[TrainingExamples],
    penalty: float,
    start: FeatureWeights | None = None,
    importance: Sequence[float] | None = None,
    min_scales: NDArray[np.float64] | None = None,
) -> FeatureWeights:
    """Weights of all features of the examples, near those to start from; of sign `+` at least 0.

    The examples have the features that `start` weighs first; those that it does not know start from 0.
    """
    names = examples[0].names
    origin = None if start is None else start.extended(names)
    if origin is not None and origin.names != names:
        raise DataError(f"The examples have the features {', '.join(names)}; weights are {', '.join(origin.names)}.")
    is_positive = np.array([FEATURES[name].sign == "+" for name in names])
    values = None if origin is None else origin.values
    return FeatureWeights(names, fit_weights(examples, penalty, values, importance, is_positive, min_scales))


def _named(arrays: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    """Weights that were saved without names, with those of that time."""
    values = require(arrays, prefix, np.float64)
    if len(values) not in (len(UNNAMED), len(UNNAMED) - 1):
        raise StoreError(
            f"The array '{prefix}' has {len(values)} weights without the names of their features; models without names "
            f"have {len(UNNAMED) - 1}, or {len(UNNAMED)} with vectors. The model is damaged; build it again."
        )
    return FeatureWeights(UNNAMED[: len(values)], values).to_arrays(prefix)


def _of_today(names: tuple[str, ...], values: NDArray[np.float64], prefix: str) -> FeatureWeights:
    """The weights of features that there are; those retired are passed over, any other is an error."""
    unknown = [name for name in names if name not in FEATURES and name not in RETIRED]
    if unknown or len(set(names)) < len(names):
        wrong = f"for {unknown[0]!r}, which is no ranking feature" if unknown else "twice for one feature"
        raise StoreError(
            f"The array '{prefix}' has a weight {wrong}. Known: {', '.join(FEATURES)}. The model is damaged or from a "
            "later version; update Deixis, or build the model again."
        )
    is_known = np.array([name in FEATURES for name in names], dtype=bool)
    if is_known.all():
        return FeatureWeights(names, values)
    for name in names:
        if name not in FEATURES:
            logger.debug("Array '%s': the feature '%s' is retired; its weight is passed over.", prefix, name)
    return FeatureWeights(tuple(name for name in names if name in FEATURES), values[is_known])
