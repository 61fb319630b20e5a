"""The weights that find mentions without annotated documents: `python -m benchmarks.quality.span_weights`.

Learned per kind of knowledge base, described or bare: what features of a span weigh
(`src/deixis/detection/default_weights.json`), then, with the zero-shot ranking of likely spans, what goes into the
chance of a link, and the threshold of the best F1 (`src/deixis/linking/decision_weights.json`). Every suite counts
alike. Learned from are the training documents of AIDA (without those that `end_to_end` asks on dev), BC5CDR and NCBI,
and the dev halves of Reddit, which has no training documents. Test splits are never read.
"""

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality.end_to_end import read_tasks
from benchmarks.quality.fusion import SUITES
from benchmarks.speed.tasks import data_folder
from deixis.bench.data import DataFolder
from deixis.bench.suite import read_suite
from deixis.decision.calibrator import evidence_of
from deixis.detection.span_features import FEATURES, N_OWN, own_features
from deixis.learners.logistic import fit_logistic, weighed
from deixis.linking.config import LinkerConfig
from deixis.linking.deciding import EVIDENCE, Decider, decision_evidence
from deixis.linking.finding import Spans, all_spans, in_context, is_nameless
from deixis.linking.finding_learning import Answers, answers_in, held_out_links
from deixis.linking.linker import Linker
from deixis.linking.rehearsal import RehearsalConfig
from deixis.ranking.ranker import kind_of
from deixis.types import Document

SOURCE = Path(__file__).resolve().parents[2] / "src" / "deixis"
N_DOCUMENTS = 150  # of each set, drawn at random
MAX_RANKED = 4000  # spans of a set that are ranked, those of its first documents
CONFIG = LinkerConfig(held_out_share=0.0, rehearsal=RehearsalConfig(use="never"))
# The suite that brings the KB and training documents, and others about the same KB.
SETS = {
    "wiki468k-aida": ["wiki468k-aida", "reddit-posts", "reddit-comments"],
    "mesh-bc5cdr": ["mesh-bc5cdr"],
    "medic-ncbi": ["medic-ncbi"],
}


@dataclass
class Part:
    """The spans of a set's documents, their features, and what is right."""

    documents: list[Document]
    linker: Linker
    spans: Spans
    features: NDArray[np.float32]
    answers: Answers

    @property
    def is_mention(self) -> NDArray[np.bool_]:
        """Which spans are mentions of entities in the knowledge base."""
        return np.array([place in self.answers for place in places(self.spans)], dtype=bool)


def main() -> int:
    """Learns both files anew."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    kinds: dict[str, list[Part]] = {}
    for name, suites in SETS.items():
        for part in read_parts(name, suites):
            kinds.setdefault(kind_of(part.linker.kb), []).append(part)
    weights, decisions = {}, {}
    for kind, parts in kinds.items():
        found = learned_span_weights(parts)
        weights[kind] = dict(zip(FEATURES[:N_OWN], np.round(found, 4).tolist(), strict=True))
        decisions[kind] = learned_decision(parts, found)
    write(SOURCE / "detection" / "default_weights.json", weights)
    write(SOURCE / "linking" / "decision_weights.json", decisions)
    return 0


def read_parts(name: str, suites: list[str]) -> list[Part]:
    """A zero-shot linker, and the spans of documents of every suite that is about its knowledge base."""
    data = DataFolder(data_folder())
    kb = data.read_kb(read_suite(SUITES / f"{name}.yaml").kb)
    linker = Linker.build(kb, None, CONFIG)
    parts = []
    for suite in (read_suite(SUITES / f"{each}.yaml") for each in suites):
        taught, tasks = read_tasks(data, [suite], "dev", None)
        documents = taught if suite.name == name else [document for task in tasks for document in task.documents]
        drawn = np.random.default_rng(0).permutation(len(documents))[:N_DOCUMENTS]
        documents = [documents[number] for number in drawn]
        texts = [document.text for document in documents]
        table = all_spans(linker.detector, (), texts, CONFIG.finding)
        features = own_features(table, linker.finding.scorer.facts)
        parts.append(
            Part(documents, linker, Spans(table, np.zeros(len(table))), features, answers_in(documents, kb.own_id))
        )
        print(f"{suite.name}: {len(table)} spans, {parts[-1].is_mention.sum()} mentions", file=sys.stderr, flush=True)
    return parts


def places(spans: Spans) -> list[tuple[int, int, int]]:
    """Where the spans stand: document, start, end."""
    table = spans.table
    return list(zip(table.texts.tolist(), table.starts.tolist(), table.ends.tolist(), strict=True))


def learned_span_weights(parts: list[Part]) -> NDArray[np.float64]:
    """What features weigh; every set counts alike."""
    features, is_mention = alike([(part.features, part.is_mention) for part in parts])
    return fit_logistic(features, is_mention, penalty=5.0)


def alike(
    sets: list[tuple[NDArray[np.float32], NDArray[np.bool_]]],
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Rows and verdicts of all sets, each repeated until it has about as many as the largest."""
    most = max(len(rows) for rows, _ in sets)
    times = [max(1, round(most / len(rows))) for rows, _ in sets]
    return (
        np.concatenate([np.tile(rows, (n, 1)) for (rows, _), n in zip(sets, times, strict=True)]),
        np.concatenate([np.tile(verdicts, n) for (_, verdicts), n in zip(sets, times, strict=True)]),
    )


def learned_decision(parts: list[Part], weights: NDArray[np.float64]) -> dict[str, float]:
    """What evidence weighs, and the mean of the sets' best thresholds."""
    told = []
    for part in parts:
        log_odds = weighed(part.features, weights)
        least = np.log(CONFIG.finding.min_chance / (1 - CONFIG.finding.min_chance))
        spans = Spans(part.spans.table, log_odds).take(log_odds >= least)
        n_documents = int(spans.table.texts[MAX_RANKED]) if len(spans.table) > MAX_RANKED else len(part.documents)
        spans = spans.take(spans.table.texts < n_documents)
        ranked = part.linker.ranked(in_context(part.documents, spans.table))
        evidence = decision_evidence(spans.log_odds, evidence_of(ranked), is_nameless(spans.table))
        is_right = [
            bool(listed) and listed[0].id in part.answers.get(place, ())
            for place, listed in zip(places(spans), ranked, strict=True)
        ]
        answers = {place: ids for place, ids in part.answers.items() if place[0] < n_documents}
        told.append((spans, evidence, np.array(is_right, dtype=bool), answers))
    seen, verdicts = alike([(evidence, is_right) for _, evidence, is_right, _ in told])
    decider = Decider.fit(seen, verdicts, Decider(np.zeros(len(EVIDENCE))))
    thresholds = []
    for spans, own, verdicts, answers in told:
        held_out = held_out_links(
            (spans.table.texts, spans.table.starts, spans.table.ends), decider.chances(own), verdicts, answers
        )
        best = held_out.best_f1()
        thresholds.append(best.threshold)
        print(f"{len(spans.table)} spans ranked, best F1 at {best.threshold:.2f}: {best}", file=sys.stderr, flush=True)
    values = dict(zip(EVIDENCE, np.round(decider.weights, 4).tolist(), strict=True))
    return values | {"threshold": round(float(np.mean(thresholds)), 2)}


def write(path: Path, kinds: dict[str, dict[str, float]]) -> None:
    """The numbers of each kind, by name."""
    path.write_text(json.dumps(kinds, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
