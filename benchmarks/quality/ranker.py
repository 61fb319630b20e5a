"""Default weights of ranking features, and recall by them: `python -m benchmarks.quality.ranker [--write]`.

On the dev data of every suite, zero-shot, and where a suite has annotated mentions, once more with a linker that
learned from them (AIDA: from one half of its train documents, asked the other): the candidates of all sources and their
features, and how well each source alone, the ranker (`ranker`), and one whose weights have not seen that suite
(`ranker-foreign`), put the right one first. Knowledge bases with descriptions and those of names only learn apart.
`--write` makes the weights learned on all of it the library's default (`src/deixis/ranking/default_weights.json`).
Test splits are never read. Rows go to `benchmarks/results/`.

`--untaught` builds no taught linkers: features that only they have (`learned_*`) keep their weights. `--models` opens
linkers that were saved before, in a folder each under the name of a suite of their knowledge base.
"""

import argparse
import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.rows import record, start_run
from benchmarks.speed.tasks import data_folder
from benchmarks.suites.data import DataFolder, half_of
from benchmarks.suites.questions import Questions
from benchmarks.suites.suite import Suite, read_suite
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.learners.listwise import TrainingExamples
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.ranking.default_weights import Kind, default_weights, kind_of
from deixis.ranking.features import FEATURES
from deixis.ranking.weights import FeatureWeights, fit_feature_weights
from deixis.types import Document

SUITES = Path(__file__).parent
WEIGHTS = Path(__file__).parents[2] / "src" / "deixis" / "ranking" / "default_weights.json"
N_MENTIONS = 1000  # of each suite
N_HARD = 60  # wrong candidates kept of each mention when weights are learned
DEPTHS = (1, 10, 100)
ALONE = ("alias", "spelling", "names", "label_tree")
TAUGHT = "taught"
PENALTY = 1e-3
# GeoNames' questions are made by hiding names, which no real list does. The other two are kept for tests alone.
NOT_ASKED = ("geonames", "wiki468k-aquaint", "wiki468k-wned-wiki")
PAIRED, PAIRS = "wordnet", "+pairs"  # a suite of sentences that is asked once more, two namesakes in one text
DEMO = "demo"
SEEN_AND_ALL = {
    "learned": "alias", "learned_prior": "prior", "learned_label_tree": "label_tree_log", "learned_names": "names",
    "learned_popularity": "popularity", "learned_around": "around",
}  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """The candidates of a suite's dev mentions."""

    suite: str
    kb: str
    kind: Kind
    lesson: TrainingExamples
    questions: Questions


def main() -> int:
    """Asks every suite, learns, measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", action="append", default=[], help="only these suites; may be repeated")
    parser.add_argument("--write", action="store_true", help="make the learned weights the library's default")
    parser.add_argument("--untaught", action="store_true", help="build no linkers that learn from annotated documents")
    parser.add_argument("--models", type=Path, help="a folder of saved linkers to open rather than to build")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    chosen = parser.parse_args()
    start_run(is_recorded=not chosen.dry_run)
    data = DataFolder(data_folder())
    suites = [read_suite(path) for path in sorted(SUITES.glob("*.yaml")) if path.stem not in NOT_ASKED]
    suites = [suite for suite in suites if not chosen.suite or suite.name in chosen.suite]
    suites = sorted(suites, key=lambda suite: (suite.kb.path, suite.name))
    asked = list(ask(data, suites, chosen.models, is_taught=not chosen.untaught))
    rows, learned = list[ResultRow](), dict[str, dict[str, float]]()
    for kind in ("described", "bare"):
        alike = [one for one in asked if one.kind == kind]
        if not alike:
            continue
        weights = learn(alike)
        rows += measure(alike, weights)
        unseen = {name for name in weights.names if not any(one.lesson.column(name).any() for one in alike)}
        learned[kind] = {name: round(weight, 4) for name, weight in weights.by_name().items() if name not in unseen}
    # What no bare list shows weighs there as elsewhere: some of its entities may be described after all. Not how long
    # the descriptions are: among entities without any, to have one is no merit.
    if len(learned) == 2:
        for name in set(learned["described"]) - {"description_length"}:
            learned["bare"][name] = learned["bare"].get(name) or learned["described"][name]
    if chosen.untaught:
        for kind, weights_of_kind in learned.items():
            weights_of_kind |= kept_sums(default_weights(kind), weights_of_kind)
    for kind in ("described", "bare"):  # features of vectors are weighed by benchmarks of their own
        every = dict(default_weights(kind)) | learned.get(kind, {})
        # What weighs 0 is left out: it need not be computed.
        learned[kind] = {name: every[name] for name in FEATURES if every.get(name)}
    if not chosen.dry_run:
        record(rows)
    if chosen.write:
        WEIGHTS.write_text(json.dumps(learned, indent=1) + "\n", encoding="utf-8")
    return 0


def kept_sums(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    """Weights of features for names seen annotated, such that with those of all names they weigh what they did before.

    Examples
    --------
    >>> kept_sums({"alias": 2.0, "learned": 4.0}, {"alias": 0.5})
    {'learned': 5.5}
    """
    return {
        own: round(before[own] + before.get(general, 0.0) - after.get(general, 0.0), 4)
        for own, general in SEEN_AND_ALL.items()
        if own in before
    }


def ask(data: DataFolder, suites: list[Suite], models: Path | None, *, is_taught: bool) -> Iterator[Asked]:
    """The candidates of every suite's dev mentions, and of mentions asked after others were learned."""
    config = LinkerConfig(held_out_share=0.0)
    path, built = "", dict[str, Linker]()
    for suite in suites:
        if data.missing(suite):
            print(f"{suite.name}: left out, {', '.join(data.missing(suite))} not there", file=sys.stderr)
            continue
        if path != suite.kb.path:
            path, saved = suite.kb.path, models / suite.name if models else None
            is_saved = saved is not None and saved.is_dir()
            linker = Linker.load(saved) if is_saved else Linker.build(data.read_kb(suite.kb), None, config)
            built = {"": linker}
        documents = [document for part in suite.dev for document in data.read_part(suite, part)]
        if suite.name == DEMO:  # the only short list with descriptions; half of its sentences stay unseen
            documents = [document for document in documents if half_of(document.id) == "dev"]
        yield asked_of(built[""], suite, documents, "")
        if suite.name == PAIRED:
            yield asked_of(built[""], suite, paired(documents), PAIRS)
        if suite.mentions and is_taught:
            learned, held_out = teaching(data, suite, documents)
            key = f"{len(learned)} of {suite.mentions}"
            if key not in built:
                built[key] = Linker.build(built[""].kb, learned, config)
            yield asked_of(built[key], suite, held_out, f"+{TAUGHT}")


def teaching(data: DataFolder, suite: Suite, dev: list[Document]) -> tuple[list[Document], list[Document]]:
    """Documents to learn from and others to ask; where the dev documents are those to learn from, half of each."""
    learned = data.read_mentions(suite.mentions)
    if {document.id for document in learned} & {document.id for document in dev}:
        return tuple([one for one in learned if half_of(one.id) == half] for half in ("dev", "test"))  # type: ignore[return-value]
    return learned, dev


def paired(documents: list[Document]) -> list[Document]:
    """Two sentences with one word in different meanings as one text, of as many as there are: near words must tell."""
    by_word = defaultdict[str, list[Document]](list)
    for document in documents:
        by_word[document.mentions[0].text.casefold()].append(document)
    texts = []
    for alike in by_word.values():
        for first, second in pairwise(alike):
            before, after = first.mentions[0], second.mentions[0]
            if before.entity != after.entity:
                opening = f"{first.text}. "
                moved = replace(after, start=after.start + len(opening), end=after.end + len(opening))
                texts.append(Document(f"{first.id}+{second.id}", opening + second.text, mentions=(before, moved)))
    return texts


def asked_of(linker: Linker, suite: Suite, documents: list[Document], mark: str) -> Asked:
    """The candidates of a sample of the documents' mentions, and which of them are right."""
    questions = Questions.collect(linker.kb, documents).sample(N_MENTIONS)
    ids = [linker.kb.rows_of(sorted(answers)) for answers in questions.accepted]
    parts = []
    for begin in range(0, len(questions), 250):
        mentions = questions.mentions[begin : begin + 250]
        proposals = linker.model.sources.propose(mentions)
        answers = {(number, int(row)) for number, rows in enumerate(ids[begin : begin + 250]) for row in rows}
        pairs = zip(proposals.mention_numbers.tolist(), proposals.rows.tolist(), strict=True)
        is_right = np.array([pair in answers for pair in pairs], dtype=bool)
        features = linker.model.ranker.features(mentions, proposals)
        names = tuple(name for name in FEATURES if name in features.names)  # saved linkers may have another order
        parts.append(TrainingExamples(proposals.starts, features.columns(names), is_right, names))
    print(f"{suite.name}{mark}: {len(questions)} mentions", file=sys.stderr)
    return Asked(suite.name + mark, suite.kb.path, kind_of(linker.kb), TrainingExamples.joined(parts), questions)


def learn(asked: list[Asked]) -> FeatureWeights:
    """Weights of these suites; ten suites of one knowledge base count as about three others, not as ten."""
    n_suites = Counter(one.kb for one in asked)  # pairs of sentences are of the suite that they are made from
    importance = [1 / math.sqrt(n_suites[one.kb]) for one in asked]
    return fit_feature_weights([hardest(one) for one in asked], PENALTY, importance=importance)


def hardest(asked: Asked) -> TrainingExamples:
    """The right candidates and the wrong ones that the default weights like best: the others teach next to nothing."""
    lesson, default = asked.lesson, default_weights(asked.kind)
    weights = np.array([default.get(name, 0.0) for name in lesson.names], dtype=np.float32)
    totals = np.where(lesson.is_right, np.inf, lesson.features @ weights)
    numbers = np.repeat(np.arange(len(lesson.starts) - 1), np.diff(lesson.starts))
    order = np.lexsort((-totals, numbers))
    place = np.arange(len(order)) - lesson.starts[numbers]
    kept = np.sort(order[place < N_HARD])
    lengths = np.bincount(numbers[kept], minlength=len(lesson.starts) - 1)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return TrainingExamples(starts, lesson.features[kept], lesson.is_right[kept], lesson.names)


def measure(asked: list[Asked], weights: FeatureWeights) -> Iterator[ResultRow]:
    """Recall of each source alone, of the ranker, and of one whose weights have not seen the suite."""
    for one in asked:
        name = one.suite.partition("+")[0]
        others = [other for other in asked if other.suite.partition("+")[0] != name]
        foreign = learn(others) if others else weights
        features = one.lesson.features
        scores = {name: one.lesson.column(name) for name in ALONE}
        scores |= {"ranker": features @ weights.values, "ranker-foreign": features @ foreign.values}
        for system, totals in scores.items():
            ranks = ranks_by(totals, one.lesson)
            metrics = [one.questions.recall(ranks, depth) for depth in DEPTHS]
            shown = " ".join(f"{metric.value:.3f}" for metric in metrics)
            print(f"{one.suite:28} {system:42} {shown}", flush=True)
            yield from metric_rows(metrics, f"{one.suite}/ranking", system, {"split": "dev", "weights": one.kind})


def ranks_by(totals: NDArray[np.floating], lesson: TrainingExamples) -> NDArray[np.int64]:
    """The place of the first right candidate of each mention, from 1; 0 where there is none."""
    numbers = np.repeat(np.arange(len(lesson.starts) - 1), np.diff(lesson.starts))
    order = np.lexsort((-totals, numbers))
    places = np.arange(len(order)) - lesson.starts[numbers] + 1
    ranks = np.zeros(len(lesson.starts) - 1, dtype=np.int64)
    right = lesson.is_right[order]
    np.minimum.at(first := np.full(len(ranks), len(order) + 1), numbers[right], places[right])
    return np.where(first <= len(order), first, ranks)


if __name__ == "__main__":
    sys.exit(main())
