"""Laws of detection: all names hold the longest ones, batches are singles, and a decision loses nothing."""

import functools
import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.decision.overlaps import best_apart
from deixis.detection.config import FindingConfig
from deixis.detection.dictionary import DictionaryDetector
from deixis.detection.spans import SpanTable
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig

WORDS = st.sampled_from(
    ["New", "new", "York", "City", "cities", "of", "the", "東", "京", "Troy", "TROY", "U.S.", "é", "-"]
)
PHRASES = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
TEXTS = st.lists(st.lists(WORDS, max_size=12).map(" ".join), max_size=20)
SPANS = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 6), st.integers(-2, 9)), max_size=9)


def rows(spans: SpanTable) -> list[tuple[int, ...]]:
    columns = (spans.texts, spans.starts, spans.ends, spans.names, spans.keys, spans.signs, spans.before, spans.after)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@given(st.lists(PHRASES, min_size=1, max_size=8), TEXTS)
@settings(max_examples=60, deadline=None)
def test_all_names_hold_the_longest_ones(names: list[str], texts: list[str]) -> None:
    detector = DictionaryDetector.build(names)
    spans = detector.spans(texts, 1, plurals=False)
    found = set(zip(spans.texts.tolist(), spans.starts.tolist(), spans.ends.tolist(), strict=True))
    longest = {(number, *span) for number, listed in enumerate(detector.detect(texts, 1)) for span in listed}
    assert longest <= found
    more = rows(detector.spans(texts, 1, any_case=True, max_run=3))
    assert found <= {row[:3] for row in more}
    assert more == sorted(more, key=lambda row: row[:3]) and len({row[:3] for row in more}) == len(more)


@given(st.lists(PHRASES, min_size=1, max_size=8), TEXTS)
@settings(max_examples=40, deadline=None)
def test_a_batch_finds_what_single_texts_do_on_one_thread_or_two(names: list[str], texts: list[str]) -> None:
    detector = DictionaryDetector.build(names)
    together = rows(detector.spans(texts, 1, any_case=True, max_run=4))
    singles = [
        (number, *row[1:])
        for number, text in enumerate(texts)
        for row in rows(detector.spans([text], 1, any_case=True, max_run=4))
    ]
    assert together == singles == rows(detector.spans(texts, 2, any_case=True, max_run=4))


@given(SPANS)
@settings(max_examples=60, deadline=None)
def test_spans_taken_never_overlap_and_none_would_be_worth_more(spans: list[tuple[int, int, int]]) -> None:
    starts = np.array([start for start, _, _ in spans], dtype=np.int64)
    ends = starts + np.array([length for _, length, _ in spans], dtype=np.int64)
    gains = np.array([gain for _, _, gain in spans], dtype=np.float64)
    taken = np.flatnonzero(best_apart(starts, ends, gains)).tolist()

    def is_apart(chosen: tuple[int, ...]) -> bool:
        return all(ends[a] <= starts[b] or ends[b] <= starts[a] for a, b in itertools.combinations(chosen, 2))

    subsets = itertools.chain.from_iterable(itertools.combinations(range(len(spans)), n) for n in range(len(spans) + 1))
    best = max(sum(gains[list(chosen)]) for chosen in subsets if is_apart(chosen))
    assert is_apart(tuple(taken))
    assert sum(gains[taken]) == best


@functools.cache
def linker(min_names: int) -> Linker:
    names = ["New York", "New York City", "York", "Troy", "City", "cities of the new", "東京", "京", "U.S."]
    records = [{"id": str(n), "title": name, "description": f"place {n} of Troy"} for n, name in enumerate(names)]
    config = LinkerConfig(finding=FindingConfig(min_names=min_names))
    return Linker.build(KnowledgeBase.from_records(records), config=config, n_threads=1)


@given(
    st.lists(WORDS, max_size=12).map(" ".join),
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 30)), max_size=4),
    st.sampled_from([0, 10_000]),
    st.sampled_from([None, 0.0, 0.05, 0.6]),
)
@settings(max_examples=60, deadline=None)
def test_mentions_never_overlap_unless_asked_and_then_none_is_lost(
    text: str, told: list[tuple[int, int]], min_names: int, threshold: float | None
) -> None:
    spans = [(start, start + length) for start, length in told if start + length <= len(text)]
    asked, recognizer = linker(min_names), lambda texts: [spans] * len(texts)
    apart, kept = (
        asked.link(text, threshold=threshold, recognizer=recognizer, overlaps=overlaps).mentions
        for overlaps in ("drop", "keep")
    )
    assert all(text[mention.start : mention.end] == mention.text for mention in kept)
    assert all(before.end <= after.start for before, after in itertools.pairwise(apart))
    assert {(m.start, m.end, m.entity) for m in apart} <= {(m.start, m.end, m.entity) for m in kept}
