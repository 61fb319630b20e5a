"""Import of SKOS against rdflib: `python -m benchmarks.speed.bench_rdf [--concepts 2000]`.

The vocabulary is ESCO's occupations with the names that MELO's files have in seven languages (`melo/` in
`DEIXIS_DATA`), written as SKOS in three syntaxes. Ours is the file to a knowledge base. rdflib's way is `Graph.parse`
and a loop that reads the labels of each concept into a dictionary: less than a knowledge base. Seconds are processor
time of one thread, the best of three in turns.
"""

import argparse
import gzip
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from rdflib import Graph
from rdflib.namespace import RDF, SKOS

from benchmarks.speed.bench_import import in_turns
from benchmarks.speed.tasks import data_folder
from deixis.kb.knowledge_base import KnowledgeBase

SETS = ("usa_q_en_c_en", "deu_q_de_c_de", "fra_q_fr_c_fr", "esp_q_es_c_es", "ita_q_it_c_it", "nld_q_nl_c_nl",
        "swe_q_sv_c_sv")  # fmt: skip
NAMESPACE = "http://www.w3.org/2004/02/skos/core#"
Names = dict[str, list[tuple[str, str, str]]]  # concept -> kind of label, language, text
LABELS = ("prefLabel", "altLabel")


def main(arguments: list[str] | None = None) -> int:
    """Write the vocabulary, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--concepts", type=int, default=2_000)
    options = parser.parse_args(arguments)
    names = esco_names(data_folder() / "melo", options.concepts)
    n_labels = sum(map(len, names.values()))
    print(f"{len(names):,} concepts, {n_labels:,} labels")
    with tempfile.TemporaryDirectory() as folder:
        for suffix, text in ((".ttl", turtle(names)), (".rdf", rdf_xml(names)), (".nt", n_triples(names))):
            path = Path(folder) / f"esco{suffix}"
            path.write_text(text, encoding="utf-8")
            check_same(path)
            theirs, ours = in_turns(lambda path=path: rdflib_labels(path), lambda path=path: KnowledgeBase.read(path))
            print(
                f"{path.name}: rdflib {theirs:.2f} s, import {ours:.2f} s, {theirs / ours:.1f} times faster", flush=True
            )
    return 0


def esco_names(folder: Path, n_concepts: int) -> Names:
    """The labels of the first concepts; the first name in a language is the preferred one."""
    names: Names = {}
    for each in SETS:
        lang = each[-2:]
        texts = dict(rows(folder / each / "corpus_elements.tsv.gz"))
        preferred: set[str] = set()
        for key, concept in rows(folder / each / "concept_mapping.tsv.gz"):
            if key in texts and (concept in names or len(names) < n_concepts):
                kind = LABELS[concept in preferred]
                preferred.add(concept)
                names.setdefault(concept, []).append((kind, lang, texts[key]))
    return names


def rows(path: Path) -> list[tuple[str, str]]:
    """The two columns of a file."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return [(first, rest) for first, _, rest in (line.rstrip("\n").partition("\t") for line in stream)]


def turtle(names: Names) -> str:
    """The vocabulary as most tools write it."""
    parts = [f"@prefix skos: <{NAMESPACE}> .\n"]
    for concept, labels in names.items():
        said = " ;\n    ".join(f"skos:{kind} {quoted(text)}@{lang}" for kind, lang, text in labels)
        parts.append(f"<{concept}> a skos:Concept ;\n    {said} .\n")
    return "\n".join(parts)


def rdf_xml(names: Names) -> str:
    """The vocabulary in XML."""
    parts = [f'<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="{RDF}" xmlns:skos="{NAMESPACE}">']
    for concept, labels in names.items():
        parts.append(f"<skos:Concept rdf:about={quoteattr(concept)}>")
        parts += [f'  <skos:{kind} xml:lang="{lang}">{escape(text)}</skos:{kind}>' for kind, lang, text in labels]
        parts.append("</skos:Concept>")
    return "\n".join([*parts, "</rdf:RDF>\n"])


def n_triples(names: Names) -> str:
    """The vocabulary with a statement a line."""
    parts = []
    for concept, labels in names.items():
        parts.append(f"<{concept}> <{RDF.type}> <{NAMESPACE}Concept> .\n")
        parts += [f"<{concept}> <{NAMESPACE}{kind}> {quoted(text)}@{lang} .\n" for kind, lang, text in labels]
    return "".join(parts)


def quoted(text: str) -> str:
    """A string of Turtle."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def rdflib_labels(path: Path) -> dict[str, set[tuple[str, str]]]:
    """Text and language of all labels of each concept, by rdflib."""
    graph = Graph().parse(path)
    return {
        str(concept): {
            (str(label), label.language or "")
            for kind in (SKOS.prefLabel, SKOS.altLabel)
            for label in graph.objects(concept, kind)
        }
        for concept in graph.subjects(RDF.type, SKOS.Concept)
    }


def check_same(path: Path) -> None:
    """Both ways give the same concepts with the same labels."""
    read = {
        entity.id: {(alias.text, alias.lang) for alias in entity.aliases}
        for entity in KnowledgeBase.read(path).entities()
    }
    expected = {
        concept: {(" ".join(text.split()), lang) for text, lang in labels}
        for concept, labels in rdflib_labels(path).items()
    }
    found = {concept: {(" ".join(text.split()), lang) for text, lang in labels} for concept, labels in read.items()}
    if found != expected:
        differing = next(key for key in expected if found.get(key) != expected[key])
        raise SystemExit(f"{path.name}: {differing}: {found.get(differing)} and {expected[differing]} differ")


if __name__ == "__main__":
    raise SystemExit(main())
