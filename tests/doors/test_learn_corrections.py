"""From corrections to a model that heeds them: on the command line, told in words and in JSON."""

import json

import pytest

from tests.aviary import RECORDS, sightings, write_sightings

TEXT = "At dawn Ruby sang to Basalt."
RUBY = {"text": TEXT, "start": 8, "end": 12, "surface": "Ruby"}


@pytest.fixture
def wood(deixis_inside):
    """A folder with a model of stones and birds, and a text that was linked wrongly."""
    lines = "".join(json.dumps(record) + "\n" for record in RECORDS)
    (deixis_inside.folder / "kb.jsonl").write_text(lines, encoding="utf-8")
    (deixis_inside.folder / "text.txt").write_text(TEXT, encoding="utf-8")
    write_sightings(deixis_inside.folder / "dev.jsonl", sightings(20))
    deixis_inside("build", "kb.jsonl", "-o", "model", "--quiet")
    return deixis_inside


def tell(wood, name, *records):
    lines = "".join(json.dumps(record) + "\n" for record in records)
    (wood.folder / name).write_text(lines, encoding="utf-8")
    return name


def linked(wood, model="model"):
    document = json.loads(wood("link", model, "text.txt").stdout)
    return {mention["text"]: mention["entity"] for mention in document["mentions"]}


def test_corrections_are_learned_kept_and_obeyed(wood):
    before = linked(wood)["Ruby"]
    other = {"bird-Ruby": "stone-Ruby", "stone-Ruby": "bird-Ruby"}[before]
    told = tell(wood, "a.jsonl", RUBY | {"gold": other})
    done = wood("learn", "model", told, "-o", "corrected")
    assert done.stdout.strip() == "corrections: 1 new, 0 changed, 0 duplicates (1 total)"
    assert "Model written to corrected." in done.stderr and "Corrected in" in done.stderr
    assert linked(wood, "corrected")["Ruby"] == other and linked(wood)["Ruby"] == before
    assert "corrections            1" in wood("info", "corrected").stdout
    wood("doctor", "corrected")

    second = tell(
        wood, "b.jsonl", RUBY | {"not_an_entity": True}, {"text": "Onyx", "start": 0, "end": 4, "wrong": before}
    )
    done = wood("learn", "corrected", told, second, "--json", "--dev", "dev.jsonl")
    facts = json.loads(done.stdout)
    assert (facts["new"], facts["changed"], facts["known"], facts["corrections"]) == (1, 1, 1, 2)
    assert facts["learned"] == ["corrections"] and set(facts["accuracies"]) == {"before", "after"}
    assert facts["learn_seconds"] < 60 and "Ruby" not in linked(wood, "corrected")


def test_what_judged_before_and_after_is_shown(wood):
    done = wood("learn", "model", tell(wood, "a.jsonl", RUBY | {"gold": "bird-Ruby"}), "--dev", "dev.jsonl")
    assert "accuracy on --dev" in done.stdout and "before" in done.stdout and "1 new" in done.stdout


def test_mistakes_leave_the_model_as_it_was_and_are_told_with_file_and_line(wood):
    manifest = (wood.folder / "model" / "manifest.json").read_bytes()
    tell(wood, "a.jsonl", RUBY | {"gold": "bird-Ruby"}, RUBY | {"gold": "brid-Ruby"})
    failed = wood("learn", "model", "a.jsonl", code=1)
    assert "a.jsonl, line 2" in failed.stderr and "Did you mean 'bird-Ruby'" in failed.stderr
    tell(wood, "b.jsonl", RUBY | {"surface": "Pearl", "gold": "bird-Ruby"})
    assert "b.jsonl, line 1: the mention 8-12 says 'Pearl'" in wood("learn", "model", "b.jsonl", code=1).stderr
    (wood.folder / "empty.jsonl").write_text("")
    assert "there are no corrections" in wood("learn", "model", "empty.jsonl", code=1).stderr
    assert "no such file" in wood("learn", "model", "nowhere.jsonl", code=1).stderr
    assert (wood.folder / "model" / "manifest.json").read_bytes() == manifest


def test_corrections_and_annotated_documents_are_learned_one_at_a_time(wood):
    told = tell(wood, "a.jsonl", RUBY | {"gold": "bird-Ruby"})
    assert "one of both" in wood("learn", "model", code=2).stderr
    assert "one of both" in wood("learn", "model", told, "--mentions", "dev.jsonl", code=2).stderr
    assert "go with --mentions" in wood("learn", "model", told, "--rerank", code=2).stderr
    assert "go with --mentions" in wood("learn", "model", told, "--held-out-share", 0.5, code=2).stderr
