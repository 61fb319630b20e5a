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


def test_corrections_are_kept_and_obeyed(wood):
    before = linked(wood)["Ruby"]
    other = {"bird-Ruby": "stone-Ruby", "stone-Ruby": "bird-Ruby"}[before]
    told = tell(wood, "a.jsonl", RUBY | {"gold": other})
    done = wood("correct", "model", told, "-o", "corrected")
    first, second = done.stdout.strip().splitlines()
    assert first == "1 new, 0 changed, 0 duplicates (1 total)"
    assert second.endswith("of 102 sampled links changed")
    assert "Model written to corrected." in done.stderr and "Corrected in" in done.stderr
    assert linked(wood, "corrected")["Ruby"] == other and linked(wood)["Ruby"] == before
    assert "corrections            1" in wood("info", "corrected").stdout
    wood("doctor", "corrected")

    second = tell(
        wood, "b.jsonl", RUBY | {"not_an_entity": True}, {"text": "Onyx", "start": 0, "end": 4, "wrong": before}
    )
    done = wood("correct", "corrected", told, second, "--json", "--dev", "dev.jsonl")
    facts = json.loads(done.stdout)
    assert (facts["new"], facts["changed"], facts["duplicates"], facts["total"]) == (1, 1, 1, 2)
    assert set(facts["accuracies"]) == {"before", "after"}
    assert facts["sample"]["mentions"] > 100 > facts["sample"]["changed"]
    assert facts["correct_seconds"] < 60 and "Ruby" not in linked(wood, "corrected")


def test_what_judged_before_and_after_is_shown(wood):
    done = wood("correct", "model", tell(wood, "a.jsonl", RUBY | {"gold": "bird-Ruby"}), "--dev", "dev.jsonl")
    assert "accuracy on --dev" in done.stdout and "before" in done.stdout and "1 new" in done.stdout


def test_mistakes_leave_the_model_as_it_was_and_are_told_with_file_and_line(wood):
    manifest = (wood.folder / "model" / "manifest.json").read_bytes()
    tell(wood, "a.jsonl", RUBY | {"gold": "bird-Ruby"}, RUBY | {"gold": "brid-Ruby"})
    failed = wood("correct", "model", "a.jsonl", code=1)
    assert "a.jsonl, line 2" in failed.stderr and "Did you mean 'bird-Ruby'" in failed.stderr
    tell(wood, "b.jsonl", RUBY | {"surface": "Pearl", "gold": "bird-Ruby"})
    assert "b.jsonl, line 1: the mention 8-12 says 'Pearl'" in wood("correct", "model", "b.jsonl", code=1).stderr
    (wood.folder / "empty.jsonl").write_text("")
    assert "there are no corrections" in wood("correct", "model", "empty.jsonl", code=1).stderr
    assert "no such file" in wood("correct", "model", "nowhere.jsonl", code=1).stderr
    assert (wood.folder / "model" / "manifest.json").read_bytes() == manifest


def test_corrections_are_listed_as_they_are_read_and_taken_back(wood):
    before = linked(wood)
    told = tell(wood, "a.jsonl", RUBY | {"gold": "bird-Ruby", "lang": "en"}, RUBY | {"start": 21, "end": 27} | {
        "surface": "Basalt", "not_an_entity": True
    })  # fmt: skip
    wood("correct", "model", told)
    listed = wood("correct", "model", "--list").stdout
    assert [json.loads(line) for line in listed.splitlines()] == [
        RUBY | {"gold": "bird-Ruby", "lang": "en"},
        {"text": TEXT, "start": 21, "end": 27, "surface": "Basalt", "not_an_entity": True},
    ]
    (wood.folder / "all.jsonl").write_text(listed, encoding="utf-8")
    assert "0 new, 0 changed, 2 duplicates (2 total)" in wood("correct", "model", "all.jsonl").stdout
    first = tell(wood, "first.jsonl", RUBY | {"gold": "bird-Ruby"}, RUBY | {"wrong": "stone-Ruby"})
    assert wood("correct", "model", first, "--undo").stdout.strip() == "1 removed, 1 not found (1 total)"
    facts = json.loads(wood("correct", "model", "all.jsonl", "--undo", "--json").stdout)
    assert (facts["removed"], facts["not_found"], facts["total"]) == (1, 1, 0)
    assert linked(wood) == before and wood("correct", "model", "--list").stdout == ""


def test_files_or_the_list_are_asked_for(wood):
    told = tell(wood, "a.jsonl", RUBY | {"gold": "bird-Ruby"})
    assert "Missing argument 'FILES...'" in wood("correct", "model", code=2).stderr
    assert "leave out FILES" in wood("correct", "model", told, "--list", code=2).stderr


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["model", "a.jsonl", "--dev", "d.jsonl"], "deixis correct model a.jsonl --dev d.jsonl"),
        (["m", "--mentions", "t.jsonl", "-o", "b", "-q"], "deixis fit weights m --mentions t.jsonl -o b -q"),
        (
            ["m", "--mentions", "t.jsonl", "--rerank", "--rerank-max-mentions", "9", "--rerank-patience=2", "--resume"],
            "deixis fit reranker m --mentions t.jsonl --max-mentions 9 --set reranker.patience=2 --resume",
        ),
        (
            ["m", "--rerank", "--bi-encoder", "--bi-encoder-n-rounds", "1", "--mentions", "t.jsonl", "-o", "b"],
            "deixis fit encoder m --rounds 1 --mentions t.jsonl -o b && deixis fit reranker b --mentions t.jsonl",
        ),
        (["m", "--reader", "--mentions", "my t.jsonl"], "deixis fit reader m --mentions 'my t.jsonl'"),
        ([], "deixis correct MODEL"),
    ],
)
def test_learn_says_the_exact_command_that_it_became(deixis_inside, old, new):
    done = deixis_inside("learn", *old, code=2)
    assert done.stderr.rstrip().endswith(f"Run: {new}") and done.stdout == ""
    assert "learn" not in deixis_inside("--help").stdout


def test_a_correction_of_all_equal_mentions_holds_for_each(wood):
    text = "Ruby saw Ruby and Onyx."
    (wood.folder / "text.txt").write_text(text, encoding="utf-8")
    told = tell(wood, "a.jsonl", {"text": text, "start": 0, "end": 4, "gold": "stone-Pearl"})
    assert "1 new" in wood("correct", "model", told, "-o", "one").stdout
    assert "2 new" in wood("correct", "model", told, "-o", "all", "--all-equal").stdout
    document = json.loads(wood("link", "all", "text.txt").stdout)
    assert [each["entity"] for each in document["mentions"]][:2] == ["stone-Pearl"] * 2


def test_corrections_that_lower_accuracy_are_refused_with_the_way_out(wood):
    days = [f"Ruby sang, they said on day {day}." for day in range(8)]
    (wood.folder / "gold.jsonl").write_text("".join(json.dumps({"text": day}) + "\n" for day in days))
    (wood.folder / "gold.jsonl").write_text(wood("link", "model", "gold.jsonl").stdout)
    other = {"bird-Ruby": "stone-Ruby", "stone-Ruby": "bird-Ruby"}[linked(wood)["Ruby"]]
    told = tell(wood, "a.jsonl", {"text": "Ruby sang, they said.", "start": 0, "end": 4, "gold": other})
    done = wood("correct", "model", told, "--dev", "gold.jsonl", code=1)
    assert "100.0 % of 8 right before, 0.0 % after" in done.stderr and "--force" in done.stderr
    assert "corrections            1" not in wood("info", "model").stdout
    wood("correct", "model", told, "--dev", "gold.jsonl", "--force")
    assert "corrections            1" in wood("info", "model").stdout
