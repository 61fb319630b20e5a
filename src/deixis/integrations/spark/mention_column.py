"""Linked documents as a column: an array of mentions each, in Arrow and as Spark names the types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow
from numpy.typing import NDArray

from deixis.documents.json_lines import short_score
from deixis.types import Document

DIGITS = 6
POWERS = np.array([10**n for n in range(20)], dtype=np.float64)  # all of them exact
SMALLEST, NEAR_HALF = 1e-13, 1e-6
CANDIDATE = pyarrow.struct({"id": pyarrow.string(), "title": pyarrow.string(), "score": pyarrow.float64()})
MENTION = pyarrow.struct(
    {
        "start": pyarrow.int64(),
        "end": pyarrow.int64(),
        "text": pyarrow.string(),
        "entity": pyarrow.string(),
        "score": pyarrow.float64(),
        "nil": pyarrow.bool_(),
        "mention_score": pyarrow.float64(),
        "entity_score": pyarrow.float64(),
        "nil_reason": pyarrow.string(),
        "candidates": pyarrow.list_(CANDIDATE),
    }
)
MENTIONS = pyarrow.list_(MENTION)
SPARK_TYPE = (
    "array<struct<start:bigint,end:bigint,text:string,entity:string,score:double,nil:boolean,mention_score:double,"
    "entity_score:double,nil_reason:string,candidates:array<struct<id:string,title:string,score:double>>>>"
)


def mention_column(documents: Sequence[Document], is_missing: Sequence[bool]) -> Any:  # noqa: ANN401 - an array of Arrow
    """The mentions of each document, with the keys and digits of a native one; null where the text is missing."""
    mentions = [mention for document in documents for mention in document.mentions]
    candidates = [candidate for mention in mentions for candidate in mention.candidates]
    columns = {
        "start": [each.start for each in mentions],
        "end": [each.end for each in mentions],
        "text": [each.text for each in mentions],
        "entity": [each.entity for each in mentions],
        "score": [_short(each.score) for each in mentions],
        "nil": [each.is_nil for each in mentions],
        "mention_score": [_short(each.mention_score) for each in mentions],
        "entity_score": [_short(each.entity_score) for each in mentions],
        "nil_reason": [each.nil_reason for each in mentions],
    }
    flat_candidates = pyarrow.StructArray.from_arrays(
        [
            pyarrow.array([each.id for each in candidates], pyarrow.string()),
            pyarrow.array([each.title or None for each in candidates], pyarrow.string()),
            pyarrow.array(short_scores(np.array([each.score for each in candidates], dtype=np.float64))),
        ],
        fields=list(CANDIDATE),
    )
    arrays = [pyarrow.array(values, MENTION.field(name).type) for name, values in columns.items()]
    arrays.append(_lists([len(each.candidates) for each in mentions], flat_candidates, CANDIDATE))
    flat = pyarrow.StructArray.from_arrays(arrays, fields=list(MENTION))
    return _lists([len(each.mentions) for each in documents], flat, MENTION, is_missing)


def _lists(lengths: Sequence[int], values: Any, kind: Any, is_missing: Sequence[bool] = ()) -> Any:  # noqa: ANN401
    """Lists of these lengths, one after the other; those that are missing are null."""
    offsets = [0]
    for length in lengths:
        offsets.append(offsets[-1] + length)
    mask = pyarrow.array(list(is_missing), pyarrow.bool_()) if any(is_missing) else None
    return pyarrow.ListArray.from_arrays(
        pyarrow.array(offsets, pyarrow.int32()), values, type=pyarrow.list_(kind), mask=mask
    )


def _short(score: float | None) -> float | None:
    return None if score is None else short_score(score)


def short_scores(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """`short_score` of each: of most by arithmetic, of those near a half of the last digit, or out of 0..1, by itself.

    Examples
    --------
    >>> short_scores(np.array([0.12345678, 1.0, 0.0])).tolist()
    [0.123457, 1.0, 0.0]
    """
    is_plain = (scores >= SMALLEST) & (scores <= 1)
    known = np.where(is_plain, scores, 1.0)
    scales = POWERS[DIGITS - 1 - np.floor(np.log10(known)).astype(np.int64)]
    scaled = known * scales
    whole = np.rint(scaled)
    is_sure = is_plain & (np.abs(np.abs(scaled - whole) - 0.5) > NEAR_HALF) & (whole >= POWERS[DIGITS - 1])
    short: NDArray[np.float64] = whole / scales  # of two numbers that are exact: rounded as the decimal number is
    for number in np.flatnonzero(~is_sure).tolist():
        short[number] = short_score(float(scores[number]))
    return short
