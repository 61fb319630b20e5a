"""What the knowledge base's own text brings: `python -m benchmarks.quality.own_text [--suite NAME]`.

On dev documents of every suite, zero-shot, whole ones with all their mentions. Popularity: none (`off`), from names
inside descriptions (`read`), from names inside names too (`inner`); by the likeness of names alone (`names`) and by the
ranker. Then, for knowledge bases with descriptions, two more uses as further features of the ranker:
`linked`, how much of what the document's other mentions likely mean its description names or is named by; and `spoken`,
the likeness of the text to the descriptions that speak of it. All weights are learned on the other suites of the kind:
described, or bare names. Test splits are never read. Rows go to `benchmarks/results/`.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.quality.ranker import DEPTHS, SUITES, ranks_by
from benchmarks.rows import record, start_run
from benchmarks.speed.tasks import data_folder
from benchmarks.suites.data import DataFolder
from benchmarks.suites.questions import Questions
from benchmarks.suites.suite import Suite, read_suite
from deixis.candidates.sources.names import NameConfig
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.features.entity_words import DESCRIPTION
from deixis.features.row_dots import row_dots
from deixis.learners.listwise import TrainingExamples, fit_weights
from deixis.linker import Linker
from deixis.linking.build_settings import OwnTextConfig
from deixis.linking.config import LinkerConfig
from deixis.linking.popularity import mentioned_entities
from deixis.nearest.best_rows import best_rows
from deixis.ranking.default_weights import kind_of
from deixis.ranking.feature import document_numbers, surroundings
from deixis.ranking.features.words import AROUND, TEXT
from deixis.ranking.ranker import softmax_scores as softmax
from deixis.tables import CandidateTable
from deixis.types import Document, MentionInContext

N_MENTIONS = 1000  # of each suite, and the rest of their documents
N_HARD = 60  # wrong candidates kept of each mention when weights are learned
N_LIKELY, LEAST_LIKELY = 3, 0.05  # what a mention may mean when others are linked to it
N_SPEAKERS = 10  # descriptions that speak of an entity whose words are counted
READINGS = {
    "off": OwnTextConfig(popularity=False),
    "read": OwnTextConfig(),
    "inner": OwnTextConfig(names=True),
}


@dataclass(frozen=True)
class Asked:
    """The candidates of a suite's dev mentions, with what is measured beside the features of the library."""

    suite: str
    kind: str
    reading: str
    lesson: TrainingExamples
    questions: Questions
    extras: dict[str, NDArray[np.float32]] = field(default_factory=dict)


def main() -> int:
    """Asks every suite, learns, measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", action="append", default=[], help="only these suites; may be repeated")
    parser.add_argument("--reading", action="append", default=[], choices=READINGS, help="only these; may be repeated")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    chosen = parser.parse_args()
    start_run(is_recorded=not chosen.dry_run)
    data = DataFolder(data_folder())
    suites = [read_suite(path) for path in sorted(SUITES.glob("*.yaml")) if path.stem != "demo"]
    suites = [suite for suite in suites if (not chosen.suite or suite.name in chosen.suite) and not data.missing(suite)]
    asked = [
        one
        for path in dict.fromkeys(suite.kb.path for suite in suites)
        for one in ask(data, [suite for suite in suites if suite.kb.path == path], chosen.reading or list(READINGS))
    ]
    rows = list(measure(asked))
    if not chosen.dry_run:
        record(rows)
    return 0


def ask(data: DataFolder, suites: list[Suite], readings: list[str]) -> Iterator[Asked]:
    """The candidates of suites with one knowledge base, by every reading of its text."""
    kb = data.read_kb(suites[0].kb)
    for reading in readings:
        if kind_of(kb) == "bare" and reading == "read":
            continue  # there is nothing to read
        config = LinkerConfig(held_out_share=0.0, own_text=READINGS[reading])
        linker = Linker.build(kb, None, config)
        graph = mentioned_entities(kb, linker.model.detector.names) if reading == "read" else None
        for suite in suites:
            documents = [document for part in suite.dev for document in data.read_part(suite, part)]
            yield asked_of(linker, suite, sampled(documents), reading, graph)


def sampled(documents: list[Document]) -> list[Document]:
    """Documents drawn evenly, with at least `N_MENTIONS` mentions together if there are as many."""
    drawn = [documents[number] for number in np.random.default_rng(0).permutation(len(documents))]
    linked = np.cumsum([sum(mention.entity is not None for mention in document.mentions) for document in drawn])
    return drawn[: int(np.searchsorted(linked, N_MENTIONS)) + 1]


def asked_of(
    linker: Linker, suite: Suite, documents: list[Document], reading: str, graph: sparse.csr_matrix | None
) -> Asked:
    """The candidates of all mentions of the documents, and what is to be learned and measured of those in the KB."""
    questions = Questions.collect(linker.kb, documents)
    asked = {
        (mention.document_id, mention.start, mention.end): number for number, mention in enumerate(questions.mentions)
    }
    answers = [set(linker.kb.rows_of(sorted(ids)).tolist()) for ids in questions.accepted]
    lengths, parts, extras = [], [], []
    for begin in range(0, len(documents), 50):
        batch = documents[begin : begin + 50]
        mentions = [mention for document in batch for mention in document.mentions_in_context()]
        numbers = [asked.get((mention.document_id, mention.start, mention.end), -1) for mention in mentions]
        proposals = linker.model.sources.propose(mentions)
        features = linker.model.ranker.features(mentions, proposals)
        owners = proposals.mention_numbers
        kept = np.array(numbers)[owners] >= 0
        pairs = zip(owners[kept].tolist(), proposals.rows[kept].tolist(), strict=True)
        is_right = np.array([row in answers[numbers[owner]] for owner, row in pairs], dtype=bool)
        lengths.append(np.diff(proposals.starts)[np.array(numbers) >= 0])
        parts.append((features.values[kept], is_right))
        if graph is not None:
            shares = softmax(linker.model.ranker.totals(mentions, features, proposals), proposals)
            found = linked(graph, mentions, proposals, shares), spoken(linker, graph, mentions, proposals)
            extras.append([each[kept] for each in found])
    print(f"{suite.name}, {reading}: {len(questions)} mentions", file=sys.stderr, flush=True)
    lesson = TrainingExamples(
        np.concatenate([[0], np.cumsum(np.concatenate(lengths))]),
        *(np.concatenate(part) for part in zip(*parts, strict=True)),
        names=features.names,
    )
    more = {
        name: np.concatenate(part) for name, part in zip(("linked", "spoken"), zip(*extras, strict=True), strict=False)
    }
    return Asked(suite.name, kind_of(linker.kb), reading, lesson, questions, more)


def linked(
    graph: sparse.csr_matrix, mentions: list[MentionInContext], proposals: CandidateTable, shares: NDArray[np.float32]
) -> NDArray[np.float32]:
    """How much of what the document's other names likely mean a candidate names, and is named by."""
    popularity = np.bincount(graph.indices, weights=graph.data, minlength=graph.shape[0])
    damped = sparse.csr_matrix(
        (graph.data / np.sqrt(1 + popularity[graph.indices]), graph.indices, graph.indptr), graph.shape
    )
    damped = damped.astype(np.float32)
    likely = best_rows(proposals, shares, N_LIKELY, graph.shape[0]).matrix().astype(np.float32)
    likely.data[likely.data < LEAST_LIKELY] = 0
    key_to_number: dict[tuple[int, str], int] = {}
    documents = document_numbers(mentions).tolist()
    texts = [
        key_to_number.setdefault((document, mention.text.lower()), len(key_to_number))
        for document, mention in zip(documents, mentions, strict=True)
    ]
    ones = np.ones(len(mentions), np.float32)
    by_text = (
        sparse.csr_matrix((ones / np.bincount(texts)[texts], (texts, np.arange(len(mentions))))).astype(np.float32)
        @ likely
    )
    of_document = sparse.csr_matrix(
        (np.ones(len(key_to_number), np.float32), ([d for d, _ in key_to_number], np.arange(len(key_to_number))))
    )
    others = ((of_document @ by_text)[documents] - by_text[texts]).tocsr().astype(np.float32)
    others.data[others.data < 1e-4] = 0
    others.eliminate_zeros()
    naming = row_dots(others, proposals.starts, damped, proposals.rows)
    itself = sparse.identity(graph.shape[0], np.float32, format="csr")
    named = row_dots((others @ damped).tocsr(), proposals.starts, itself, proposals.rows)
    return np.log1p(4 * np.stack([naming, named], axis=1)).astype(np.float32)


def spoken(
    linker: Linker, graph: sparse.csr_matrix, mentions: list[MentionInContext], proposals: CandidateTable
) -> NDArray[np.float32]:
    """The likeness of the text around and of the whole text to descriptions that speak of a candidate."""
    words = linker.model.sources.words
    rows, places = np.unique(proposals.rows, return_inverse=True)
    speakers = graph.T.tocsr()[rows]
    order = np.lexsort((-speakers.data, np.repeat(np.arange(len(rows)), np.diff(speakers.indptr))))
    is_kept = np.arange(len(order)) - np.repeat(speakers.indptr[:-1], np.diff(speakers.indptr)) < N_SPEAKERS
    lengths = np.minimum(np.diff(speakers.indptr), N_SPEAKERS)
    chosen = order[is_kept]
    first = sparse.csr_matrix(
        (speakers.data[chosen], speakers.indices[chosen], np.concatenate([[0], np.cumsum(lengths)])), speakers.shape
    )
    described = words.texts.columns(DESCRIPTION)
    shape = (len(described), words.vectorizer.n_features)
    idf = words.vectorizer.idf[described.indices].astype(np.float32)
    said = unit_rows(first @ sparse.csr_matrix((idf, described.indices, described.indptr), shape))
    queries = [words.queries([surroundings(mention, window) for mention in mentions]) for window in (AROUND, TEXT)]
    return np.stack([row_dots(unit_rows(query), proposals.starts, said, places) for query in queries], axis=1)


def unit_rows(rows: sparse.csr_matrix) -> sparse.csr_matrix:
    """The rows with length one; those far shorter than most are made longer, but not that long."""
    rows = rows.tocsr()
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    least = np.percentile(lengths[lengths > 0], 30) if lengths.any() else 1.0
    return (sparse.diags(1 / np.maximum(lengths, least)) @ rows).tocsr().astype(np.float32)


def hardest(lesson: TrainingExamples) -> TrainingExamples:
    """The right candidates and the wrong ones with the likest names and texts."""
    hard = sum(lesson.column(name) for name in ("names", "alias", "popularity", "around"))
    numbers = np.repeat(np.arange(len(lesson.starts) - 1), np.diff(lesson.starts))
    order = np.lexsort((-np.where(lesson.is_right, np.inf, hard), numbers))
    kept = np.sort(order[np.arange(len(order)) - lesson.starts[numbers] < N_HARD])
    lengths = np.bincount(numbers[kept], minlength=len(lesson.starts) - 1)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return TrainingExamples(starts, lesson.features[kept], lesson.is_right[kept], lesson.names)


def measure(asked: list[Asked]) -> Iterator[ResultRow]:
    """Recall of like names alone and of the ranker, whose weights have not seen the suite."""
    for one in asked:
        alike = [each for each in asked if (each.kind, each.reading) == (one.kind, one.reading)]
        names, popularity = (one.lesson.column(name) for name in ("names", "popularity"))
        gains = NameConfig().popularity_weight * popularity
        systems = {f"names-{one.reading}": np.where(names > 0, names + gains, 0)}
        for added in ([], *([name] for name in one.extras)):
            lessons = [with_extras(each, added) for each in alike if each.suite != one.suite]
            if lessons:
                weights = fit_weights([hardest(lesson) for lesson in lessons])
                systems["-".join(["ranker", one.reading, *added])] = with_extras(one, added).features @ weights
        for system, totals in systems.items():
            metrics = [one.questions.recall(ranks_by(totals, one.lesson), depth) for depth in DEPTHS]
            shown = " ".join(f"{metric.value:.3f}" for metric in metrics)
            print(f"{one.suite:24} {system:24} {shown}", flush=True)
            yield from metric_rows(metrics, f"{one.suite}/own-text", system, {"split": "dev", "weights": one.kind})


def with_extras(asked: Asked, names: list[str]) -> TrainingExamples:
    """The lesson of a suite with further features."""
    lesson = asked.lesson
    extras = [asked.extras[name] for name in names]
    more = tuple(f"{name}-{n}" for name, extra in zip(names, extras, strict=True) for n in range(extra.shape[1]))
    return TrainingExamples(
        lesson.starts, np.hstack([lesson.features, *extras]), lesson.is_right, (*lesson.names, *more)
    )


if __name__ == "__main__":
    sys.exit(main())
