"""Whether anything became slow: `python -m benchmarks.speed.guard [--record]`, in under a minute; a test runs it, too.

Each job is timed between two runs of a reference, in one process and on one thread: CPU seconds of other machines and
of busy hours differ, but a job over its reference hardly does. What is native is held against a stable sort of NumPy,
what is mostly Python against a loop of Python. The sort is stable because NumPy has an unstable one for each kind of
processor, of which one is seven times as fast as another. The median of some rounds is compared with the ratio in
`guard.json`. A job that is slower than allowed is measured again, with more rounds: a slow hour passes, a slowdown
does not.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from deixis.encoders.chars import CharSketchEncoder
from deixis.features.tfidf import TfidfVectorizer
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.store.strings import StringTable
from deixis.types import Document, Mention
from deixis.xmr.model import LABELLING, LabelTreeRanker

RECORDED = Path(__file__).with_name("guard.json")
ALLOWED = 1.75  # times the recorded ratio
ROUNDS = (5, 15, 31)  # of the first measurement, and of those that follow if it is too slow
N_ENTITIES = 2_000

Work = Callable[[], object]


@dataclass(frozen=True)
class Job:
    """Work, and what it is held against."""

    work: Work
    reference: Work

    def ratio(self, n_rounds: int) -> float:
        """Its CPU seconds over those of the reference just before and after: the median of the rounds."""
        self.work()
        ratios, before = [], seconds(self.reference)
        for _ in range(n_rounds):
            own, after = seconds(self.work), seconds(self.reference)
            ratios.append(2 * own / (before + after))
            before = after
        return statistics.median(ratios)


@dataclass(frozen=True)
class Verdict:
    """A job's ratio, beside the one that was recorded."""

    name: str
    ratio: float
    recorded: float

    @property
    def is_slow(self) -> bool:
        """Whether it takes more than is allowed."""
        return self.ratio > ALLOWED * self.recorded

    def __str__(self) -> str:
        times = self.ratio / self.recorded
        return (
            f"{self.name}: {self.ratio:.3f} of its reference, {times:.2f} times what was recorded ({self.recorded:.3f})"
        )


def judged(name: str, job: Job, recorded: float) -> Verdict:
    """The verdict on a job; one that seems slow gets more rounds."""
    verdict = Verdict(name, float("inf"), recorded)
    for n_rounds in ROUNDS:
        verdict = Verdict(name, min(verdict.ratio, job.ratio(n_rounds)), recorded)
        if not verdict.is_slow:
            break
    return verdict


def recorded_ratios() -> dict[str, float]:
    """The ratio of each job, as it was recorded last."""
    ratios: dict[str, float] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return ratios


def seconds(work: Work) -> float:
    """CPU seconds of this thread."""
    begin = time.thread_time()
    work()
    return time.thread_time() - begin


def python_loop() -> int:
    """What interpreted code costs: attributes, calls, small objects."""
    total, counts = 0, dict[str, int]()
    for number in range(30_000):
        key = str(number % 97)
        counts[key] = counts.get(key, 0) + number
        total += len(key)
    return total + len(sorted(counts.items()))


def jobs() -> Mapping[str, Job]:
    """What must not become slow, on lists and texts that are made here."""
    rng = np.random.default_rng(0)
    numbers = rng.random(100_000)
    words = made_words(rng, 6_000)
    kb = made_list(rng, words)
    linker = Linker.build(kb, n_threads=1)
    texts = made_texts(rng, words, kb)
    first = texts[0].index(kb.title(0))
    mention = Document("one", texts[0], mentions=(Mention(first, first + len(kb.title(0)), kb.title(0)),))
    names = [f"{kb.title(row)[:-1]}q" for row in range(0, N_ENTITIES, 10)]
    X, Y = made_matrices(rng)
    tree = LabelTreeRanker(n_threads=1).fit(X, Y)
    wide = LabelTreeRanker(LABELLING, n_threads=1).fit(X, Y)
    encoder = CharSketchEncoder.fit(kb.titles, n_threads=1)
    many = StringTable.from_strings(texts * 100)

    def sort() -> object:
        return np.sort(numbers, kind="stable")

    return {
        "raw text": Job(lambda: list(linker.link_many(texts)), sort),
        "names alone": Job(lambda: linker.link_names(names), sort),
        "one mention": Job(lambda: [linker.link(mention) for _ in range(5)], python_loop),
        "one text": Job(lambda: [linker.link(text) for text in texts[:3]], python_loop),
        "spans": Job(lambda: linker.model.detector.detect(texts * 3, n_threads=1), sort),
        "tree, search": Job(lambda: tree.rank(X, 10), sort),
        "tree, wide": Job(lambda: wide.rank(X, 10), sort),
        "tree, training": Job(lambda: LabelTreeRanker(n_threads=1).fit(X, Y), sort),
        "TF-IDF": Job(lambda: TfidfVectorizer().fit(many, n_threads=1), sort),
        "vectors": Job(lambda: encoder.encode(names * 10), sort),
        "build": Job(lambda: Linker.build(kb.take(range(200)), n_threads=1), sort),
    }


def made_words(rng: np.random.Generator, n: int) -> list[str]:
    """Words of two to four syllables."""
    syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "il", "on")]
    return ["".join(rng.choice(syllables, size=rng.integers(2, 5))) for _ in range(n)]


def made_list(rng: np.random.Generator, words: list[str]) -> KnowledgeBase:
    """Entities of one or two words, some with one name, each with a description."""
    titles = [
        " ".join(word.title() for word in rng.choice(words[:1500], size=rng.integers(1, 3))) for _ in range(N_ENTITIES)
    ]
    return KnowledgeBase.from_records(
        {"id": str(number), "title": title, "description": " ".join(rng.choice(words, size=12))}
        for number, title in enumerate(titles)
    )


def made_texts(rng: np.random.Generator, words: list[str], kb: KnowledgeBase) -> list[str]:
    """Texts of sixty words and six names."""
    texts = []
    for number in range(30):
        parts = list(rng.choice(words, size=60))
        for place in range(0, 60, 10):
            parts[place] = kb.title((number * 7 + place * 3) % N_ENTITIES)
        texts.append(" ".join(parts))
    return texts


def made_matrices(rng: np.random.Generator) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """Rows with a hundred of 20,000 features, a few of them those of the row's label."""
    n_rows, n_labels, n_features = 3_000, 1_500, 20_000
    labels = rng.integers(0, n_labels, size=n_rows)
    own = (labels[:, None] * 13 + np.arange(12)) % n_features
    columns = np.hstack([own, rng.integers(0, n_features, size=(n_rows, 60))])
    rows = np.repeat(np.arange(n_rows), columns.shape[1])
    values = rng.random(columns.size, dtype=np.float32)
    X = sparse.csr_matrix((values, (rows, columns.ravel())), shape=(n_rows, n_features))
    Y = sparse.csr_matrix((np.ones(n_rows, np.float32), (np.arange(n_rows), labels)), shape=(n_rows, n_labels))
    return X, Y


def main(arguments: list[str] | None = None) -> int:
    """Measure all jobs; print, and record or judge them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--record", action="store_true", help="the ratios of this tree are those to keep to from now on"
    )
    options = parser.parse_args(arguments)
    if options.record:
        ratios = {name: round(job.ratio(ROUNDS[1]), 3) for name, job in jobs().items()}
        RECORDED.write_text(json.dumps(ratios, indent=2) + "\n", encoding="utf-8")
        print(f"recorded in {RECORDED.name}: {ratios}")
        return 0
    recorded, slow = recorded_ratios(), 0
    for name, job in jobs().items():
        verdict = judged(name, job, recorded[name])
        slow += verdict.is_slow
        print(f"{'SLOW ' if verdict.is_slow else ''}{verdict}", flush=True)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
