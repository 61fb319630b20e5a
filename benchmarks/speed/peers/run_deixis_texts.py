"""Our side of the raw texts and of the names: spans, links and candidates by a model that was built before."""

import json
from pathlib import Path

from measuring import Report, disk_mb, main, passes, resident_mb

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.types import MentionInContext


def build(job: dict) -> dict:
    """Build the model, once."""
    report = Report()
    with report.clock("build"):
        Linker.build(KnowledgeBase.read(job["kb"]), n_threads=job["threads"]).save(job["model"])
    report["disk_mb"] = disk_mb(job["model"])
    return report


def link(job: dict) -> dict:
    """Raw texts to links."""
    report, texts = Report(), json.loads(Path(job["texts"]).read_text())
    with report.clock("load"):
        linker = Linker.load(job["model"], n_threads=1)
    passes(report, lambda: list(linker.link_many(texts)))
    linked = [mention for document in linker.link_many(texts) for mention in document.mentions]
    report["spans"] = sum(mention.entity is not None for mention in linked)
    report["rss_mb"] = resident_mb()
    return report


def spans(job: dict) -> dict:
    """Raw texts to spans that may be mentions."""
    report, texts = Report(), json.loads(Path(job["texts"]).read_text())
    with report.clock("load"):
        linker = Linker.load(job["model"], n_threads=1)
    detector = linker.model.detector
    passes(report, lambda: detector.detect(texts, n_threads=1))
    report["spans"] = len(detector.detect(texts, n_threads=1))
    report["rss_mb"] = resident_mb()
    return report


def candidates(job: dict) -> dict:
    """Names to candidates, by one source."""
    report, queries = Report(), json.loads(Path(job["queries"]).read_text())
    with report.clock("load"):
        linker = Linker.load(job["model"], n_threads=1)
    source = linker.model.sources.get(job["source"])
    mentions = [MentionInContext(query, query, 0, len(query)) for query in queries]
    passes(report, lambda: source.search(mentions, job["k"]))
    matrix = source.search(mentions, job["k"])
    report["found"] = [[linker.kb.ids[row] for row in matrix[i].indices] for i in range(len(queries))]
    report["rss_mb"] = resident_mb()
    return report


if __name__ == "__main__":
    main({"build": build, "link": link, "spans": spans, "candidates": candidates})
