"""Stages 4 and 6: which spans are mentions, and which of these are linked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.candidate_lists import CandidateLists
from deixis.decision.overlaps import best_apart, is_touched
from deixis.detection.config import NIL_PROBABILITY
from deixis.features.tokens import tokenize
from deixis.learners.log_odds import expit
from deixis.linking.plan import LinkPlan
from deixis.linking.stages.rank import RankedSpans
from deixis.tables import Spans, on_one_line
from deixis.types import Document, Mention, NilReason

MAX_NAMED = 10  # candidates that are compared by name; one that has the name itself is among the first


def select(plan: LinkPlan, ranked: RankedSpans) -> NDArray[np.bool_]:
    """Which spans are mentions: all that are given; of those detected the best that do not overlap.

    With a filter, only names of entities that pass it.
    """
    if not plan.detects:
        return np.ones(len(ranked.spans), dtype=bool)
    probabilities = ranked.scored.best_scores()
    thresholds = plan.thresholds(plan.selecting, ranked.scored.best_rows())
    is_mention = mentions_among(ranked.spans, probabilities, thresholds, plan.may_overlap, plan.min_named_probability)
    if plan.mask is not None and plan.reader is None:
        is_mention &= has_exact_names(plan, ranked, is_mention)
    return is_mention


def mentions_among(
    spans: Spans,
    probabilities: NDArray[np.float64],
    threshold: float | NDArray[np.float64],
    may_overlap: bool,
    min_named_probability: float = NIL_PROBABILITY,
) -> NDArray[np.bool_]:
    """Which spans are mentions: links of the best sum of probabilities, and beside them names that are not linked.

    A long span is worth more than a short one: what its words mean together goes before what each of them means. Names
    are mentions if they are so with `min_named_probability`, whatever they mean.
    """
    is_link = reaches(probabilities, threshold)
    mention_probabilities = expit(spans.log_odds)
    is_name = (mention_probabilities >= min_named_probability) & spans.has_name
    if may_overlap:
        return is_link | is_name
    starts, ends = on_one_line(spans.documents, spans.starts, spans.ends)
    lengths = (ends - starts).astype(np.float64)
    # What just reaches the threshold is worth a little, too.
    is_linked = best_apart(starts, ends, np.where(is_link, probabilities - threshold + 1e-6, 0.0) * lengths)
    is_free = ~is_touched(starts, ends, starts[is_linked], ends[is_linked])
    is_named = best_apart(starts, ends, np.where(is_free & is_name, mention_probabilities, 0.0) * lengths)
    return is_linked | is_named


def reaches(probabilities: NDArray[np.float64], threshold: float | NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which probabilities reach the threshold; 0 never does."""
    is_reached: NDArray[np.bool_] = (probabilities >= threshold) & (probabilities > 0)
    return is_reached


def decide(plan: LinkPlan, documents: Sequence[Document], ranked: RankedSpans) -> Iterator[tuple[int, Mention]]:
    """Each span as a mention with its candidates, linked to the best or NIL; with the number of its document."""
    is_linked_name = plan.is_linked_name(ranked.spans, ranked.on_list)
    thresholds = plan.thresholds(plan.deciding, ranked.scored.best_rows(), is_linked_name)
    shown = CandidateLists(plan.model.kb, ranked.scored.head(plan.n_shown))
    best_rows, best_scores = ranked.scored.best_rows(), ranked.scored.best_scores()
    has_best = best_rows >= 0
    is_link = has_best & (best_scores >= thresholds)
    if plan.detects:
        is_link &= best_scores > 0
    ids = iter(plan.model.kb.ids.strings(best_rows[is_link]))
    # Given mentions are mentions; a reader weighs all evidence at once.
    has_odds = plan.detects and plan.reader is None
    mention_scores = expit(ranked.spans.log_odds).tolist() if has_odds else [None] * len(ranked.spans)
    columns = (column.tolist() for column in (has_best, is_link, best_scores, ranked.entity_scores, ranked.on_list))
    rows = zip(ranked.spans.keys(), mention_scores, *columns, strict=True)
    for position, ((number, start, end), of_mention, has_one, linked, score, entity_score, on_list) in enumerate(rows):
        yield number, Mention(
            start, end, documents[number].text[start:end], next(ids) if linked else None, score if has_one else None,
            not linked, partial(shown.__getitem__, position) if has_one else (),  # type: ignore[arg-type]
            of_mention, entity_score if has_one and not math.isnan(entity_score) else None,
            None if linked else nil_reason(of_mention, on_list if has_one else 0.0),
        )  # fmt: skip


def nil_reason(mention_score: float | None, on_list: float) -> NilReason:
    """Why a mention is not linked, by how likely it is a mention, and means anything on the list.

    Examples
    --------
    >>> nil_reason(None, 0.1), nil_reason(0.9, 0.8), nil_reason(0.2, 0.8)
    ('unknown', 'ambiguous', 'not a mention')
    """
    if mention_score is not None and mention_score < NIL_PROBABILITY:
        return "not a mention"
    return "ambiguous" if on_list >= NIL_PROBABILITY else "unknown"


def has_exact_names(plan: LinkPlan, ranked: RankedSpans, is_checked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether one of the best candidates of a span has the span as a name, token by token, as detection compares."""
    scored, has_name = ranked.scored, np.zeros(len(ranked.spans), dtype=bool)
    for number in np.flatnonzero(is_checked).tolist():
        first, last = int(scored.starts[number]), int(scored.starts[number + 1])
        rows = scored.rows[first : min(last, first + min(MAX_NAMED, plan.n_candidates))]
        tokens = _tokens(ranked.mentions[number].text)
        names = (name for row in rows.tolist() for name in plan.model.kb.names_of(row))
        has_name[number] = any(_tokens(name) == tokens for name in names)
    return has_name


def _tokens(name: str) -> list[str]:
    """The folded tokens, without a qualifier in brackets."""
    return [token.text for token in tokenize(name.partition("(")[0] or name)]
