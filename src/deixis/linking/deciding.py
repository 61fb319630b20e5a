"""The joint decision over a text: how likely each span with its best candidate is right, and which spans to take.

A span is worth its chance less the threshold: the spans taken do not overlap and are worth the most together. For
chances that can be believed, that is the choice of best F1 if the threshold is half of that F1.
"""

from __future__ import annotations

import bisect
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from deixis.learners.logistic import fit_logistic, weighed
from deixis.store.checks import check_length, check_range, require

MAX_LOG_ODDS = 8.0
MAX_WEIGHT = 100.0
PENALTY = 1.0
EVIDENCE = {
    "span": "how likely it is a mention of anything, as log odds",
    "score": "the share of the best candidate, as log odds",
    "lead": "how far the best candidate is ahead of the next",
    "nameless": "it is no name on the list",
    "nameless_score": "it is no name on the list, and the share of the best candidate",
    "one": "what holds of every link",
}
"""What a chance is made of, and what that says."""
COUNTS_FOR = np.array([True, True, True, False, False, False])


@dataclass(frozen=True, eq=False)
class Decider:
    """What the log odds of a span and the score of its best candidate weigh, and so how likely the link is right.

    Examples
    --------
    >>> decider = Decider(np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0]))
    >>> evidence = decision_evidence(np.array([2.0, -2.0]), np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([False] * 2))
    >>> decider.chances(evidence).round(2).tolist()
    [0.95, 0.27]
    """

    weights: NDArray[np.float64]

    @classmethod
    def default(cls, kind: str) -> Decider:
        """The decider of a knowledge base without annotated documents; `kind` is `described` or `bare`."""
        told = default_decision(kind)
        return cls(np.array([told.get(name, 0.0) for name in EVIDENCE]))

    @classmethod
    def fit(cls, evidence: NDArray[np.float32], is_right: NDArray[np.bool_], start: Decider) -> Decider:
        """The decider of spans whose verdict is known; few of them change little of `start`."""
        return cls(fit_logistic(evidence, is_right, PENALTY, start.weights, COUNTS_FOR))

    def chances(self, evidence: NDArray[np.float32]) -> NDArray[np.float64]:
        """How likely it is that a span is a mention of its best candidate."""
        chances: NDArray[np.float64] = expit(weighed(evidence, self.weights))
        return chances

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The weights as an array under a name that begins with `prefix`."""
        return {f"{prefix}.weights": self.weights}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> Decider:
        """The decider `to_arrays` gave, checked."""
        weights = require(arrays, f"{prefix}.weights", np.float64)
        check_length(f"{prefix}.weights", weights, len(EVIDENCE))
        check_range(f"{prefix}.weights", weights, -MAX_WEIGHT, MAX_WEIGHT)
        return cls(weights)


def decision_evidence(
    log_odds: NDArray[np.float64], ranked: NDArray[np.float64], is_nameless: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """spans_by_evidence; `ranked` is what `deixis.decision.calibrator.evidence_of` says of their candidates."""
    nameless = is_nameless.astype(np.float64)
    bounded = np.clip(log_odds, -MAX_LOG_ODDS, MAX_LOG_ODDS)
    columns = [bounded, ranked[:, 0], ranked[:, 1], nameless, nameless * ranked[:, 0], np.ones(len(bounded))]
    return np.column_stack(columns).astype(np.float32)


def best_apart(starts: NDArray[np.integer], ends: NDArray[np.integer], gains: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which spans to take so that no two overlap and their gains add up to the most; of equals the longer.

    Examples
    --------
    >>> best_apart(np.array([0, 0, 4]), np.array([3, 8, 8]), np.array([0.3, 0.7, 0.3])).tolist()
    [False, True, False]
    """
    is_taken = np.zeros(len(starts), dtype=bool)
    rows = np.flatnonzero(gains > 0)
    order = rows[np.lexsort((-starts[rows], ends[rows]))].tolist()
    begins, stops, worth = (column[order].tolist() for column in (starts, ends, gains))
    totals: list[float] = [0.0]
    befores: list[int] = []
    is_better: list[bool] = []
    for begin, gain in zip(begins, worth, strict=True):
        before = bisect.bisect_right(stops, begin, hi=len(befores))
        befores.append(before)
        is_better.append(totals[before] + gain >= totals[-1])
        totals.append(max(totals[before] + gain, totals[-1]))
    place = len(order)
    while place > 0:
        if is_better[place - 1]:
            is_taken[order[place - 1]] = True
            place = befores[place - 1]
        else:
            place -= 1
    return is_taken


@cache
def default_decision(kind: str) -> dict[str, float]:
    """What evidence weighs without annotated documents, and the threshold of its chances."""
    told: dict[str, dict[str, float]] = json.loads(
        files("deixis.linking").joinpath("decision_weights.json").read_text("utf-8")
    )
    return told[kind]
