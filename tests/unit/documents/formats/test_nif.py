"""NIF: datasets as GERBIL keeps them, in any order of statements."""

import io

import pytest
import rdflib

from deixis.documents.formats.nif.read import read_nif
from deixis.documents.formats.nif.write import write_nif
from deixis.errors import DataError
from deixis.types import Document, Mention

HEAD = """@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix itsrdf: <http://www.w3.org/2005/11/its/rdf#> .
@prefix nif: <http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#> .
"""
GERBIL = (
    HEAD
    + """
<http://x.org/news#char=29,40>
        a                     nif:RFC5147String , nif:String , nif:Phrase ;
        nif:anchorOf          "Philadelphia"^^xsd:string ;
        nif:beginIndex        "28"^^xsd:nonNegativeInteger ;
        nif:endIndex          "40"^^xsd:nonNegativeInteger ;
        nif:referenceContext  <http://x.org/news#char=0,41> ;
        itsrdf:taConfidence   "0.75"^^xsd:double ;
        itsrdf:taIdentRef     <http://dbpedia.org/resource/Philadelphia> , <http://www.wikidata.org/entity/Q1345> .

<http://x.org/news#char=0,23>
        a                     nif:String , nif:Phrase ;
        nif:anchorOf          "Home Intensive Care Inc" ;
        nif:beginIndex        "0"^^xsd:int ;
        nif:endIndex          23 ;
        nif:referenceContext  <http://x.org/news#char=0,41> ;
        itsrdf:taIdentRef     <http://aksw.org/notInWiki/Home_Intensive_Care_Inc> .

<http://x.org/news#char=0,41>
        a                     nif:String , nif:Context , nif:RFC5147String ;
        nif:beginIndex        "0"^^xsd:nonNegativeInteger ;
        nif:endIndex          "41"^^xsd:nonNegativeInteger ;
        nif:isString          "Home Intensive Care Inc. New Philadelphia"@en .

<http://x.org/other#offset_0_4> a nif:Context ; nif:isString "Troy" .
<http://x.org/other#w> a nif:Word ; nif:referenceContext <http://x.org/other#offset_0_4> ; nif:beginIndex 0 .
""".replace('"28"', '"29"').replace('"40"', '"41"')
)


def read(text, path="gold.ttl"):
    return list(read_nif(enumerate(text.split("\n"), start=1), path))


def written(*documents):
    stream = io.StringIO()
    assert write_nif(documents, stream) == len(documents)
    return stream.getvalue()


def test_a_dataset_of_gerbil_is_read_whatever_the_order():
    news, other = read(GERBIL)
    philadelphia = "http://dbpedia.org/resource/Philadelphia|http://www.wikidata.org/entity/Q1345"
    assert (news.id, news.lang, other) == ("http://x.org/news", "en", Document("http://x.org/other", "Troy"))
    assert news.mentions == (
        Mention(0, 23, "Home Intensive Care Inc", is_nil=True),
        Mention(29, 41, "Philadelphia", entity=philadelphia, score=0.75),
    )


def test_another_writer_and_another_syntax_change_nothing():
    graph = rdflib.Graph()
    graph.parse(data=GERBIL, format="turtle")
    for format in ("turtle", "longturtle", "nt", "xml", "pretty-xml", "json-ld"):
        again = graph.serialize(format=format)
        assert sorted(map(repr, _without_order(read(again, "gold")))) == sorted(map(repr, _without_order(read(GERBIL))))


def _without_order(documents):
    for document in documents:
        entities = ["|".join(sorted((mention.entity or "").split("|"))) for mention in document.mentions]
        yield document.id, document.text, document.lang, entities


def test_an_entity_is_also_what_the_file_says_it_is_the_same_as():
    text = phrase(4, 9, "Paris") + (
        "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n<x:P> owl:sameAs <db:Paris> , <wd:Q90> .\n"
        "<p> itsrdf:taIdentRef <x:P> .\n<x:other> owl:sameAs <db:Other> ."
    )
    (document,) = read(text)
    assert document.mentions[0].entity == "x:P|db:Paris|wd:Q90"


def phrase(begin, end, surface):
    return (
        f'{HEAD}<c> a nif:Context ; nif:isString "\U0001f600 é Paris" .\n'
        f"<p> a nif:Phrase ; nif:referenceContext <c> ; nif:beginIndex {begin} ; nif:endIndex {end} ; "
        f'nif:anchorOf "{surface}" .'
    )


@pytest.mark.parametrize(("begin", "end"), [(4, 9), (5, 10), (8, 13)], ids=["code points", "UTF-16", "UTF-8"])
def test_units_are_told_apart_by_the_anchor(begin, end):
    (document,) = read(phrase(begin, end, "Paris"))
    assert document.mentions == (Mention(4, 9, "Paris"),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (phrase(1, 3, "Paris"), "says 'Paris', but the text has"),
        (phrase(4, 90, "Paris"), "outside the text"),
        (phrase(4, "'x'", "Paris"), "whole number nif:endIndex, got 'x'"),
        (phrase(4, 9, "Paris") + "<p> nif:endIndex 8 .", "two different values of endIndex"),
        (phrase(4, 9, "Paris") + "<c> nif:isString 'other' .", "two different values of isString"),
        (phrase(4, 9, "Paris") + "<p> itsrdf:taConfidence 'high' .", "taConfidence must be a finite number"),
        (phrase(4, 9, "Paris") + "<p> itsrdf:taConfidence 'inf' .", "taConfidence must be a finite number"),
        (phrase(4, 9, "Paris") + "<q> itsrdf:taIdentRef <e> .", "<q> has no nif:referenceContext"),
        (phrase(4, 9, "Paris").replace("referenceContext <c>", "referenceContext <d>"), "<d> has no nif:isString"),
        (HEAD + "<a> a <b> .", "no nif:isString in the file"),
    ],
)
def test_what_does_not_fit_is_refused(text, words):
    with pytest.raises(DataError, match=words) as caught:
        read(text)
    assert caught.value.path == "gold.ttl"
    assert caught.value.line


TROY = "To save Troy, Paris had to be sacrificed."


def test_what_is_written_is_what_gerbil_reads():
    mentions = (
        Mention(8, 12, "Troy", is_nil=True, score=0.5),
        Mention(14, 19, "Paris", entity="http://dbpedia.org/resource/Paris_(mythology)", score=0.93),
    )
    graph = rdflib.Graph()
    graph.parse(data=written(Document("http://x.org/d1", TROY, "en", mentions)), format="turtle")
    nif = rdflib.Namespace("http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#")
    its = rdflib.Namespace("http://www.w3.org/2005/11/its/rdf#")
    context = rdflib.URIRef("http://x.org/d1#char=0,41")
    assert graph.value(context, nif.isString) == rdflib.Literal(TROY, lang="en")
    paris = rdflib.URIRef("http://x.org/d1#char=14,19")
    assert graph.value(paris, nif.referenceContext) == context
    assert graph.value(paris, nif.beginIndex).toPython() == 14
    assert str(graph.value(paris, its.taIdentRef)) == "http://dbpedia.org/resource/Paris_(mythology)"
    assert float(graph.value(paris, its.taConfidence)) == 0.93
    troy = graph.value(rdflib.URIRef("http://x.org/d1#char=8,12"), its.taIdentRef)
    assert str(troy) == "http://aksw.org/notInWiki/Troy"


@pytest.mark.parametrize(
    "name", ["d1", "letter 5/a", "http://x.org/d#2", "MESH:D1", "Zürich", "urn:deixis:entity:x", "%41"]
)
def test_ids_that_are_no_iris_come_back_as_they_were(name):
    document = Document(name, TROY, mentions=(Mention(14, 19, "Paris", entity=name),))
    assert read(written(document)) == [document]


def test_phrases_of_one_span_stay_apart_and_a_phrase_may_be_the_whole_text():
    mentions = tuple(Mention(0, 5, "Paris", entity=name) for name in ("Q90", "Q167646"))
    assert read(written(Document("d", "Paris", mentions=mentions))) == [Document("d", "Paris", mentions=mentions)]


def test_alternatives_are_written_as_several_entities():
    document = Document("d", "Paris", mentions=(Mention(0, 5, "Paris", entity="Q90|Q167646"),))
    text = written(document)
    assert "<urn:deixis:entity:Q90> , <urn:deixis:entity:Q167646>" in text
    assert read(text) == [document]


def test_a_span_that_no_text_could_have_is_a_part_of_the_name():
    name = f"http://x.org/1#char=0,{'9' * 5000}"
    rows = f'{HEAD}<{name}> a nif:Context ; nif:isString "Paris" .'.splitlines()
    assert [document.id for document in read_nif(enumerate(rows, start=1), "x.ttl")] == [name]


def test_iris_that_are_given_for_entities_are_written_as_they_are():
    stream = io.StringIO()
    document = Document("http://x.org/1", "Troy", mentions=(Mention(0, 4, "Troy", "a|b"),))
    write_nif([document], stream, iris_of=lambda entity: [f"urn:deixis:entity:{len(entity)}"])
    assert "itsrdf:taIdentRef <urn:deixis:entity:3>" in stream.getvalue()


def test_a_language_keeps_its_case():
    document = Document("d", "Paris", "pt-BR")
    assert read(written(document)) == [document]
