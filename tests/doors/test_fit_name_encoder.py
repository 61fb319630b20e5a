"""`deixis fit name-encoder` from a list to links across languages."""

import json

import pytest

from tests.professions import HELD_OUT, english_records, records

SOURCES = "alias,spelling,names,label_tree,descriptions,name_vectors"


@pytest.fixture
def office(deixis_inside):
    for name, lines in (("both", records()), ("english", english_records())):
        text = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in lines)
        (deixis_inside.folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return deixis_inside


def test_a_german_mention_is_linked_to_an_entity_that_has_english_names_alone(office):
    office("fit", "name-encoder", "both.jsonl", "-o", "across", "--dims", 64, "--held-out", 0, "--quiet")
    office("build", "english.jsonl", "-o", "model", "--sources", SOURCES, "--encoder", "across", "--quiet")
    german, english = HELD_OUT[0]
    document = {"id": "1", "text": german, "mentions": [{"start": 0, "end": len(german)}]}
    (office.folder / "texts.jsonl").write_text(json.dumps(document) + "\n", encoding="utf-8")
    linked = json.loads(office("link", "model", "texts.jsonl", "--threshold", 0, "--quiet").stdout)
    assert linked["mentions"][0]["candidates"][0]["id"] == english


def test_json_tells_names_target_and_recall(office):
    told = json.loads(office("fit", "name-encoder", "both.jsonl", "-o", "across", "--dims", 64, "--json").stdout)
    assert told["target"] == "en"
    assert set(told["names"]) == {"de", "en"}
    assert told["recall@10"]["de"] > 0.5
    assert told["entities"] == len(records()) - len(HELD_OUT)


def test_a_list_in_one_language_is_an_error_that_says_what_to_do(office):
    ended = office("fit", "name-encoder", "english.jsonl", "-o", "across", code=None)
    assert ended.returncode != 0
    assert "have no language" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not (office.folder / "across").exists()
