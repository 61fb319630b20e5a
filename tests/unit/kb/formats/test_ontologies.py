"""OBO and OWL: synonyms, definitions, ids of elsewhere, and what is no longer in use."""

import logging
import sys

import pytest

from deixis.errors import DataError, MissingExtraError
from deixis.kb.knowledge_base import KnowledgeBase

OBO = r"""format-version: 1.4
data-version: releases/2026-01-01
default-namespace: gene_ontology

[Term]
id: GO:0000001
name: mitochondrion inheritance
namespace: biological_process
alt_id: GO:0019952
def: "The \"distribution\" of mitochondria." [GOC:mcc, PMID:10873824]
comment: Note this.
subset: goslim_x
synonym: "related one" RELATED [GOC:x]
synonym: "mitochondrial inheritance" EXACT []
synonym: "wider" BROAD SYS:name [A:b "text"]
xref: UMLS:C0001 "a text"
xref: Wikipedia:Mitochondrion
is_a: GO:0048308 {source="x"} ! organelle inheritance

[Term]
id: GO:0000002
name: obsolete thing
is_obsolete: true
replaced_by: GO:0000001

[Term]
id: GO:0000003
name: bare

[Typedef]
id: part_of
name: part of
"""
TURTLE = """@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix oio: <http://www.geneontology.org/formats/oboInOwl#> .
@prefix obo: <http://purl.obolibrary.org/obo/> .
<http://x.org/onto> a owl:Ontology .
obo:X_1 a owl:Class ; rdfs:label "cat"@en , "Katze"@de ; oio:hasRelatedSynonym "moggy" ; oio:hasExactSynonym "felis" ;
  obo:IAO_0000115 "An animal that purrs."@en ; rdfs:comment "a comment" ; oio:id "X:1" ; oio:hasDbXref "UMLS:C1" .
obo:X_2 a owl:Class ; rdfs:label "Siamese cat"@en ; rdfs:comment "A comment." ; rdfs:subClassOf obo:X_1 ,
  [ a owl:Restriction ; owl:onProperty obo:p ; owl:someValuesFrom obo:X_1 ] .
obo:X_3 a owl:Class ; rdfs:label "old cat"@en ; owl:deprecated true .
obo:X_4 a owl:Class .
obo:p a owl:ObjectProperty ; rdfs:label "part of" .
"""


def read(folder, content, name):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return KnowledgeBase.read(path)


def test_a_term_of_obo_keeps_what_it_says(tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        kb = read(tmp_path, OBO, "go.obo")
    assert "go.obo: obsolete terms left out: 1" in caplog.text
    assert list(kb.ids) == ["GO:0000001", "GO:0000003"]
    first = kb.entity(0)
    assert [alias.text for alias in first.aliases] == ["mitochondrial inheritance", "wider", "related one"]
    assert first.descriptions == {"": 'The "distribution" of mitochondria.'}
    assert first.types == ("biological_process",) and kb.types(1) == ("gene_ontology",)
    assert first.alt_ids == ("GO:0019952", "UMLS:C0001", "Wikipedia:Mitochondrion")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('synonym: "wider" BROAD', 'synonym: "wider BROAD', r"line 15: not OBO: expected .*\(column \d+\)"),
        ("name: bare", "name", "line 28: not OBO"),
        ("name: bare", "name: caf\udce9", "line 28: not valid UTF-8: byte 0xe9"),
        ("[Typedef]", "[Typo]", "line 30: not OBO"),
    ],
)
def test_what_is_not_obo_is_refused_with_its_line(tmp_path, old, new, said):
    with pytest.raises(DataError, match=rf"go\.obo, {said}"):
        read(tmp_path, OBO.replace(old, new).encode(errors="surrogateescape"), "go.obo")


def test_a_repeated_term_is_named_by_the_line_on_which_it_begins(tmp_path):
    with pytest.raises(DataError, match=r"line 26: the id 'GO:0000001' was used before, in line 5"):
        read(tmp_path, OBO.replace("GO:0000003", "GO:0000001"), "go.obo")


def test_a_class_of_owl_keeps_what_it_says(tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        kb = read(tmp_path, TURTLE, "cats.ttl")
    assert "deprecated classes left out: 1" in caplog.text
    assert list(kb.titles) == ["cat", "Siamese cat"]
    cat = kb.entity(0)
    assert {(alias.text, alias.lang) for alias in cat.aliases} == {
        ("cat", "en"), ("Katze", "de"), ("felis", ""), ("moggy", ""),
    }  # fmt: skip
    assert cat.descriptions == {"en": "An animal that purrs."} and cat.alt_ids == ("X:1", "UMLS:C1")
    assert kb.entity(1).descriptions == {"": "A comment."} and kb.types(1) == ("cat",)


def test_an_ontology_and_a_vocabulary_are_told_apart_by_content_whatever_the_suffix(tmp_path):
    skos = "<http://x/1> a <http://www.w3.org/2004/02/skos/core#Concept> ."
    assert list(read(tmp_path, skos, "a.owl.ttl").ids) == ["http://x/1"]
    for name in ("b.ttl", "b.rdf.ttl", "b"):
        assert len(read(tmp_path, TURTLE, name)) == 2


def test_rdf_without_classes_or_concepts_says_what_is_read(tmp_path):
    with pytest.raises(DataError, match="no owl:Class with a label in the file"):
        read(tmp_path, "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n<x:o> a owl:Ontology .", "a.ttl")


@pytest.mark.parametrize(("name", "content", "package"), [("a.obo", OBO, "fastobo"), ("a.ttl", TURTLE, "pyoxigraph")])
def test_without_the_library_the_extra_is_named(tmp_path, monkeypatch, name, content, package):
    for module in ("obo", "owl", "skos", "rdf_resources"):
        monkeypatch.delitem(sys.modules, f"deixis.kb.formats.{module}", raising=False)
    monkeypatch.delitem(sys.modules, "deixis.rdf", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'deixis\[(obo|rdf)\]'"):
        read(tmp_path, content, name)


def test_damaged_terms_of_obo_can_be_left_out_each_with_its_line(tmp_path):
    damaged = (
        OBO.replace('"wider" BROAD', '"wider BROAD').replace("replaced_by", "is_a").replace("GO:0000001\n\n", "\n\n")
    )
    damaged += "\n[Term]\nid: GO:4\nname: caf\udce9\n\n[Term]\nid: GO:5\nname: whole\n"
    path = tmp_path / "go.obo"
    path.write_bytes(damaged.encode(errors="surrogateescape"))
    with pytest.raises(DataError, match=r"go\.obo, line 15: not OBO"):
        KnowledgeBase.read(path)
    kb, report = KnowledgeBase.read_with_report(path, skip_bad=True)
    assert list(kb.ids) == ["GO:0000003", "GO:5"]
    assert [each.line for each in report.skipped] == [15, 24, 36]
    assert "not valid UTF-8: byte 0xe9" in report.skipped[-1].reason


def test_a_damaged_header_of_obo_is_refused_with_its_line(tmp_path):
    with pytest.raises(DataError, match=r"go\.obo, line 2: not OBO"):
        read(tmp_path, OBO.replace("data-version:", "data-version"), "go.obo")


def test_an_ontology_with_entities_as_protege_writes_it_is_refused_with_the_way_out(tmp_path):
    prolog = '<?xml version="1.0"?>\n<!DOCTYPE rdf:RDF [\n    <!ENTITY owl "http://www.w3.org/2002/07/owl#" >\n]>\n'
    rest = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:owl="&owl;"></rdf:RDF>\n'
    with pytest.raises(DataError, match=r"line 2: the DOCTYPE has declarations .*robot convert --input .*\.ttl.*\.obo"):
        read(tmp_path, prolog + rest, "pizza.owl")
