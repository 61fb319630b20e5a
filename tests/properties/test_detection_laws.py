"""Laws of detection: every name is found, batches are singles, a decision loses nothing, and the switch is ordered."""

import functools
import itertools
from collections.abc import Callable

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.decision.overlaps import best_apart
from deixis.detection.names import NameMatcher, is_findable
from deixis.detection.spans import SpanTable
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.store.strings import StringTable

WORDS = st.sampled_from(
    ["New", "new", "York", "City", "cities", "of", "the", "東", "京", "Troy", "TROY", "U.S.", "é", "-"]
)
PHRASES = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
TEXTS = st.lists(st.lists(WORDS, max_size=12).map(" ".join), max_size=20)
SPANS = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 6), st.integers(-2, 9)), max_size=9)


def rows(spans: SpanTable) -> list[tuple[int, ...]]:
    columns = (spans.texts, spans.starts, spans.ends, spans.names, spans.keys, spans.signs, spans.before, spans.after)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@given(st.lists(PHRASES, min_size=1, max_size=8), st.sampled_from([str, str.upper, str.lower]))
@settings(max_examples=60, deadline=None)
def test_every_findable_name_is_found_in_any_case_with_its_number(names: list[str], written: Callable) -> None:
    matcher = NameMatcher.build(names)
    numbers = matcher.numbers(StringTable.from_strings(names)).tolist()
    for name, number in zip(names, numbers, strict=True):
        spans = matcher.spans([f"see {written(name)} here"], 1)
        assert number in spans.names.tolist() or not is_findable(name)


@given(st.lists(PHRASES, min_size=1, max_size=8), TEXTS)
@settings(max_examples=60, deadline=None)
def test_spans_stand_in_order_each_once_and_runs_add_to_names(names: list[str], texts: list[str]) -> None:
    matcher = NameMatcher.build(names)
    found, more = rows(matcher.spans(texts, 1)), rows(matcher.spans(texts, 1, max_run=3))
    assert {row[:4] for row in found} == {row[:4] for row in more if row[3] >= 0}
    assert more == sorted(more, key=lambda row: row[:3]) and len({row[:3] for row in more}) == len(more)


@given(st.lists(PHRASES, min_size=1, max_size=8), TEXTS)
@settings(max_examples=40, deadline=None)
def test_a_batch_finds_what_single_texts_do_on_one_thread_or_two(names: list[str], texts: list[str]) -> None:
    matcher = NameMatcher.build(names)
    together = rows(matcher.spans(texts, 1, max_run=4))
    singles = [
        (number, *row[1:]) for number, text in enumerate(texts) for row in rows(matcher.spans([text], 1, max_run=4))
    ]
    assert together == singles == rows(matcher.spans(texts, 2, max_run=4))


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
def linker() -> Linker:
    names = ["New York", "New York City", "York", "Troy", "City", "cities of the new", "東京", "京", "U.S."]
    records = [{"id": str(n), "title": name, "description": f"place {n} of Troy"} for n, name in enumerate(names)]
    return Linker.build(KnowledgeBase.from_records(records), n_threads=1)


@given(
    st.lists(WORDS, max_size=12).map(" ".join),
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 30)), max_size=4),
    st.sampled_from(["every", "likely", "sure"]),
    st.sampled_from([None, 0.0, 0.05, 0.6]),
)
@settings(max_examples=60, deadline=None)
def test_mentions_never_overlap_unless_asked_and_then_none_is_lost(
    text: str, told: list[tuple[int, int]], names: str, threshold: float | None
) -> None:
    spans = [(start, start + length) for start, length in told if start + length <= len(text)]
    recognizer = lambda texts: [spans] * len(texts)  # noqa: E731
    apart, kept = (
        linker().link(text, names=names, threshold=threshold, recognizer=recognizer, overlaps=overlaps).mentions
        for overlaps in ("drop", "keep")
    )
    assert all(text[mention.start : mention.end] == mention.text for mention in kept)
    assert all(before.end <= after.start for before, after in itertools.pairwise(apart))
    assert {(m.start, m.end, m.entity) for m in apart} <= {(m.start, m.end, m.entity) for m in kept}
