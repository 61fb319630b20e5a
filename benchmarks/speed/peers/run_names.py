"""Libraries that search names; run by the Pythons of their environments, never imported by the project."""

import json
from pathlib import Path

from measuring import Report, main, passes, resident_mb

BLOCK = 64  # queries compared with all names at once


def rapidfuzz(job: dict) -> dict:
    """Every name compared with every query; of equals the first."""
    import numpy as np
    from rapidfuzz.distance import Indel
    from rapidfuzz.process import cdist

    keys, names, queries = read(job)
    names, queries = [name.casefold() for name in names], [query.casefold() for query in queries]

    def search() -> list:
        found = []
        for begin in range(0, len(queries), BLOCK):
            scores = cdist(queries[begin : begin + BLOCK], names, scorer=Indel.normalized_similarity, dtype=np.float32)
            best = np.argpartition(-scores, 4 * job["k"], axis=1)[:, : 4 * job["k"]]
            order = np.take_along_axis(-scores, best, axis=1).argsort(axis=1, kind="stable")
            found += np.take_along_axis(best, order, axis=1).tolist()
        return found

    return searched(job, keys, search, Report(load_cpu=0.0))


def bm25s(job: dict) -> dict:
    """Names by their words (BM25), the index of the library itself."""
    import bm25s

    keys, names, queries = read(job)
    report = Report()
    with report.clock("load"):
        index = bm25s.BM25()
        index.index(bm25s.tokenize(names, stopwords=None, show_progress=False), show_progress=False)

    def search() -> list:
        tokens = bm25s.tokenize(queries, stopwords=None, show_progress=False)
        return index.retrieve(tokens, k=4 * job["k"], show_progress=False, n_threads=0).documents.tolist()

    return searched(job, keys, search, report)


def scispacy(job: dict) -> dict:
    """ScispaCy's candidate generator, with an index that its own function makes and keeps for later runs."""
    from scispacy.candidate_generation import CandidateGenerator, create_tfidf_ann_index
    from scispacy.linking_utils import Entity, KnowledgeBase

    keys, names, queries = read(job)
    report, aliases = Report(), {}
    for key, name in zip(keys, names, strict=True):
        aliases.setdefault(key, []).append(name)
    kb = KnowledgeBase([Entity(key, own[0], own, [], "") for key, own in aliases.items()])
    create_tfidf_ann_index(job["work"], kb)
    with report.clock("load"):
        concepts, vectorizer, index = create_tfidf_ann_index(job["work"], kb)
    generator = CandidateGenerator(index, vectorizer, concepts, kb)
    passes(report, lambda: generator(queries, 4 * job["k"]))
    report["found"] = [
        [each.concept_id for each in sorted(found, key=lambda one: -max(one.similarities))][: job["k"]]
        for found in generator(queries, 4 * job["k"])
    ]
    report["rss_mb"] = resident_mb()
    return report


def searched(job: dict, keys: list, search, report: Report) -> dict:  # noqa: ANN001 - a function
    """The best different entities of each query's names."""
    passes(report, search)
    report["found"] = [list(dict.fromkeys(keys[place] for place in places))[: job["k"]] for places in search()]
    report["rss_mb"] = resident_mb()
    return report


def read(job: dict) -> tuple[list, list, list]:
    """Ids and names, in rows, and queries."""
    pairs = json.loads(Path(job["names"]).read_text())
    return [key for key, _ in pairs], [name for _, name in pairs], json.loads(Path(job["queries"]).read_text())


if __name__ == "__main__":
    main({"rapidfuzz": rapidfuzz, "bm25s": bm25s, "scispacy": scispacy})
