"""What a linker weighed before corrections: from here, and not from where the last ones led, the next ones start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.linking.calibration import Calibration
from deixis.store.checks import check_length, check_range, require

MAX_WEIGHT = 1e9


@dataclass(frozen=True, eq=False)
class Uncorrected:
    """Weights of evidence and calibration as they were."""

    weights: NDArray[np.float64]
    calibration: Calibration | None

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Both as arrays under names that begin with `prefix`."""
        arrays: dict[str, NDArray[Any]] = {f"{prefix}.weights": self.weights}
        return arrays if self.calibration is None else arrays | self.calibration.to_arrays(f"{prefix}.calibration")

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str, n_weights: int) -> Uncorrected | None:
        """What `to_arrays` gave, checked; None if something else was learned since."""
        if f"{prefix}.weights" not in arrays:
            return None
        weights = require(arrays, f"{prefix}.weights", np.float64)
        check_length(f"{prefix}.weights", weights, n_weights)
        check_range(f"{prefix}.weights", weights, -MAX_WEIGHT, MAX_WEIGHT)
        return cls(weights, Calibration.from_arrays(arrays, f"{prefix}.calibration"))
