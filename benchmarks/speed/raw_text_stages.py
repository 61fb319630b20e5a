"""Where the time of raw text goes: processor time of each stage in microseconds a ranked span.

A first and a second pass over the same texts; `bench_raw_text` runs it and records its rows.
Functions are wrapped from outside, each with what it spends itself, without those that it calls and that are wrapped.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

from deixis import Document, Linker
from deixis.candidates.combined import CandidateSources
from deixis.evaluation.rows import ResultRow
from deixis.linking import name_candidates, pipeline
from deixis.linking.stages import rank as ranking_stage
from deixis.ranking import ranker

SOURCE = "candidates/"
STAGES: tuple[tuple[Any, str, str], ...] = (
    (pipeline, "detect", "detection"),
    (pipeline, "rank", "rest"),
    (pipeline, "select", "selection"),
    (ranking_stage, "candidates_by_name", "candidates/kept"),
    (CandidateSources, "propose", "candidates/merging"),
    (ranking_stage, "in_kb_names", "names"),
    (ranker.FeatureRanker, "name_sums", "features/name"),
    (ranker.FeatureRanker, "rank_with_best", "features/context"),
    (ranker, "best_candidates", "best"),
    (ranking_stage, "evidence_of_list", "on-list"),
)


def stage_rows(place: str, model: Path, documents: Sequence[Document]) -> Iterator[ResultRow]:
    """A row for each stage and pass."""
    linker = Linker.load(model, n_threads=1)
    own, open_calls, n_spans = Counter[str](), list[float](), Counter[str]()
    for owner, name, label in stages_of(linker):
        setattr(owner, name, timed(getattr(owner, name), label, own, open_calls))
    rank = pipeline.rank

    def counted(plan: Any, documents: Any, spans: Any) -> Any:  # noqa: ANN401 - as the stage has them
        n_spans["all"] += len(spans)
        return rank(plan, documents, spans)

    pipeline.rank = counted  # type: ignore[assignment]
    list(linker.link_many(documents[:2]))
    name_candidates.CACHE.clear()
    for system in ("first-pass", "second-pass"):
        own.clear()
        n_spans.clear()
        started = time.process_time()
        list(linker.link_many(documents))
        own["mentions"] = time.process_time() - started - sum(own.values())
        for label in sorted(own):
            value = float(f"{1e6 * own[label] / n_spans['all']:.3g}")
            yield ResultRow(place, label, system, value, "us", n=n_spans["all"], settings={"threads": 1})


def stages_of(linker: Linker) -> Iterator[tuple[Any, str, str]]:
    """What is wrapped: the stages, and the search of every source."""
    yield from STAGES
    for name, source in linker.model.sources.by_name.items():
        yield type(source), "scored", SOURCE + name


def timed(function: Callable[..., Any], label: str, own: Counter[str], open_calls: list[float]) -> Callable[..., Any]:
    """The function, whose own time is added to its label; `open_calls` has what the calls within each have taken."""

    @wraps(function)
    def wrapped(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - as the function has them
        open_calls.append(0.0)
        started = time.process_time()
        try:
            return function(*arguments, **options)
        finally:
            taken = time.process_time() - started
            own[label] += taken - open_calls.pop()  # type: ignore[assignment]
            if open_calls:
                open_calls[-1] += taken

    return wrapped
