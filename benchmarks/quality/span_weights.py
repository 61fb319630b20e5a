"""The weights that find mentions without annotated documents: `python -m benchmarks.quality.span_weights`.

Learned per kind of knowledge base, described or bare: what features of a span weigh
(`src/deixis/detection/default_weights.json`), then, with the zero-shot ranking of likely spans, what goes into the
probability of a link, and the threshold of the best F1 (`src/deixis/decision/default_weights.json`). Every suite counts
alike. Learned from are the training documents of AIDA (without those that `end_to_end` asks on dev), BC5CDR and NCBI,
and the dev halves of Reddit, which has no training documents. Test splits are never read.
"""

import argparse
import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality.end_to_end import read_tasks
from benchmarks.quality.ranker import SUITES
from benchmarks.speed.tasks import data_folder
from benchmarks.suites.data import DataFolder
from benchmarks.suites.suite import read_suite
from deixis.decision.link_model import EVIDENCE, LinkModel, link_evidence
from deixis.detection.detector import all_spans, as_spans
from deixis.detection.span_features import FEATURES, N_OWN, own_features
from deixis.learners.logistic import fit_logistic, weighed
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.linking.streams import score_mentions
from deixis.ranking.default_weights import kind_of
from deixis.tables import Spans
from deixis.training.detector import GoldSpans, curve_of_links, gold_spans
from deixis.types import Document

SOURCE = Path(__file__).resolve().parents[2] / "src" / "deixis"
N_DOCUMENTS = 150  # of each set, drawn at random
MAX_RANKED = 4000  # spans of a set that are ranked, those of its first documents
CONFIG = LinkerConfig(held_out_share=0.0)
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
    gold: GoldSpans

    @property
    def is_mention(self) -> NDArray[np.bool_]:
        """Which spans are mentions of entities in the knowledge base."""
        return np.array([key in self.gold for key in self.spans.keys()], dtype=bool)


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
    write(SOURCE / "decision" / "default_weights.json", decisions)
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
        detector = linker.model.detector
        table = all_spans(detector.names, (), texts, CONFIG.finding)
        features, spans = own_features(table, detector.scorer.facts), as_spans(table, np.zeros(len(table)))
        parts.append(Part(documents, linker, spans, features, gold_spans(documents, kb.own_id)))
        print(f"{suite.name}: {len(table)} spans, {parts[-1].is_mention.sum()} mentions", file=sys.stderr, flush=True)
    return parts


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
    sets = []
    for part in parts:
        log_odds = weighed(part.features, weights)
        least = np.log(CONFIG.finding.min_chance / (1 - CONFIG.finding.min_chance))
        spans = replace(part.spans, log_odds=log_odds).take(log_odds >= least)
        n_documents = int(spans.documents[MAX_RANKED]) if len(spans) > MAX_RANKED else len(part.documents)
        spans = spans.take(spans.documents < n_documents)
        ranking = score_mentions(part.linker.model, spans.in_context(part.documents))
        ids, best_rows = part.linker.kb.ids, ranking.best_rows().tolist()
        is_right = [
            row >= 0 and ids[row] in part.gold.get(key, ()) for key, row in zip(spans.keys(), best_rows, strict=True)
        ]
        gold = {key: accepted for key, accepted in part.gold.items() if key[0] < n_documents}
        sets.append((spans, link_evidence(spans, ranking), np.array(is_right, dtype=bool), gold))
    seen, verdicts = alike([(evidence, is_right) for _, evidence, is_right, _ in sets])
    model = LinkModel.fit(seen, verdicts, LinkModel(np.zeros(len(EVIDENCE))))
    thresholds = []
    for spans, evidence, verdicts, gold in sets:
        best = curve_of_links(spans, model.of_evidence(evidence), verdicts, gold).best_f1()
        thresholds.append(best.threshold)
        print(f"{len(spans)} spans ranked, best F1 at {best.threshold:.2f}: {best}", file=sys.stderr, flush=True)
    values = dict(zip(EVIDENCE, np.round(model.weights, 4).tolist(), strict=True))
    return values | {"threshold": round(float(np.mean(thresholds)), 2)}


def write(path: Path, kinds: dict[str, dict[str, float]]) -> None:
    """The numbers of each kind, by name."""
    path.write_text(json.dumps(kinds, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
