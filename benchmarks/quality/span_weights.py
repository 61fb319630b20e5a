"""The weights that find mentions on any list: `python -m benchmarks.quality.span_weights [--write]`.

Learned over many lists (`span_sets`), each of which counts alike: what features of a span weigh
(`src/deixis/detection/default_weights.json`); then, with the ranking of likely spans of annotated documents, what goes
into the probability of a link (`src/deixis/decision/default_weights.json`). Printed for each list: how well spans are
told by weights that all lists gave, and by weights that no list of the same family gave. Without `--write` nothing
changes. Test splits are never read.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality.span_sets import AnnotatedSet, SpanSet, annotated_sets, span_sets
from benchmarks.speed.tasks import data_folder
from benchmarks.suites.data import DataFolder
from deixis.decision import link_model
from deixis.decision.link_model import COUNTS_FOR, EVIDENCE, LinkModel, link_evidence
from deixis.detection import span_scorer
from deixis.detection.span_features import FEATURES, N_OWN
from deixis.learners.logistic import fit_logistic, weighed
from deixis.linker import Linker
from deixis.linking.streams import score_mentions
from deixis.training.detector import curve_of_links

SOURCE = Path(__file__).resolve().parents[2] / "src" / "deixis"
PENALTY = 3.0
N_EXAMPLES = 5_000.0  # that each set counts for
MAX_RANKED = 3_000  # spans of a set that are ranked, those of its first documents


def main() -> int:
    """Learns both files anew."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="make the weights the library's")
    parser.add_argument("--leave-out", action="store_true", help="also learn without each family of lists")
    parser.add_argument("--decision-only", action="store_true", help="learn what goes into a link's probability only")
    options = parser.parse_args()
    data = DataFolder(data_folder())
    annotated = annotated_sets(data)
    if not options.decision_only:
        sets = list(span_sets(data, annotated))
        weights = learned_span_weights(sets)
        report(sets, weights, options.leave_out)
        if options.write:
            write(SOURCE / "detection" / "default_weights.json", dict(zip(FEATURES[:N_OWN], weights, strict=True)))
            span_scorer.default_weights.cache_clear()
    decision = learned_decision(annotated)
    if options.write:
        write(SOURCE / "decision" / "default_weights.json", decision)
        link_model.default_weights.cache_clear()
    return 0


def learned_span_weights(sets: Sequence[SpanSet]) -> NDArray[np.float64]:
    """What features weigh; every set counts alike."""
    features, is_mention = (
        np.concatenate([getattr(each, name) for each in sets]) for name in ("features", "is_mention")
    )
    counts = np.concatenate([each.weights * (N_EXAMPLES / each.weights.sum()) for each in sets])
    is_used = counts > 0
    return fit_logistic(features[is_used], is_mention[is_used], PENALTY, counts=counts[is_used])


def report(sets: Sequence[SpanSet], weights: NDArray[np.float64], leaves_out: bool) -> None:
    """Prints F1 and recall of spans at even odds, by all weights and by those without the family."""
    without: dict[str, NDArray[np.float64]] = {}
    for each in sets:
        line = f"{each.name:18} {each.family:9} all lists {figures(each, weights)}"
        if leaves_out:
            if each.family not in without:
                without[each.family] = learned_span_weights([other for other in sets if other.family != each.family])
            line += f"   left out {figures(each, without[each.family])}"
        print(line, flush=True)


def figures(each: SpanSet, weights: NDArray[np.float64]) -> str:
    """F1 and recall at even odds."""
    is_found = weighed(each.features, weights) >= 0
    right = each.weights[is_found & each.is_mention].sum()
    n_found, n_mentions = each.weights[is_found].sum(), each.weights[each.is_mention].sum()
    return f"F1 {2 * right / (n_found + n_mentions):.3f}, recall {right / n_mentions:.3f}"


def learned_decision(annotated: Sequence[AnnotatedSet]) -> dict[str, float]:
    """What evidence weighs in the probability of a link; every set counts alike."""
    linkers: dict[int, Linker] = {}
    sets = []
    for each in annotated:
        if id(each.kb) not in linkers:
            linkers[id(each.kb)] = Linker.build(each.kb)
        model = linkers[id(each.kb)].model
        spans = model.detector.detect(each.texts)
        n_documents = int(spans.documents[MAX_RANKED]) if len(spans) > MAX_RANKED else len(each.documents)
        spans = spans.take(spans.documents < n_documents)
        ranking = score_mentions(model, spans.in_context(each.documents))
        ids, best_rows = each.kb.ids, ranking.best_rows().tolist()
        is_right = np.array(
            [row >= 0 and ids[row] in each.gold.get(key, ()) for key, row in zip(spans.keys(), best_rows, strict=True)]
        )
        gold = {key: accepted for key, accepted in each.gold.items() if key[0] < n_documents}
        sets.append((each.name, spans, link_evidence(spans, ranking), is_right, gold))
    counts = np.concatenate([np.full(len(spans), N_EXAMPLES / len(spans)) for _, spans, *_ in sets])
    evidence, verdicts = (np.concatenate([part[number] for part in sets]) for number in (2, 3))
    model = LinkModel(fit_logistic(evidence, verdicts, PENALTY, None, COUNTS_FOR, counts), True)
    for name, spans, own, is_right, gold in sets:
        curve = curve_of_links(spans, model.of_evidence(own), is_right, gold)
        print(f"{name:18} {len(spans)} spans ranked; best F1 at {curve.best_f1().threshold:.2f}: {curve.best_f1()}")
        print(f"{'':18} at 0.25: {curve.at(0.25)}", flush=True)
    return dict(zip(EVIDENCE, model.weights, strict=True))


def write(path: Path, weights: dict[str, float]) -> None:
    """The weights by name."""
    rounded = {name: round(float(weight), 4) for name, weight in weights.items()}
    path.write_text(json.dumps(rounded, indent=2) + "\n", "utf-8")
    print(f"written: {path.name}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
