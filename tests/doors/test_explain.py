"""`deixis explain` by console."""

import json

import pytest

from deixis.linker import Linker


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("To save Troy, Paris had to be sacrificed.", encoding="utf-8")
    return path


def test_every_mention_is_explained_for_people(deixis_inside, model, text):
    told = deixis_inside("explain", model, text).stdout
    assert "Troy means Troy (troy)" in told and "Paris" in told
    assert "together" in told and "through the tree" in told and "the mention is its name 'Troy'" in told


def test_one_mention_by_its_text_or_place_is_the_same(deixis_inside, model, text):
    by_text = deixis_inside("explain", model, text, "--mention", "Troy", "--json").stdout
    assert by_text == deixis_inside("explain", model, text, "--at", "8:12", "--json").stdout
    record = json.loads(by_text)
    assert record["entity"]["id"] == "troy" and record["start"] == 8
    assert sum(part["contribution"] for part in record["entity"]["parts"]) == pytest.approx(record["entity"]["total"])


def test_why_not_another(deixis_inside, model, text):
    told = deixis_inside("explain", model, text, "--mention", "Troy", "--entity", "nowhere", code=1).stderr
    assert "No entity of the knowledge base has the id 'nowhere'" in told


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--mention", "Troy", "--at", "8:12"], 2, "not both"),
        (["--at", "eight"], 2, "such as 14:19"),
        (["--mention", "Rome"], 1, "does not stand in the text"),
        (["--at", "8:99"], 1, "inside the text"),
    ],
)
def test_what_is_wrong_is_told(deixis_inside, model, text, arguments, code, words):
    assert words in deixis_inside("explain", model, text, *arguments, code=code).stderr


def test_why_something_is_not_linked_is_told(deixis_inside, model, text):
    told = deixis_inside("explain", model, text, "--mention", "Pari").stdout
    assert "not detected as a mention" in " ".join(told.split())
    assert "if it were given as a mention" in told


TROY = "To save Troy, Paris had to be sacrificed."
GOLD = {
    "gold": [("troy", 8, 12), ("paris_trojan", 14, 19)],
    "another gold": [("london", 8, 12), ("paris_city", 14, 19)],
    "gold that the list lacks": [("Q22647", 8, 12)],
    "no gold": [(..., 8, 12), (..., 14, 19)],
    "NIL": [(None, 8, 12), (None, 14, 19)],
    "no candidates": [("troy", 3, 7), ("troy", 8, 12)],
    "no mentions": [],
}


@pytest.mark.parametrize("annotated", GOLD)
@pytest.mark.parametrize("threshold", [None, 0.0, 0.9, 1.0])
def test_it_says_what_link_says_whatever_the_documents_say(deixis_inside, model, tmp_path, annotated, threshold):
    mentions = [
        {"start": start, "end": end} | ({} if entity is ... else {"entity": entity})
        for entity, start, end in GOLD[annotated]
    ]
    record = {"id": "d", "text": TROY} | ({"mentions": mentions} if mentions else {})
    path = tmp_path / "annotated.jsonl"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    if threshold is not None:
        Linker.load(model).with_options(threshold=threshold).save(tmp_path / "model")
        model = tmp_path / "model"
    linked = json.loads(deixis_inside("link", model, path).stdout)["mentions"]
    explained = list(map(json.loads, deixis_inside("explain", model, path, "--json").stdout.splitlines()))
    said = {(each["start"], each["end"]): each["entity"]["id"] if each["is_linked"] else None for each in explained}
    assert said == {(each["start"], each["end"]): each.get("entity") for each in linked if each.get("candidates")}
    for each in explained:
        (mention,) = [one for one in linked if (one["start"], one["end"]) == (each["start"], each["end"])]
        assert each["entity"]["id"] == mention["candidates"][0]["id"]
        assert each["entity"]["probability"] == pytest.approx(mention["score"], abs=1e-4)


@pytest.mark.parametrize(
    "typed",
    [("--threshold", 0.99), ("--ids", "ids.txt"), ("--overlaps", "keep"), ("--threshold", 0, "--ids", "ids.txt")],
    ids=str,
)
@pytest.mark.parametrize("is_raw", [True, False], ids=["raw", "given"])
def test_it_says_what_link_says_with_the_same_options(deixis_inside, model, tmp_path, typed, is_raw):
    (tmp_path / "ids.txt").write_text("london\nparis_city\n", encoding="utf-8")
    mentions = [] if is_raw else [{"start": 8, "end": 12}, {"start": 14, "end": 19}]
    path = tmp_path / "asked.jsonl"
    path.write_text(json.dumps({"id": "d", "text": TROY, "mentions": mentions}) + "\n", encoding="utf-8")
    linked = json.loads(deixis_inside("link", model, path, *typed).stdout)["mentions"]
    explained = list(map(json.loads, deixis_inside("explain", model, path, "--json", *typed).stdout.splitlines()))
    said = {(each["start"], each["end"]): each["entity"]["id"] if each["is_linked"] else None for each in explained}
    assert said == {(each["start"], each["end"]): each.get("entity") for each in linked if each.get("candidates")}
    if "--ids" in typed:
        assert {each["entity"]["id"] for each in explained} <= {"london", "paris_city"}
