"""Names that mentions stand for and their candidates, searched once for each, and kept for later batches of a process.

What is kept depends on nothing but a name, its language and the model. A changed model is another one, so its
candidates are searched anew, and those of the model before it are the first to go.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.combined import CandidateSources
from deixis.candidates.name_cache import Name, NameCache, NameCandidates, Variant
from deixis.candidates.sources.alias import is_proper
from deixis.ranking.ranker import FeatureRanker
from deixis.tables import CandidateTable, EntityMask
from deixis.types import MentionInContext


class JoinedScores(Mapping[str, NDArray[np.float32]]):
    """The scores of sources for the candidates of several mentions, put together when they are read."""

    def __init__(self, sources: Sequence[str], candidates: Sequence[NameCandidates]) -> None:
        self._numbers = {name: number for number, name in enumerate(sources)}
        self._candidates = candidates

    def __getitem__(self, source: str) -> NDArray[np.float32]:
        number = self._numbers[source]
        return np.concatenate([own.scores[number] for own in self._candidates] or [np.zeros(0, np.float32)])

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


CACHE = NameCache()
"""The candidates that this process keeps."""

_numbers = itertools.count()
_number_of: WeakKeyDictionary[CandidateSources, WeakKeyDictionary[FeatureRanker, int]] = WeakKeyDictionary()


def in_kb_names(
    sources: CandidateSources, ranker: FeatureRanker, mentions: Sequence[MentionInContext]
) -> list[MentionInContext]:
    """The same as `CandidateSources.with_kb_names`, looked up once for each way of writing."""
    model = _model_number(sources, ranker)
    variants: list[Variant] = [(model, each.text, each.lang, is_proper(each)) for each in mentions]
    names = [CACHE.kb_name(variant) for variant in variants]
    new = [number for number, name in enumerate(names) if name is None]
    for number, name in zip(new, sources.kb_names([mentions[number] for number in new]) if new else (), strict=True):
        names[number] = name
        CACHE.put_kb_name(variants[number], name)
    return [
        mention if name is None or name == mention.text else replace(mention, text=name)
        for mention, name in zip(mentions, names, strict=True)
    ]


def candidates_by_name(
    sources: CandidateSources,
    ranker: FeatureRanker,
    mentions: Sequence[MentionInContext],
    mask: EntityMask | None = None,
) -> tuple[CandidateTable, NDArray[np.float64]]:
    """The candidates of mentions, and for each of them the sum of the features that do not read the context.

    Under a filter nothing is kept; where a source reads the context, each mention is searched for itself.
    """
    if sources.read_context:
        table = sources.propose(mentions, mask)
        return table, ranker.name_sums(mentions, table)
    number = _model_number(sources, ranker)
    names: list[Name] = [(number, mention.text, mention.lang) for mention in mentions]
    first: dict[Name, MentionInContext] = {}
    for name, mention in zip(names, mentions, strict=True):
        first.setdefault(name, mention)
    candidates = CACHE.get(first) if mask is None else {}
    new = [name for name in first if name not in candidates]
    if new:
        searched = _searched(sources, ranker, [first[name] for name in new], mask)
        new_candidates = dict(zip(new, searched, strict=True))
        if mask is None:
            CACHE.put(new_candidates)
        candidates |= new_candidates
    return _joined(sources.columns, [candidates[name] for name in names])


def _model_number(sources: CandidateSources, ranker: FeatureRanker) -> int:
    try:
        return _number_of[sources][ranker]
    except KeyError:
        return _number_of.setdefault(sources, WeakKeyDictionary()).setdefault(ranker, next(_numbers))


def _searched(
    sources: CandidateSources, ranker: FeatureRanker, mentions: Sequence[MentionInContext], mask: EntityMask | None
) -> Iterator[NameCandidates]:
    """The candidates of each mention, as they are kept."""
    table = sources.propose(mentions, mask)
    sums, rows = ranker.name_sums(mentions, table), table.rows.astype(np.int32)
    scores = np.array([table.column(source) for source in sources.columns], dtype=np.float32)
    for start, end in pairwise(table.starts.tolist()):
        yield NameCandidates(rows[start:end].copy(), scores[:, start:end].copy(), sums[start:end].copy())


def _joined(sources: Sequence[str], candidates: Sequence[NameCandidates]) -> tuple[CandidateTable, NDArray[np.float64]]:
    starts = np.array([0, *itertools.accumulate(len(own.rows) for own in candidates)], dtype=np.int64)
    rows = np.concatenate([own.rows for own in candidates] or [np.zeros(0, np.int32)], dtype=np.int64)
    sums = np.concatenate([own.sums for own in candidates] or [np.zeros(0)])
    return CandidateTable(starts, rows, JoinedScores(sources, candidates)), sums
