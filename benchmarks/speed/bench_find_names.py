"""Raw text against libraries that find names: `python -m benchmarks.speed.bench_find_names [--dry-run]`.

The names of MEDIC in the abstracts of NCBI Disease's dev part. Peers find names, whatever their case, and say whose
they are; Deixis links: of several entities of a name it takes one, with a probability, and it leaves spans out.
`deixis, spans` is the part before that. Each system has a process and an environment of its own, they take turns in
each repeat, and CPU seconds are counted on one thread; the first pass over the texts is not.
"""

import sys
from collections.abc import Mapping

from benchmarks.speed.peer_suite import PeerSuite, System, run_suite
from deixis.documents.reading import read_documents

SUITE = "find_names/medic-ncbi"


SYSTEMS = {
    "deixis": System("deixis_texts", None, "link"),
    "deixis, spans": System("deixis_texts", None, "spans"),
    "spacy EntityRuler": System("spacy", "spacy", "ruler"),
    "spacy PhraseMatcher": System("spacy", "spacy", "matcher"),
    "pyahocorasick": System("ahocorasick", "ahocorasick", "names"),
}


def prepare(suite: PeerSuite) -> dict[str, str]:
    """The names and texts as files, and our model."""
    _, files = suite.model_of(suite.data.find("medic/kb.jsonl.gz"))
    texts = [document.text for document in read_documents(suite.data.find("ncbi/dev.jsonl.gz"))]
    suite.settings.update(n_texts=len(texts), n_characters=sum(map(len, texts)))
    return files | {"texts": suite.write("texts.json", texts)}


def measure(suite: PeerSuite, files: Mapping[str, str]) -> dict[str, dict[str, float]]:
    """One repeat: figures by system."""
    figures = {}
    for name, report in suite.reports(SYSTEMS, files):
        figures[name] = {
            "characters_per_second": suite.settings["n_characters"] / report["cpu"],
            "load_cpu": report["load_cpu"], "rss": report["rss_mb"], "spans": report["spans"],
        }  # fmt: skip
    return figures


UNITS = {"characters_per_second": "1/s", "load_cpu": "s", "rss": "MB", "spans": "spans"}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    return run_suite(SUITE, __doc__, prepare, measure, UNITS, "characters_per_second", arguments)


if __name__ == "__main__":
    sys.exit(main())
