"""Why a mention was linked as it was, as records that add up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Part:
    """One feature of a candidate: what it says, and what that counts (`value * weight`)."""

    name: str
    meaning: str
    value: float
    weight: float
    contribution: float


def parts_of(
    meanings: Mapping[str, str], values: NDArray[np.float32], weights: NDArray[np.float64], *more: Part
) -> tuple[Part, ...]:
    """What counts of the features that `says` lists in order, and of what comes besides; the most first."""
    parts = [
        Part(name, meaning, float(value), float(weight), float(value) * float(weight))
        for (name, meaning), value, weight in zip(meanings.items(), values, weights, strict=True)
    ]
    counting = [part for part in (*parts, *more) if part.contribution]
    return tuple(sorted(counting, key=lambda part: -abs(part.contribution)))


@dataclass(frozen=True)
class NGram:
    """One n-gram of the mention at one step through the tree."""

    text: str
    value: float
    weight: float
    contribution: float


@dataclass(frozen=True)
class TreeStep:
    """One step down the label tree: `margin` is `bias` and all n-grams' contributions together.

    `ngrams` has those that count most, `rest` the sum of the others. `topics` are words that the titles below have in
    common; at the last step, which is the entity itself, its title. `path_score` is the score of the way so far.
    """

    tree: int
    level: int
    node: int
    n_entities: int
    topics: tuple[str, ...]
    bias: float
    ngrams: tuple[NGram, ...]
    rest: float
    margin: float
    path_score: float


@dataclass(frozen=True)
class NameMatch:
    """The entity's name that is most like the mention; `how` is same, normalized or alike."""

    name: str
    how: str
    similarity: float


@dataclass(frozen=True)
class ExplainedCandidate:
    """A candidate and what speaks for it: `total` is the sum of the parts' contributions.

    `score` is its share among all candidates, exp(total - log_sum) with the explanation's `log_sum`; `confidence` what
    calibration makes of it, or the chance that the span was `found` with: the score that linking tells. `reranked` is
    the score of the re-ranker, where there is one.
    """

    id: str
    title: str
    score: float
    probability: float
    total: float
    name: NameMatch
    parts: tuple[Part, ...]
    reranked: float | None = None


@dataclass(frozen=True)
class MentionEvidence:
    """How likely a span that was found in a text is a mention, and that of its best candidate.

    `log_odds` is the sum of the `parts`, and `chance` is 1 / (1 + exp(-log_odds)): it is the best candidate's
    confidence, the others' are in proportion. One of the parts weighs how likely the span is a mention of anything;
    that, `span_log_odds`, is the sum of the `span_parts`.
    """

    probability: float
    log_odds: float
    parts: tuple[Part, ...]
    span_log_odds: float
    span_parts: tuple[Part, ...]


Detection = Literal["given", "likely", "unlikely", "not_considered"]
"""What a span is to linking: given as a mention, or, in a text that is searched, one that may well be a mention, one
that is passed over (hardly a mention, or part of a longer name), or no span that could be one."""


@dataclass(frozen=True)
class Explanation:
    """Why a mention means an entity, or would if it were linked, and what came next.

    Where the search of a text passes over a span and there is no `found`, confidences are those of a mention that was
    given: nothing that linking tells.

    `found` is there where the text was searched and chances decide what is a mention: not for mentions that were given,
    nor where every name of a short list is one. With `is_corrected` somebody said in this very text what the span means
    or does not mean, whatever the numbers say.
    """

    start: int
    end: int
    text: str
    entity: ExplainedCandidate
    runner_up: ExplainedCandidate | None
    is_linked: bool
    is_corrected: bool
    threshold: float
    n_candidates: int
    log_sum: float
    path: tuple[TreeStep, ...]
    mention_evidence: MentionEvidence | None = None
    detection: Detection = "given"

    def to_record(self) -> dict[str, Any]:
        """As plain dictionaries and lists, for JSON."""
        record: dict[str, Any] = asdict(self)
        return record
