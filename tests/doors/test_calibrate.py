"""From annotated documents to probabilities, and to a threshold for a wanted precision."""

import json

import pytest

METALS = ("iron", "tin", "zinc", "lead", "gold")


@pytest.fixture
def foundry(deixis_inside):
    """A folder with a list of metals and sixty annotated mentions, every third of something that the list lacks."""
    titles = [f"{metal} {number}" for number in range(12) for metal in METALS]
    entities = [{"id": f"e{number}", "title": title} for number, title in enumerate(titles)]
    documents = []
    for number, title in enumerate(titles):
        text, gold = ("bread 77", None) if number % 3 == 0 else (title, f"e{number}")
        mention = {"start": 0, "end": len(text), "entity": gold}
        documents.append({"id": f"d{number}", "text": f"{text} is here", "mentions": [mention]})
    for name, records in (("metals.jsonl", entities), ("dev.jsonl", documents)):
        lines = "".join(json.dumps(record) + "\n" for record in records)
        (deixis_inside.folder / name).write_text(lines, encoding="utf-8")
    return deixis_inside


def test_calibrate_prints_figures_and_writes_a_model_that_can_be_asked_for_a_precision(foundry):
    foundry("build", "metals.jsonl", "-o", "model", "--quiet")
    never = foundry("link", "model", "--target-precision", 0.9, stdin="gold 3", code=1)
    assert "deixis calibrate model" in never.stderr
    done = foundry("calibrate", "model", "dev.jsonl", "-o", "precise", "--report", "r.svg")
    assert "ece" in done.stdout and "coverage at precision 0.95" in done.stdout
    assert "60 held-out mentions it links" in done.stderr
    assert (foundry.folder / "r.svg").read_text(encoding="utf-8").startswith("<svg")
    linked = foundry("link", "precise", "--target-precision", 0.9, stdin="gold 3 is here")
    assert "for a precision of 0.9" in linked.stderr
    (mention,) = json.loads(linked.stdout)["mentions"]
    assert mention["entity"] == "e19" and 0.5 < mention["score"] < 1
    foundry("link", "model", "--target-precision", 0.9, stdin="gold 3", code=1)  # the first one is as it was


def test_calibrate_in_place_tells_programs_what_it_did(foundry):
    foundry("build", "metals.jsonl", "-o", "model", "--quiet")
    done = foundry("calibrate", "model", "dev.jsonl", "--target-precision", 0.9, "--json", "--quiet")
    summary = json.loads(done.stdout)
    assert summary["model"] == "model" and summary["mentions"] == 60 and summary["precision"] >= 0.9
    assert summary["after"]["ece"] < summary["before"]["ece"]
    assert json.loads(foundry("info", "model", "--json").stdout)["config"]["nil"]["target_precision"] == 0.9
    assert "Everything is fine." in foundry("doctor", "model").stdout


def test_calibrate_learns_when_to_link_in_texts_without_mentions_too(foundry):
    foundry("build", "metals.jsonl", "-o", "model", "--quiet")
    text = "gold 3 is here, and so is lead"
    before = json.loads(foundry("link", "model", stdin=text).stdout)["mentions"]
    kept = foundry("calibrate", "model", "dev.jsonl", "-o", "same", "--given-only")
    assert "In texts without mentions" not in kept.stderr
    assert json.loads(foundry("link", "same", stdin=text).stdout)["mentions"] == before
    done = foundry("calibrate", "model", "dev.jsonl", "-o", "taught")
    assert "of 40 mentions annotated in" in done.stderr
    after = json.loads(foundry("link", "taught", stdin=text).stdout)["mentions"]
    assert after[0]["entity"] == "e19" and after[0]["score"] != before[0]["score"]


def test_a_precision_that_cannot_be_promised_leaves_the_model_as_it_was(foundry):
    foundry("build", "metals.jsonl", "-o", "model", "--quiet")
    before = (foundry.folder / "model" / "manifest.json").read_bytes()
    few = (foundry.folder / "dev.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)[:9]
    (foundry.folder / "few.jsonl").write_text("".join(few), encoding="utf-8")
    refused = foundry("calibrate", "model", "few.jsonl", "--target-precision", 0.9, code=1)
    assert "cannot be promised" in refused.stderr
    assert (foundry.folder / "model" / "manifest.json").read_bytes() == before


def test_build_calibrates_on_a_file_of_its_own(foundry):
    refused = foundry("build", "metals.jsonl", "-o", "m", "--target-precision", 0.9, code=2)
    assert "--calibrate-on" in refused.stderr
    done = foundry("build", "metals.jsonl", "-o", "m", "--target-precision", 0.9, "--calibrate-on", "dev.jsonl")
    assert "for a precision of 0.9: by 60 held-out mentions" in done.stderr


def test_two_ways_to_say_when_to_link_are_one_too_many(foundry):
    for command in (("link", "m"), ("calibrate", "m", "dev.jsonl")):
        assert "not both" in foundry(*command, "--threshold", 0.5, "--target-precision", 0.9, code=2).stderr


def test_a_precision_is_not_promised_on_too_few_annotated_mentions(foundry):
    asked = ("build", "metals.jsonl", "-o", "m", "--mentions", "dev.jsonl", "--target-precision", 0.9)
    refused = foundry(*asked, code=1)
    assert "too few to hold 300 back" in refused.stderr and not (foundry.folder / "m").exists()
    foundry(*asked, "--set", "ranking.min_mentions=10", "--held-out", 0.7)
    assert (foundry.folder / "m").exists()
