"""From raw text to links with and without a re-ranker, on the same documents."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality.end_to_end import in_kb
from deixis.evaluation.linking.tally import Tally
from deixis.evaluation.rows import ResultRow
from deixis.evaluation.statistics.bootstrap import Statistic, interval_of, quotient
from deixis.linker import Linker
from deixis.linking.model import TrainedReranker
from deixis.ranking.rerankers.cross_encoder import CrossEncoderRanker
from deixis.types import Document

SUMS = ("n_right", "n_links", "n_in_kb")


def text_rows(
    place: str,
    linker: Linker,
    ranker: CrossEncoderRanker,
    documents: Sequence[Document],
    names: tuple[str, str],
    told: dict[str, Any],
) -> Iterator[ResultRow]:
    """InKB micro F1 without and with the re-ranker, its gain with an interval over documents, and speeds.

    `names` are those of the systems without and with it.
    """
    both = Linker(replace(linker.model, reranker=TrainedReranker(ranker)))
    told, counts = told | {"n_documents": len(documents)}, []
    for name, rerank in zip(names, (False, True), strict=True):
        begin = time.process_time()
        counts.append(counted(both, documents, rerank))
        speed = sum(len(document.text) for document in documents) / (time.process_time() - begin)
        yield row(place, "inkb_micro_f1", name, counts[-1], f1, told)
        yield ResultRow(place, "characters_per_second", name, float(f"{speed:.4g}"), "1/s", settings=told)
    yield row(place, "inkb_micro_f1_gain", names[1], np.column_stack(counts), f1_gain, told)


def counted(linker: Linker, documents: Sequence[Document], rerank: bool) -> NDArray[np.float64]:
    """Right links, links and gold mentions of each document."""
    tally = Tally(linker.kb.own_id)
    bare = [document.with_mentions(()) for document in documents]
    for gold, linked in zip(documents, linker.link_many(bare, rerank=rerank), strict=True):
        tally.add(in_kb(linker.kb, gold), linked.with_mentions([m for m in linked.mentions if m.entity is not None]))
    columns = tally.columns()
    return np.column_stack([columns[name] for name in SUMS])


def row(
    place: str, metric: str, name: str, sums: NDArray[np.float64], value: Statistic, told: dict[str, Any]
) -> ResultRow:
    """A statistic of sums over documents, with its interval."""
    span = interval_of(value, sums, 0)
    figures = [round(float(each), 4) for each in (value(sums.sum(axis=0, keepdims=True))[0], span.low, span.high)]
    return ResultRow(place, metric, name, figures[0], "share", figures[1], figures[2], int(sums[:, 2].sum()), told)


def f1(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Micro F1 of the sums of right links, links and gold mentions."""
    return quotient(2 * sums[:, 0], sums[:, 1] + sums[:, 2])


def f1_gain(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """What the F1 of the last three columns has more than that of the first three."""
    return f1(sums[:, 3:]) - f1(sums[:, :3])
