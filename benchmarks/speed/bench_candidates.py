"""Candidates of names against libraries that search names: `python -m benchmarks.speed.bench_candidates [--dry-run]`.

The mentions of NCBI Disease's dev part, each different name once, against the names of MEDIC: ten entities each.
RapidFuzz' `cdist` compares every name (normalised Indel, as our source `spelling`), bm25s ranks names by their words,
scispaCy's candidate generator (Neumann et al., 2019) searches a graph of TF-IDF vectors of letters. Each system has a
process and an environment of its own and they take turns; CPU seconds are of one thread, after a first pass.
`recall@10` is the part of the names for which an entity is proposed that a mention of this name means.
"""

import sys
from collections.abc import Mapping

from benchmarks.speed.peer_suite import PeerSuite, System, run_suite
from deixis.documents.reading import read_documents
from deixis.gold import known_parts

SUITE = "find_candidates/medic-ncbi"
K = 10


SYSTEMS = {
    "deixis spelling": System("deixis_texts", None, "candidates", {"source": "spelling"}),
    "deixis names": System("deixis_texts", None, "candidates", {"source": "names"}),
    "rapidfuzz cdist": System("names", "rapidfuzz", "rapidfuzz"),
    "bm25s": System("names", "bm25s", "bm25s"),
    "scispacy": System("names", "scispacy", "scispacy"),
}


def prepare(suite: PeerSuite) -> dict[str, str]:
    """The names and queries as files, and our model."""
    kb, files = suite.model_of(suite.data.find("medic/kb.jsonl.gz"))
    meant: dict[str, set[str]] = {}
    for document in read_documents(suite.data.find("ncbi/dev.jsonl.gz")):
        for mention in document.mentions:
            known = known_parts(mention.entity, kb.row_of) if mention.entity is not None else ()
            meant.setdefault(mention.text, set()).update(kb.ids[row] for row in known)
    suite.gold = {name: ids for name, ids in sorted(meant.items()) if ids}
    suite.settings.update(n_queries=len(suite.gold), k=K)
    return files | {"queries": suite.write("queries.json", list(suite.gold))}


def measure(suite: PeerSuite, files: Mapping[str, str]) -> dict[str, dict[str, float]]:
    """One repeat: figures by system."""
    figures = {}
    for name, report in suite.reports(SYSTEMS, {**files, "k": K}):
        hits = [bool(ids & set(found)) for ids, found in zip(suite.gold.values(), report["found"], strict=True)]
        figures[name] = {
            "query_cpu": report["cpu"] / len(suite.gold) * 1e6, "load_cpu": report["load_cpu"],
            "rss": report["rss_mb"], "recall@10": sum(hits) / len(hits),
        }  # fmt: skip
    return figures


UNITS = {"query_cpu": "us/query", "load_cpu": "s", "rss": "MB", "recall@10": "share"}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    return run_suite(SUITE, __doc__, prepare, measure, UNITS, "query_cpu", arguments)


if __name__ == "__main__":
    sys.exit(main())
