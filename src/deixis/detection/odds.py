"""Shrunk log odds by key: how much more or less often than others a key is a mention."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from deixis.store.part import Part, array

MAX_ODDS = 20.0


@dataclass(frozen=True, eq=False)
class KeyOdds(Part):
    """Log odds of keys against those of all keys together; 0 for a key that was never seen.

    Examples
    --------
    "It" is seen three times and never a mention, Troy twice and always; half of what is seen is a mention.

    >>> it, troy = 7, 5
    >>> keys = np.array([it, it, it, troy, troy], dtype=np.uint64)
    >>> odds = KeyOdds.fit(keys, np.array([False, False, False, True, True]), n_pseudo=1.0)
    >>> [round(one, 1) for one in odds.of(np.array([it, troy, 6], dtype=np.uint64)).tolist()]
    [-1.8, 1.8, 0.0]
    """

    keys: Annotated[NDArray[np.uint64], array(rising=True)]
    values: Annotated[NDArray[np.float32], array(low=-MAX_ODDS, high=MAX_ODDS, like="keys")]

    @classmethod
    def none(cls) -> KeyOdds:
        """Odds without any keys."""
        return cls(np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.float32))

    @classmethod
    def fit(cls, keys: NDArray[np.uint64], is_mention: NDArray[np.bool_], n_pseudo: float) -> KeyOdds:
        """The odds of the keys, each shrunk as if it had been seen `n_pseudo` times more, like all others."""
        if len(keys) == 0:
            return cls.none()
        rate = (is_mention.sum() + 0.5) / (len(keys) + 1.0)
        different, positions = np.unique(keys, return_inverse=True)
        n_seen, n_right = np.bincount(positions), np.bincount(positions, weights=is_mention)
        odds = np.log((n_right + n_pseudo * rate) / (n_seen - n_right + n_pseudo * (1 - rate)))
        return cls(different, (odds - np.log(rate / (1 - rate))).astype(np.float32))

    def of(self, keys: NDArray[np.unsignedinteger[Any]]) -> NDArray[np.float32]:
        """The odds of each key."""
        if len(self.keys) == 0:
            return np.zeros(len(keys), dtype=np.float32)
        positions = np.minimum(np.searchsorted(self.keys, keys.astype(np.uint64)), len(self.keys) - 1)
        return np.where(self.keys[positions] == keys, self.values[positions], np.float32(0))

    def has(self, keys: NDArray[np.unsignedinteger[Any]]) -> NDArray[np.bool_]:
        """Which keys were seen."""
        if len(self.keys) == 0:
            return np.zeros(len(keys), dtype=bool)
        positions = np.minimum(np.searchsorted(self.keys, keys.astype(np.uint64)), len(self.keys) - 1)
        is_seen: NDArray[np.bool_] = self.keys[positions] == keys
        return is_seen
