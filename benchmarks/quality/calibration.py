"""How far scores can be believed, on dev data, zero-shot: `python -m benchmarks.quality.calibration [KB ...]`.

`share` is the ranker's softmax alone, `score` the probability that is the default (P(on the list) times the share), and
`annotated` scores are calibrated on the dev documents themselves, each document by curves that have not seen it. A gold
entity that the knowledge base lacks is NIL: a link there is wrong. `links_f1` is that of the threshold which each way
chooses by itself (share: 0.1; score: the default); `precision_asked_90` what came of asking for a precision of 0.9, and
`coverage_asked_90` how many mentions were linked then (for `annotated` both by thresholds chosen on the other half of
the documents; the others cannot be asked). Test splits are never read. Rows go to `benchmarks/results/`.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.rows import record, start_run
from benchmarks.speed.tasks import data_folder
from benchmarks.suites.data import half_of
from benchmarks.suites.wordnet_examples import wordnet_documents, wordnet_records
from deixis.decision.decision import DEFAULT_THRESHOLD, Decision
from deixis.decision.threshold_curve import ThresholdCurve
from deixis.documents.reading import read_documents
from deixis.errors import ConfigError
from deixis.evaluation.linking.risk_coverage import risk_coverage
from deixis.evaluation.pairing import distinct
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.evaluation.statistics.bootstrap import interval_of, quotient, share_interval
from deixis.evaluation.statistics.metric import Metric
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.reports.reliability import held_out_links
from deixis.training.calibrate import JudgedMentions, judge
from deixis.types import Document

WORDNET = Path("/usr/share/wordnet")
MAX_DOCUMENTS = {"wordnet": 4000}
SHARE_THRESHOLD = 0.1  # before there was a probability of being on the list
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
    linker = Linker.build(kb)
    for suite, path in PARTS[name].items():
        documents = dev_documents(path)[: MAX_DOCUMENTS.get(name, 400)]
        judged = judge(linker.model, documents)
        share = share_alone(linker, documents, judged)
        yield from rows_of(suite, "share", share, np.full(len(share), SHARE_THRESHOLD), None)
        yield from rows_of(suite, "score", judged.curve, np.full(len(judged.curve), DEFAULT_THRESHOLD), None)
        after = judged.cross_validated(linker.config.calibration)
        asked = by_halves(after, 0.9)
        yield from rows_of(suite, "annotated", after, by_halves(after), asked)


def share_alone(linker: Linker, documents: list[Document], judged: JudgedMentions) -> ThresholdCurve:
    """The same mentions with the ranker's share as their score."""
    annotated = [each.with_mentions([m for m in each.mentions if m.is_decided]) for each in documents]
    lists = linker.candidates(annotated, 1)
    return judged.curve.with_scores(np.array([each[0].score if each else 0.0 for each in lists]))


def rows_of(
    suite: str, system: str, found: ThresholdCurve, least: NDArray[np.float64], asked: NDArray[np.float64] | None
) -> list[ResultRow]:
    """The figures of scores, of links from the chosen thresholds up, and of those that a precision was asked of."""
    links, everything = held_out_links(found), np.ones(len(found), bool)
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


def share_metric(name: str, is_hit: NDArray[np.bool_], is_counted: NDArray[np.bool_], found: ThresholdCurve) -> Metric:
    """The share of those counted that are hits, with its interval over documents."""
    _, numbers = np.unique(found.documents, return_inverse=True)
    hits, totals = np.bincount(numbers, is_hit & is_counted), np.bincount(numbers, is_counted)
    return Metric(name, float(hits.sum() / max(1, totals.sum())), share_interval(hits, totals), int(totals.sum()))


def f1_metric(is_linked: NDArray[np.bool_], found: ThresholdCurve) -> Metric:
    """Right links against all links and all that could be right, with its interval over documents."""
    _, numbers = np.unique(found.documents, return_inverse=True)
    counted = (is_linked & found.is_right, is_linked, found.is_known)
    sums = np.column_stack([np.bincount(numbers, each) for each in counted])

    def f1(drawn: NDArray[np.float64]) -> NDArray[np.float64]:
        return quotient(2 * drawn[:, 0], drawn[:, 1] + drawn[:, 2])

    return Metric("links_f1", float(f1(sums.sum(axis=0, keepdims=True))[0]), interval_of(f1, sums), len(found))


def by_halves(found: ThresholdCurve, target_precision: float | None = None) -> NDArray[np.float64]:
    """For each mention the threshold that the other half of the documents chooses."""
    is_second = np.random.default_rng(0).permutation(int(found.documents.max()) + 1)[found.documents] % 2 == 1
    least = np.empty(len(found))
    for half in (is_second, ~is_second):
        parts = (found.documents, found.scores, found.is_right, found.is_known)
        least[half] = chosen(ThresholdCurve(*(part[~half] for part in parts)), target_precision)
    return least


def chosen(curve: ThresholdCurve, target_precision: float | None) -> float:
    """The threshold of a precision, or of the best F1; one that links nothing if the precision cannot be reached."""
    try:
        return Decision(curve=curve).with_best_threshold(target_precision=target_precision).min_probability
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
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    start_run(is_recorded=not options.dry_run)
    rows = []
    for name in options.kbs or PARTS:
        for row in measured(name):
            print(f"{row.suite:40} {row.system:10} {row.metric:26} {row.value:.4f}", flush=True)
            rows.append(row)
    if not options.dry_run:
        record(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
