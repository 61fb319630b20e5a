"""Web annotations: what W3C's model asks of them."""

import io
import json

import pytest

from deixis.documents.formats.web_annotation import QUOTE_MARGIN, annotation_page, write_web_annotation
from deixis.types import Candidate, Document, Mention

TEXT = "😀 So Paris fled Troy to see Ann, and this goes on for more than thirty-two characters."


def page(*mentions, name="d1"):
    return annotation_page(Document(name, TEXT, mentions=mentions))


def only(*mentions, name="d1"):
    (annotation,) = page(*mentions, name=name)["items"]
    return annotation


PARIS = Mention(5, 10, "Paris", "Q167646", 0.9300001, candidates=(Candidate("Q167646", 0.93, "Paris (myth)"),))


def test_a_page_and_its_annotations_have_types_and_names_of_their_own():
    whole = page(PARIS, Mention(5, 10, "Paris", "Q90"))
    assert whole["@context"][0] == "http://www.w3.org/ns/anno.jsonld"
    assert whole["type"] == "AnnotationPage" and {each["type"] for each in whole["items"]} == {"Annotation"}
    names = [whole["id"], *(each["id"] for each in whole["items"])]
    assert len(set(names)) == 3 and all(name.startswith("urn:deixis:document:d1#") for name in names)


def test_a_link_identifies_what_stands_at_its_place():
    annotation = only(PARIS)
    assert annotation["motivation"] == "identifying"
    assert annotation["body"] == {
        "type": "SpecificResource",
        "purpose": "identifying",
        "source": "urn:deixis:entity:Q167646",
        "label": "Paris (myth)",
    }
    assert annotation["itsrdf:taConfidence"] == 0.93
    assert annotation["target"]["source"] == "urn:deixis:document:d1"


def test_both_selectors_select_the_mention_in_code_points():
    position, quote = only(PARIS)["target"]["selector"]
    assert TEXT[position["start"] : position["end"]] == quote["exact"] == "Paris"
    assert TEXT.startswith(quote["prefix"] + quote["exact"] + quote["suffix"])
    assert quote["prefix"] == "😀 So " and len(quote["suffix"]) == QUOTE_MARGIN


def test_iris_stay_and_a_fragment_is_not_added_to_a_fragment():
    annotation = only(Mention(5, 10, "Paris", "http://dbpedia.org/resource/Paris"), name="http://example.org/letter")
    assert annotation["body"]["source"] == "http://dbpedia.org/resource/Paris"
    assert annotation["id"] == "http://example.org/letter#annotation-1"
    assert annotation["target"]["source"] == "http://example.org/letter"
    assert only(PARIS, name="http://example.org/a#b")["id"].count("#") == 1


def test_nil_has_no_body_and_what_is_undecided_is_only_highlighted():
    nil, undecided = only(Mention(28, 31, "Ann", is_nil=True)), only(Mention(28, 31, "Ann"))
    assert "body" not in nil and nil["motivation"] == "identifying"
    assert "body" not in undecided and undecided["motivation"] == "highlighting"


def test_alternatives_are_a_choice():
    body = only(Mention(5, 10, "Paris", "Q90|Q167646"))["body"]
    assert body["type"] == "Choice"
    assert [item["source"] for item in body["items"]] == ["urn:deixis:entity:Q90", "urn:deixis:entity:Q167646"]


def test_a_page_is_a_line_and_documents_without_mentions_have_one_too():
    stream = io.StringIO()
    assert write_web_annotation([Document("d1", TEXT), Document("d2", TEXT, mentions=(PARIS,))], stream) == 2
    pages = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [len(each["items"]) for each in pages] == [0, 1]


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")  # rdflib's own
def test_rdf_tools_understand_it():
    """With the terms that are used, spelled out as W3C's context has them: tests fetch nothing."""
    import rdflib

    anno = "http://www.w3.org/ns/oa#"
    terms = {
        "oa": anno, "as": "http://www.w3.org/ns/activitystreams#", "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
        "xsd": "http://www.w3.org/2001/XMLSchema#", "id": "@id", "type": "@type",
        "AnnotationPage": "as:OrderedCollectionPage", "Annotation": "oa:Annotation", "Choice": "as:OrderedCollection",
        "SpecificResource": "oa:SpecificResource", "TextPositionSelector": "oa:TextPositionSelector",
        "TextQuoteSelector": "oa:TextQuoteSelector", "identifying": "oa:identifying",
        "items": {"@id": "as:items", "@container": "@list"}, "body": {"@id": "oa:hasBody", "@type": "@id"},
        "target": {"@id": "oa:hasTarget", "@type": "@id"}, "source": {"@id": "oa:hasSource", "@type": "@id"},
        "selector": {"@id": "oa:hasSelector", "@type": "@id"}, "start": {"@id": "oa:start"}, "end": {"@id": "oa:end"},
        "exact": "oa:exact", "prefix": "oa:prefix", "suffix": "oa:suffix", "label": "rdfs:label",
        "motivation": {"@id": "oa:motivatedBy", "@type": "@vocab"},
        "purpose": {"@id": "oa:hasPurpose", "@type": "@vocab"},
    }  # fmt: skip
    whole = page(PARIS)
    graph = rdflib.Graph().parse(data=json.dumps(whole | {"@context": [terms, whole["@context"][1]]}), format="json-ld")
    oa = rdflib.Namespace(anno)
    (annotation,) = graph.subjects(rdflib.RDF.type, oa.Annotation)
    (body,) = graph.objects(annotation, oa.hasBody)
    assert graph.value(body, oa.hasSource) == rdflib.URIRef("urn:deixis:entity:Q167646")
    assert graph.value(annotation, oa.motivatedBy) == oa.identifying
    assert float(graph.value(annotation, rdflib.URIRef("http://www.w3.org/2005/11/its/rdf#taConfidence"))) == 0.93
