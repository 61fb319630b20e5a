"""Thresholds of entities by their types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import ConfigError
from deixis.tables import EntityMask

TypeThresholds = tuple[tuple[str, float], ...]
"""Types and the threshold of each, in the order of the alphabet."""
_EXAMPLE = 'such as {"Disease": 0.4}'


def checked_type_thresholds(values: Any) -> TypeThresholds:  # noqa: ANN401 - whatever somebody gives
    """The thresholds of a mapping or of pairs; what is none is an error.

    Examples
    --------
    >>> checked_type_thresholds({"Disease": 0.4, "City": 1})
    (('City', 1.0), ('Disease', 0.4))
    """
    pairs = list(
        values.items() if isinstance(values, Mapping) else values if isinstance(values, Iterable) else [values]
    )
    thresholds: dict[str, float] = {}
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not isinstance(pair[0], str):
            raise ConfigError(f"Thresholds of types are numbers by type, {_EXAMPLE}; got {values!r:.60}.")
        name, threshold = pair
        if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
            raise ConfigError(f"The threshold of the type {name!r} must lie in 0..1, got {threshold!r:.60}.")
        if thresholds.get(name, threshold) != threshold:
            raise ConfigError(f"The type {name!r} has two thresholds, {thresholds[name]} and {threshold}: give one.")
        thresholds[name] = float(threshold)
    return tuple(sorted(thresholds.items()))


def entity_thresholds(
    is_of_type_and_threshold: Iterable[tuple[EntityMask, float]], n_entities: int
) -> NDArray[np.float64]:
    """The threshold of each entity: the highest of its types, NaN where none of them has one.

    Examples
    --------
    >>> cities, capitals = np.array([True, True, False]), np.array([False, True, False])
    >>> entity_thresholds([(capitals, 0.7), (cities, 0.4)], 3).tolist()
    [0.4, 0.7, nan]
    """
    thresholds = np.full(n_entities, np.nan)
    for is_of_type, threshold in is_of_type_and_threshold:
        thresholds[is_of_type] = np.fmax(thresholds[is_of_type], threshold)
    return thresholds
