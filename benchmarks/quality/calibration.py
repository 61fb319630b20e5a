"""How far scores can be believed, on dev data, zero-shot: `python -m benchmarks.quality.calibration [KB ...]`.

`raw` scores as the ranker gives them, `rehearsed` ones calibrated on mentions made from the knowledge base, and
`annotated` ones calibrated on the dev documents themselves, each document by curves that have not seen it. A gold
entity that the knowledge base lacks is NIL: a link there is wrong. `links_f1` is that of the threshold which each way
chooses by itself (raw: the default); `precision_asked_90` what came of asking for a precision of 0.9, and
`coverage_asked_90` how many mentions were linked then (for `annotated` both by thresholds chosen on the other half of
the documents; raw scores cannot be asked). Test splits are never read. Rows go to `benchmarks/results/`.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.rows import record
from benchmarks.speed.tasks import data_folder
from deixis.bench.data import half_of
from deixis.bench.wordnet_examples import wordnet_documents, wordnet_records
from deixis.documents.reading import read_documents
from deixis.errors import ConfigError
from deixis.evaluation.linking.risk_coverage import risk_coverage
from deixis.evaluation.pairing import distinct
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.evaluation.statistics.bootstrap import interval_of, quotient, share_interval
from deixis.evaluation.statistics.metric import Metric
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.calibration import Calibration, Judged
from deixis.linking.config import LinkerConfig
from deixis.linking.held_out import HeldOut
from deixis.linking.linker import Linker
from deixis.linking.nil import RAW_THRESHOLD, NilRule
from deixis.linking.rehearsal import Rehearsal, RehearsalConfig
from deixis.types import Document

WORDNET = Path("/usr/share/wordnet")
MAX_DOCUMENTS = {"wordnet": 4000}
PARTS = {  # knowledge base -> suite and file of its dev parts; of files without splits the dev half
    "medic": {"medic/ncbi-dev": "ncbi/dev"},
    "wordnet": {"wordnet/dev": ""},
    "mesh": {"mesh/bc5cdr-dev": "bc5cdr/dev"},
    "wiki468k": {
        "wiki468k/aida-train": "aida/train",
        "wiki468k/wned-wiki-dev": "wned_wiki/test",
        "wiki468k/reddit-posts-dev": "reddit_posts/test",
        "wiki468k/reddit-comments-dev": "reddit_comments/test",
    },
}


def measured(name: str) -> Iterator[ResultRow]:
    """The rows of one knowledge base."""
    is_wordnet = name == "wordnet"
    records = wordnet_records(WORDNET) if is_wordnet else None
    kb = KnowledgeBase.from_records(records) if records else KnowledgeBase.read(data_folder() / name / "kb.jsonl.gz")
    linker = Linker.build(kb, config=LinkerConfig(rehearsal=RehearsalConfig(use="never")))
    rehearsed = Rehearsal.make(kb, linker.config.rehearsal).judged(kb, linker.ranked)
    rehearsal = Calibration.fit(rehearsed, linker.config.calibration, "rehearsed")
    for suite, path in PARTS[name].items():
        judged = linker.judged(dev_documents(path)[: MAX_DOCUMENTS.get(name, 400)])
        yield from rows_of(suite, "raw", judged.held_out, np.full(len(judged.held_out), RAW_THRESHOLD), None)
        yield from rehearsed_rows(suite, judged, rehearsal)
        after = judged.cross_validated(linker.config.calibration)
        asked = by_halves(after, NilRule(target_precision=0.9))
        yield from rows_of(suite, "annotated", after, by_halves(after, NilRule()), asked)


def rehearsed_rows(suite: str, judged: Judged, rehearsal: Calibration) -> list[ResultRow]:
    """The figures of curve and thresholds that come from the knowledge base alone."""
    if rehearsal.calibrator is None:
        return []
    after = judged.held_out.with_scores(judged.rescored(rehearsal.calibrator))
    thresholds = [chosen(rehearsal.held_out, rule) for rule in (NilRule(), NilRule(target_precision=0.9))]
    return rows_of(suite, "rehearsed", after, *(np.full(len(after), threshold) for threshold in thresholds))


def rows_of(
    suite: str, system: str, found: HeldOut, least: NDArray[np.float64], asked: NDArray[np.float64] | None
) -> list[ResultRow]:
    """The figures of scores, of links from the chosen thresholds up, and of those that a precision was asked of."""
    links, everything = found.confidences, np.ones(len(found), bool)
    threshold = risk_coverage(links.scores, links.is_right).best_within(0.05).threshold
    is_linked = (found.scores >= least) & (found.scores > 0)
    metrics = [
        *links.metrics(),
        share_metric("coverage_at_precision_95", found.scores >= threshold, everything, found),
        f1_metric(is_linked, found),
    ]
    is_fine = np.where(is_linked, found.is_right, ~found.is_known)
    metrics.append(share_metric("accuracy_with_nil", is_fine, everything, found))
    if asked is not None:
        is_linked = (found.scores >= asked) & (found.scores > 0)
        metrics.append(share_metric("precision_asked_90", found.is_right, is_linked, found))
        metrics.append(share_metric("coverage_asked_90", is_linked, everything, found))
    return metric_rows(metrics, f"calibration/{suite}", system, {})


def share_metric(name: str, is_hit: NDArray[np.bool_], is_counted: NDArray[np.bool_], found: HeldOut) -> Metric:
    """The share of those counted that are hits, with its interval over documents."""
    _, numbers = np.unique(found.documents, return_inverse=True)
    hits, totals = np.bincount(numbers, is_hit & is_counted), np.bincount(numbers, is_counted)
    return Metric(name, float(hits.sum() / max(1, totals.sum())), share_interval(hits, totals), int(totals.sum()))


def f1_metric(is_linked: NDArray[np.bool_], found: HeldOut) -> Metric:
    """Right links against all links and all that could be right, with its interval over documents."""
    _, numbers = np.unique(found.documents, return_inverse=True)
    counted = (is_linked & found.is_right, is_linked, found.is_known)
    sums = np.column_stack([np.bincount(numbers, each) for each in counted])

    def f1(drawn: NDArray[np.float64]) -> NDArray[np.float64]:
        return quotient(2 * drawn[:, 0], drawn[:, 1] + drawn[:, 2])

    return Metric("links_f1", float(f1(sums.sum(axis=0, keepdims=True))[0]), interval_of(f1, sums), len(found))


def by_halves(found: HeldOut, rule: NilRule) -> NDArray[np.float64]:
    """For each mention the threshold that the other half of the documents chooses."""
    is_second = np.random.default_rng(0).permutation(int(found.documents.max()) + 1)[found.documents] % 2 == 1
    least = np.empty(len(found))
    for half in (is_second, ~is_second):
        parts = (found.documents, found.scores, found.is_right, found.is_known)
        least[half] = chosen(HeldOut(*(part[~half] for part in parts)), rule)
    return least


def chosen(held_out: HeldOut, rule: NilRule) -> float:
    """The threshold a rule comes to; one that links nothing if its wish cannot be fulfilled."""
    try:
        return Calibration(None, held_out).settled(rule).least_score
    except ConfigError:
        return float("inf")


def dev_documents(path: str) -> list[Document]:
    """The annotated documents of a dev part."""
    if not path:
        return [document for document in wordnet_documents(WORDNET) if half_of(document.id) == "dev"]
    file = data_folder() / f"{path}.jsonl.gz"
    documents = list(distinct(read_documents(file), str(file), skipped={}))
    return [each for each in documents if not path.endswith("test") or half_of(each.id) == "dev"]


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kbs", nargs="*", metavar="KB", help=f"some of {', '.join(PARTS)}; all unless given")
    rows = []
    for name in parser.parse_args(arguments).kbs or PARTS:
        for row in measured(name):
            print(f"{row.suite:40} {row.system:10} {row.metric:26} {row.value:.4f}", flush=True)
            rows.append(row)
    print("recorded in", record(rows).name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
