"""The list of a model changed on the command line: at once, for good, one after the other, and back again."""

import json
import os
import subprocess
import sys

import pytest

FLED = '{"text": "Paris fled.", "start": 0, "end": 5, "gold": "paris_trojan"}\n'


@pytest.fixture
def town(deixis_inside, own_model):
    """A folder with a model of its own."""
    (deixis_inside.folder / "fled.jsonl").write_text(FLED)
    (deixis_inside.folder / "text.txt").write_text("Paris fled. From London to Sparta.\nParis fled.\n")
    return deixis_inside


def links(town, model="model"):
    lines = town("link", model, "text.txt", "--lines").stdout.splitlines()
    return [(each["text"], each["entity"], each["score"]) for line in lines for each in json.loads(line)["mentions"]]


def test_an_entity_is_added_edited_removed_and_everything_undone(town):
    before = links(town)
    done = town("kb", "add", "model", "--id", "sparta", "--title", "Sparta", "--reason", "was NIL", "--author", "eve")
    assert done.stdout == "change 1 (add by eve): 1 entity added\n  + sparta  Sparta\n"
    assert "sparta" in [entity for _, entity, _ in links(town)]
    town("kb", "edit", "model", "sparta", "--description", "city of Helen", "--field", "count=3", "--field", "url=")
    town("kb", "alias", "model", "london", "Londres", "--lang", "fr")
    town("kb", "alias", "model", "london", "the Smoke", "--remove")
    town("correct", "model", "fled.jsonl")
    removed = json.loads(town("kb", "remove", "model", "troy", "paris_trojan", "--json").stdout)
    assert (removed["generation"], [item["kind"] for item in removed["items"]]) == (
        6,
        ["entity", "entity", "correction"],
    )
    log = town("kb", "log", "model").stdout.splitlines()
    assert len(log) == 6
    assert log[-1].endswith("change 1 (add by eve): 1 entity added  # was NIL")
    assert "~ london  London: aliases" in town("kb", "diff", "model", "2", "4").stdout
    town("kb", "undo", "model", "1-6")
    assert links(town) == before
    assert json.loads(town("kb", "log", "model", "--last", "1", "--json").stdout)["undoes"] == [1, 6]


def test_undo_after_correct_restores_the_same_answers(town):
    before = links(town)
    done = town("correct", "model", "fled.jsonl")
    assert done.stdout.startswith("1 new, 0 changed, 0 duplicates (1 total)\n") and "change 1 (correct" in done.stderr
    assert links(town) != before
    town("kb", "undo", "model")
    assert links(town) == before
    town("correct", "model", "fled.jsonl")
    assert town("correct", "model", "fled.jsonl", "--undo").stdout == "1 removed, 0 not found (0 total)\n"
    assert links(town) == before


def test_a_list_that_changed_is_synced_and_what_people_did_stays(town):
    town("kb", "add", "model", "--title", "Sparta")
    (town.folder / "new.csv").write_text(
        "id,title,description\nparis_city,Paris,capital of France\nlondon,London,\ntroy,Troy,\nrome,Rome,\n"
    )
    plan = town("kb", "sync", "model", "new.csv", "--dry-run", "--quiet").stdout
    assert plan.splitlines()[0] == "1 entity added, 1 entity removed, 3 entities changed"
    assert "  + rome  Rome" in plan and "  - paris_trojan  Paris" in plan
    assert len(town("kb", "log", "model").stdout.splitlines()) == 1
    assert "change 2 (sync" in town("kb", "sync", "model", "new.csv", "--quiet").stdout
    assert town("kb", "sync", "model", "new.csv", "--quiet").stdout == "nothing to change\n"
    (town.folder / "rest.csv").write_text("id,title\nlondon,London\n")
    assert "Is it the right list?" in town("kb", "sync", "model", "rest.csv", code=1).stderr
    town("kb", "sync", "model", "rest.csv", "--force")
    assert json.loads(town("info", "model", "--json").stdout)["entities"] == 2


def test_build_does_not_drop_changes_without_a_word(town):
    town("correct", "model", "fled.jsonl")
    after = links(town)
    done = town("build", "kb.jsonl", "-o", "model", code=1)
    assert "has 1 changes since" in done.stderr and "kb sync" in done.stderr
    town("compact", "model")
    os.remove("model.journal")
    assert "has 1 corrections, which would be lost" in town("build", "kb.jsonl", "-o", "model", code=1).stderr
    assert links(town) == after
    town("kb", "add", "model", "--title", "Sparta")
    town("build", "kb.jsonl", "-o", "model", "--discard-changes")
    assert sorted(each.name for each in town.folder.glob("model*")) == ["model", "model.journal.old"]
    assert links(town) != after


def test_compaction_calibration_and_changes_go_together(town):
    town("kb", "add", "model", "--title", "Sparta")
    town("correct", "model", "fled.jsonl")
    facts = json.loads(town("info", "model", "--json").stdout)
    assert (facts["entities"], facts["generation"], facts["uncompacted_changes"]) == (5, 2, 2)
    assert (facts["edited_entities"], facts["corrections"]) == (1, 1)
    after = links(town)
    town("compact", "model")
    facts = json.loads(town("info", "model", "--json").stdout)
    assert (facts["entities"], facts["generation"], facts["uncompacted_changes"]) == (5, 2, 0)
    assert links(town) == after
    assert "model.journal" in town("doctor", "model").stdout
    town("calibrate", "model", "gold.jsonl", "--threshold", "0.9", code=None)
    town("kb", "undo", "model", "1")
    assert "Sparta" not in [entity for _, entity, _ in links(town)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["add", "model"], "Give files of entities, or --title"),
        (["edit", "model", "troy"], "Say what to change"),
        (["edit", "model", "troy", "--field", "count"], "write NAME=VALUE"),
        (["undo", "model", "x"], "'x' is no change"),
    ],
)
def test_wrong_usage_is_told(town, arguments, words):
    assert words in town("kb", *arguments, code=2).stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["add", "model", "--title", "x", "--id", "troy"], "the id 'troy' is in the list already"),
        (["edit", "model", "Troy", "--title", "x"], "Did you mean 'troy'?"),
        (["edit", "model", "troy", "--field", "count=many"], "'count' must be a whole number"),
        (["undo", "model"], "no change to undo"),
    ],
)
def test_a_wish_that_cannot_be_is_an_error_with_the_way_out(town, arguments, words):
    assert words in town("kb", *arguments, code=1).stderr


def test_a_journal_that_cannot_be_read_is_named_by_every_command(town):
    (town.folder / "model.journal").write_text("no journal at all " * 100)
    for arguments in (("link", "model", "text.txt"), ("kb", "log", "model"), ("info", "model"), ("doctor", "model")):
        done = town(*arguments, code=1)
        assert "The model itself is whole" in done.stderr + done.stdout


def test_corrections_of_three_processes_at_once_are_all_kept(town):
    program = (
        "import sys\nfrom deixis.cli.main import main\n"
        "for number in range(20):\n"
        "    name = f'{sys.argv[1]}-{number}'\n"
        '    text = \'{"text": "Paris \' + name + \'", "start": 0, "end": 5, "gold": "paris_city"}\'\n'
        "    open(name, 'w').write(text)\n"
        "    assert main(['correct', 'model', name, '--quiet', '--threads', '1']) == 0\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", program, name], cwd=town.folder) for name in ("a", "b", "c")]
    assert [writer.wait(300) for writer in writers] == [0, 0, 0]
    assert len(town("correct", "model", "--list").stdout.splitlines()) == 60
