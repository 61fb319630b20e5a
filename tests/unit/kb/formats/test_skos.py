"""SKOS vocabularies in each spelling of RDF."""

import gzip
import sys

import pytest

from deixis.errors import DataError, MissingExtraError
from deixis.kb.checking.check import check_file
from deixis.kb.knowledge_base import KnowledgeBase

rdflib = pytest.importorskip("rdflib")

TURTLE = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix : <http://example.org/> .

:scheme a skos:ConceptScheme ; skos:prefLabel "Animals"@en .
:cats a skos:Concept ; skos:prefLabel "Katzen"@de , "cats"@en ; skos:altLabel "felines"@en , " " ;
  skos:hiddenLabel "kats" ; skos:definition "Animals that purr."@en ;
  skos:scopeNote "Not lions."@en , "Nicht Löwen."@de ;
  skos:notation "636.8" ; skos:inScheme :scheme ; skos:narrower :siamese .
:siamese a skos:Concept ; skos:prefLabel "Siamese cat"@en ; skos:broader :cats , :cats , :gone .
:tabby a skos:Concept ; skos:prefLabel "Getigerte Katze"@de ; skos:broader :cats .
:moggy a skos:Concept ; skos:prefLabel "moggy"@en ; owl:deprecated true ; dct:isReplacedBy :cats .
:lions a skos:Concept ; skos:prefLabel "lions"@en .
:nameless a skos:Concept .
[] a skos:Concept ; skos:prefLabel "nobody's"@en .
:pets a skos:Collection ; skos:prefLabel "pets"@en ; skos:member :cats .
"""
CATS = "http://example.org/cats"


def read(tmp_path, content, name="animals.ttl", **options):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return KnowledgeBase.read(path, **options)


def entities(kb):
    return sorted(kb.entities(), key=lambda entity: entity.id)


def test_concepts_become_entities_and_nothing_else_does(tmp_path):
    kb = read(tmp_path, TURTLE)
    assert {each.removeprefix("http://example.org/") for each in kb.ids} == {
        "cats",
        "siamese",
        "tabby",
        "lions",
        "nameless",
    }


def test_a_concept_keeps_its_labels_notes_and_place(tmp_path):
    cats = read(tmp_path, TURTLE).entity(CATS)
    assert cats.title == "cats"
    names = [(alias.text, alias.lang) for alias in cats.aliases]
    assert set(names[:2]) == {("Katzen", "de"), ("cats", "en")}
    assert names[2:] == [("felines", "en"), ("kats", "")]
    assert cats.descriptions == {"en": "Animals that purr. Not lions.", "de": "Nicht Löwen."}
    assert cats.types == ()


def test_broader_concepts_are_types_whichever_side_says_so(tmp_path):
    kb = read(tmp_path, TURTLE)
    assert kb.entity("http://example.org/siamese").types == ("cats",)
    assert kb.entity("http://example.org/tabby").types == ("cats",)


def test_titles_fall_back_to_another_language_and_to_the_address(tmp_path):
    kb = read(tmp_path, TURTLE)
    assert kb.entity("http://example.org/tabby").title == "Getigerte Katze"
    assert kb.entity("http://example.org/nameless").title == "nameless"


def test_notations_and_replaced_concepts_lead_to_the_concept(tmp_path):
    kb = read(tmp_path, TURTLE)
    assert kb.own_id("636.8") == kb.own_id("http://example.org/moggy") == CATS


@pytest.mark.parametrize(
    ("syntax", "name"),
    [
        ("turtle", "animals.ttl.gz"),
        ("xml", "animals.rdf"),
        ("pretty-xml", "animals"),
        ("nt", "animals.nt"),
        ("json-ld", "animals.jsonld"),
    ],
)
def test_every_spelling_of_rdf_gives_the_same_entities(tmp_path, syntax, name):
    written = rdflib.Graph().parse(data=TURTLE, format="turtle").serialize(format=syntax, encoding="utf-8")
    found = read(tmp_path, gzip.compress(written) if name.endswith(".gz") else written, name)
    for left, right in zip(entities(found), entities(read(tmp_path, TURTLE)), strict=True):
        assert (left.id, left.title, left.types, set(left.alt_ids)) == (
            right.id,
            right.title,
            right.types,
            set(right.alt_ids),
        )
        assert set(left.aliases) == set(right.aliases)
        assert left.descriptions.keys() == right.descriptions.keys()


@pytest.mark.parametrize("change", [lambda text: "\ufeff" + text, lambda text: text.replace("\n", "\r\n")])
def test_marks_and_line_ends_change_nothing(tmp_path, change):
    assert list(read(tmp_path, change(TURTLE)).titles) == list(read(tmp_path, TURTLE).titles)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.ttl", TURTLE + ":broken a ; .", r"a\.ttl, line 18: not Turtle: "),
        (
            "a.ttl",
            TURTLE + ":broken a skos:Concept ; skos:prefLabel",
            r"a\.ttl, line 18: not Turtle: Unexpected end",
        ),
        ("a.ttl", "", "the file is empty"),
        ("a.ttl", "@prefix : <http://example.org/> .\n:a :b :c .", "no skos:Concept in the file"),
        ("a.rdf", "<rdf:RDF", "not RDF/XML"),
        ("a.nt", "<a> <b> nonsense .", r"a\.nt, line 1: not N-Triples"),
        ("a.jsonld", "{", "not JSON-LD"),
        ("a.jsonld", '[{"@context": ["https://example.org/c.jsonld"]}]', "at another address, and nothing is fetched"),
        ("a.jsonld", '{"a": {"@context": {"@import": "x.jsonld"}}}', "not JSON-LD"),
    ],
)
def test_what_cannot_be_read_says_where_and_why(tmp_path, name, content, said):
    with pytest.raises(DataError, match=said):
        read(tmp_path, content, name)


def test_a_vocabulary_can_be_checked(tmp_path):
    (tmp_path / "animals.ttl").write_text(TURTLE, encoding="utf-8")
    report = check_file(tmp_path / "animals.ttl")
    assert report.n_entities == 5


def test_without_the_library_the_extra_is_named(tmp_path, monkeypatch):
    for name in ("deixis.kb.formats.skos", "deixis.rdf"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "pyoxigraph", None)
    with pytest.raises(
        MissingExtraError, match=r"'skos' needs 'pyoxigraph'. Install it with: pip install 'deixis\[rdf\]'"
    ):
        read(tmp_path, TURTLE)


def test_a_concept_that_cannot_be_an_entity_is_named_with_its_line(tmp_path):
    turtle = TURTLE + '\n\n<http://example.org/a\\u0007b> a skos:Concept ; skos:prefLabel "bell"@en .\n'
    with pytest.raises(DataError, match=rf"animals\.ttl, line {turtle.count(chr(10))}: 'id' holds control characters"):
        read(tmp_path, turtle)


def test_a_string_that_is_left_open_is_refused_in_bounded_time_and_memory(tmp_path):
    turtle = TURTLE + ':open skos:definition """' + "a line of text and no end\n" * 700_000
    with pytest.raises(DataError, match=r"animals\.ttl, line \d+: not Turtle: .* more than 16 MB .* left open"):
        read(tmp_path, turtle)
