"""DBpedia Spotlight's dialect, by the fields of its answers and by two of its clients."""

import pytest
import rdflib
import spacy
import spotlight

from tests.unit.service.conftest import TEXT
from tests.unit.service.dialects.conftest import EVIL, PREFIXES

JSON = {"accept": "application/json"}
EMOJI = "😀 Troy fell"


@pytest.fixture(scope="module", params=PREFIXES)
def prefix(request):
    return request.param


def annotated(client, text, path="/rest/annotate", **fields):
    return client.get(path, params={"text": text, **fields}, headers=JSON).json()


def test_an_annotation_has_the_fields_of_spotlight_all_of_them_texts(client, prefix):
    told = annotated(client, TEXT, confidence="0.2", support="0")
    resources = told.pop("Resources")
    assert told == {
        "@text": TEXT, "@confidence": "0.2", "@support": "0", "@types": "", "@sparql": "", "@policy": "whitelist",
    }  # fmt: skip
    score, second = resources[1].pop("@similarityScore"), resources[1].pop("@percentageOfSecondRank")
    assert resources[1] == {
        "@URI": f"{prefix}paris_trojan", "@support": "0", "@types": "person", "@surfaceForm": "Paris", "@offset": "14",
    }  # fmt: skip
    assert 0 < float(second) < 1 and 0.2 <= float(score) <= 1
    assert resources[0]["@URI"] == "http://example.org/troy"


def test_a_form_asks_for_the_same(client):
    posted = client.post("/rest/annotate", data={"text": TEXT, "confidence": "0.2"}, headers=JSON)
    assert posted.json() == annotated(client, TEXT, confidence="0.2")
    assert client.post("/rest/annotate", json={"text": TEXT}).status_code == 422


def test_where_nothing_is_found_there_are_no_resources(client):
    assert "Resources" not in annotated(client, "nothing at all")
    assert "Resources" not in annotated(client, TEXT, confidence="1")


def test_offsets_count_utf16_units_as_in_java_or_code_points_where_asked(client):
    assert annotated(client, EMOJI)["Resources"][0]["@offset"] == "3"
    assert annotated(client, EMOJI, "/rest/code-points/annotate")["Resources"][0]["@offset"] == "2"


def test_types_and_support_choose_entities(client, prefix):
    def uris(**fields):
        return [each["@URI"] for each in annotated(client, "Paris", **fields).get("Resources", [])]

    assert uris(types="person") == [f"{prefix}paris_trojan"]
    assert uris(types="person", policy="blacklist", confidence="0") == [f"{prefix}paris_city"]
    assert uris(support="9") == uris(support="0") == [f"{prefix}paris_city"]
    assert uris(support="10") == []


@pytest.mark.parametrize(
    "fields",
    [
        {"text": " "}, {"url": "http://localhost/"}, {"text": TEXT, "confidence": "much"},
        {"text": TEXT, "confidence": "2"}, {"text": TEXT, "sparql": "SELECT ?x"}, {"text": TEXT, "policy": "grey"},
        {"text": TEXT, "types": "DBpedia:Unheard"}, {"text": TEXT, "confidence": "nan"},
    ],
)  # fmt: skip
def test_what_is_not_understood_is_refused_not_passed_over(client, fields):
    assert client.get("/rest/annotate", params=fields).status_code == 422


def test_the_accept_header_decides_and_json_is_for_those_who_do_not_care(client):
    def kind(accept):
        answer = client.get("/rest/annotate", params={"text": TEXT}, headers={"accept": accept})
        return answer.headers["content-type"].partition(";")[0]

    assert kind("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8") == "text/html"
    assert kind("*/*") == kind("application/json, text/html;q=0.5") == "application/json"
    assert kind("text/turtle") == "text/turtle"


def test_a_page_has_links_and_nothing_that_runs(client):
    text = f"Zurich & {EVIL}\nMallory saw Troy"
    answer = client.get("/rest/annotate", params={"text": text}, headers={"accept": "text/html"})
    page = answer.text
    assert '<a href="https://example.org/Z?a=1&amp;b=ü"' in page and ">Zurich</a> &amp; &lt;script&gt;" in page
    assert "<br>" in page and '<a href="http://example.org/troy"' in page
    assert "<script" not in page and "javascript:" not in page
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_turtle_is_nif(client, prefix):
    answer = client.get("/rest/annotate", params={"text": TEXT}, headers={"accept": "text/turtle"})
    graph = rdflib.Graph().parse(data=answer.text, format="turtle")
    linked = graph.objects(predicate=rdflib.URIRef("http://www.w3.org/2005/11/its/rdf#taIdentRef"))
    assert {str(each) for each in linked} == {"http://example.org/troy", f"{prefix}paris_trojan"}


def test_candidates_are_listed_best_first_and_one_alone_is_no_list(client, prefix):
    told = annotated(client, "Paris and Troy", "/rest/candidates")["annotation"]
    forms = {form["@name"]: form["resource"] for form in told["surfaceForm"]}
    assert {each["@uri"] for each in forms["Paris"]} >= {f"{prefix}paris_city", f"{prefix}paris_trojan"}
    scores = [float(each["@finalScore"]) for each in forms["Paris"]]
    assert scores == sorted(scores, reverse=True)
    alone = annotated(client, "Mallory", "/rest/candidates", types=EVIL)["annotation"]["surfaceForm"]
    assert alone["@name"] == "Mallory" and alone["resource"]["@label"] == "Mallory"


def test_pyspotlight_reads_annotations_and_candidates(address, prefix):
    found = spotlight.annotate(f"{address}/rest/annotate", TEXT, confidence=0.3)
    assert [(each["surfaceForm"], each["offset"]) for each in found] == [("Troy", 8), ("Paris", 14)]
    assert found[1]["URI"] == f"{prefix}paris_trojan" and 0.3 <= found[1]["similarityScore"] <= 1
    assert spotlight.candidates(f"{address}/rest/candidates", "Paris")[0]["name"] == "Paris"
    with pytest.raises(spotlight.SpotlightException):
        spotlight.annotate(f"{address}/rest/annotate", "nothing at all")


def test_spacy_dbpedia_spotlight_makes_entities(address, prefix):
    nlp = spacy.blank("en")
    nlp.add_pipe("dbpedia_spotlight", config={"dbpedia_rest_endpoint": f"{address}/rest"})
    assert [(ent.text, ent.kb_id_) for ent in nlp(TEXT).ents] == [
        ("Troy", "http://example.org/troy"), ("Paris", f"{prefix}paris_trojan"),
    ]  # fmt: skip
    nlp.get_pipe("dbpedia_spotlight").dbpedia_rest_endpoint = f"{address}/rest/code-points"
    assert [ent.text for ent in nlp(EMOJI).ents] == ["Troy"]
