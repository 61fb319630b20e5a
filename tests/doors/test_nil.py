"""From documents to entities that the list lacks: on the command line, in a table and as a list to add."""

import json

import pytest

MAILS = """\
The Zephyr Air Purifier came late, and London was closed. The Zephyr Air Purifier hums.
Two Vortex Blenders leak. Is the vortex blender in stock in Paris?
A Vortex Blender for Londen, please; Londen is far.
"""


@pytest.fixture
def mails(deixis_inside, model):
    (deixis_inside.folder / "mails.txt").write_text(MAILS, encoding="utf-8")
    return lambda *arguments, **values: deixis_inside("nil", model, *arguments, **values)


def test_the_table_has_title_counts_and_example(mails):
    done = mails("mails.txt", "--format", "lines")
    assert done.stdout.splitlines()[0].split() == ["new", "entity", "mentions", "documents", "example"]
    rows = [line.split()[:4] for line in done.stdout.splitlines()[1:]]
    assert ["Vortex", "Blender", "3", "2"] in rows
    assert mails("mails.txt", "--format", "lines").stdout == done.stdout


def test_the_list_can_be_checked_and_built_from(mails, deixis_inside):
    done = mails("mails.txt", "--format", "lines", "-o", "new.jsonl")
    assert "New entities written to new.jsonl: " in done.stderr
    records = [json.loads(line) for line in (deixis_inside.folder / "new.jsonl").read_text("utf-8").splitlines()]
    assert {"id": "vortex-blender", "title": "Vortex Blender", "count": 3, "documents": 2}.items() <= records[0].items()
    assert mails("mails.txt", "--format", "lines", "--json").stdout.count("\n") == len(records)
    checked = deixis_inside("kb", "check", "new.jsonl").stdout
    assert "Fine: this can be built." in checked and "look like other names" not in checked


def test_documents_linked_before_are_taken(mails, deixis_inside, model):
    deixis_inside("link", model, "mails.txt", "--format", "lines", "-o", "linked.jsonl")
    first, again = mails("mails.txt", "--format", "lines", "--json"), mails("linked.jsonl", "--linked", "--json")
    assert again.stdout == first.stdout != ""
    assert "leave out the options of linking" in mails("-", "--linked", "--threshold", "0.5", code=2).stderr


def test_min_count_and_top(mails):
    assert mails("mails.txt", "--format", "lines", "--json", "--top", "1").stdout.count("\n") == 1
    assert mails("mails.txt", "--format", "lines", "--json", "--min-count", "3").stdout.count("\n") == 1


@pytest.mark.parametrize("text", ["", "\n", "nothing new here"])
def test_nothing_new_is_said_in_words(deixis, model, text):
    done = deixis("nil", model, stdin=text)
    assert done.stdout == "" and "No unlinked name has 2 mentions or more" in done.stderr


def test_a_file_that_is_missing_is_named(mails):
    assert "no-such.txt" in mails("no-such.txt", code=1).stderr
