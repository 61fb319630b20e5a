"""Explanations as records whose parts add up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Part:
    """One feature of a candidate: its meaning, and its contribution (`value * weight`)."""

    name: str
    meaning: str
    value: float
    weight: float
    contribution: float


def parts_of(
    meanings: Mapping[str, str], values: NDArray[np.float32], weights: NDArray[np.float64], *more: Part
) -> tuple[Part, ...]:
    """The features with a contribution, in the order of `meanings`, and further parts; the largest first."""
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

    `ngrams` has those that contribute most, `rest` the sum of the others. `topics` are words that the titles below have
    in common; at the last step, which is the entity itself, its title. `path_score` is the score of the path so far.
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
    """The entity's name that is most similar to the mention; `how` is same, normalized or similar."""

    name: str
    how: str
    similarity: float


@dataclass(frozen=True)
class ExplainedCandidate:
    """A candidate and its features: `total` is the sum of the parts' contributions.

    `score` is the softmax over all candidates, exp(total - log_sum) with the explanation's `log_sum`. `probability` is
    the calibrated score, which `link` returns; for a detected mention it includes the mention's probability. `reranked`
    is the score of the re-ranker, if there is one.
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
    """The evidence that a detected span is a mention of its best candidate.

    `log_odds` is the sum of the `parts`, and `probability` is 1 / (1 + exp(-log_odds)), the best candidate's
    probability; those of the others are in proportion. One of the parts is `span_log_odds`, the log odds that the span
    is a mention of anything, which is the sum of the `span_parts`.
    """

    probability: float
    log_odds: float
    parts: tuple[Part, ...]
    span_log_odds: float
    span_parts: tuple[Part, ...]


@dataclass(frozen=True)
class ListEvidence:
    """The evidence that a mention means anything on the list, by its best candidate.

    `log_odds` is the sum of the `parts`, and `probability` is 1 / (1 + exp(-log_odds)). The probability of a given
    mention's link is this times the score of its candidate, unless the model was calibrated on annotated documents.
    """

    probability: float
    log_odds: float
    parts: tuple[Part, ...]


Detection = Literal["given", "likely", "unlikely", "not_considered"]
"""How a span was detected: given as a mention; or, in raw text, a likely mention, an unlikely one (improbable, or part
of a longer name), or a span that the detector does not consider."""


@dataclass(frozen=True)
class Explanation:
    """The explanation of one mention: its entity, or the best candidate if it is not linked, and the runner-up.

    `mention_evidence` is set for raw text with detection by probability: not for given mentions, nor where every name
    of a short knowledge base is a mention. A span that was not detected and has no `mention_evidence` has the
    probabilities of a given mention, which `link` does not return. With `is_corrected` the span was corrected in this
    text, which overrides the score.
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
    on_list: ListEvidence
    mention_evidence: MentionEvidence | None = None
    detection: Detection = "given"

    def to_record(self) -> dict[str, Any]:
        """The explanation as dictionaries and lists, for JSON."""
        record: dict[str, Any] = asdict(self)
        return record
