"""REL's dialect, by what REL's server and its README say."""

import pytest
import requests

from deixis.linker import Linker
from deixis.service.dialects.rel import _link_record
from deixis.types import Mention
from tests.unit.service.conftest import TEXT

TROY, PARIS = "http://example.org/troy", "paris_trojan"


def test_a_text_gives_lists_of_seven(client):
    found = client.post("/rel", json={"text": TEXT, "spans": []}).json()
    assert [each[:4] for each in found] == [[8, 4, "Troy", TROY], [14, 5, "Paris", PARIS]]
    for start, length, mention, _, entity_score, span_score, tag in found:
        assert TEXT[start : start + length] == mention
        assert 0 < entity_score <= 1 and 0 < span_score <= 1 and tag in ("city", "person")


def test_spans_are_starts_and_lengths_and_only_they_are_linked(client):
    found = client.post("/rel", json={"text": TEXT, "spans": [(14, 5)]}).json()
    assert [each[:4] for each in found] == [[14, 5, "Paris", PARIS]]
    assert found[0][5] == 0.0  # REL says nothing of spans that were given
    assert client.post("/rel", json={"text": TEXT, "spans": [{"start": 14, "length": 5}]}).json() == found


def test_mentions_that_mean_nothing_are_left_out(client):
    text = "qqqq wwww"
    assert client.post("/rel", json={"text": text, "spans": [[0, 4]]}).json() == []
    assert client.post("/rel", json={"text": ""}).json() == []


def test_offsets_count_code_points(client):
    text = "😀🙂 Troy fell"
    found = client.post("/rel", json={"text": text}).json()
    assert found[0][:3] == [3, 4, "Troy"]
    assert client.post("/rel", json={"text": text, "spans": [[3, 4]]}).json()[0][:3] == [3, 4, "Troy"]


def test_ampersands_stay_as_they_are(client):
    text = "A &amp; B saw Troy"
    assert client.post("/rel", json={"text": text}).json()[0][:2] == [text.index("Troy"), 4]


@pytest.mark.parametrize("spans", [[[0, 0]], [[40, 5]], [[-3, 2]], [[1]], [[1, 2, 3]], ["Troy"], [{"start": 1}]])
def test_spans_outside_of_the_text_are_refused(client, spans):
    assert client.post("/rel", json={"text": TEXT, "spans": spans}).status_code == 422


def test_the_call_of_rels_readme_works(address):
    found = requests.post(address, json={"text": TEXT, "spans": []}, timeout=30).json()
    assert [each[3] for each in found] == [TROY, PARIS]
    assert requests.get(f"{address}/rel", timeout=30).json()["message"] == "up"


def test_confidences_are_those_of_entity_and_span_where_they_are_known_apart(linker_folder):
    kb = Linker.load(linker_folder).kb
    mention = Mention(8, 12, "Troy", TROY, 0.4, mention_score=0.5, entity_score=0.8)
    assert _link_record(kb, mention, is_given=False)[4:6] == [0.8, 0.5]
