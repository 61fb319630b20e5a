"""`deixis kb coverage`: a knowledge base against gold, with nothing linked."""

import json

import pytest

KB = """\
{"id": "Q1741", "title": "Wien", "aliases": [{"text": "Vienna", "lang": "en"}], "descriptions": {"de": "Hauptstadt"}}
{"id": "Q13298", "title": "Graz", "aliases": [{"text": "Graz", "lang": "de"}]}
"""
GERMAN = """\
{"id": "1", "lang": "de", "text": "Wien, Graz, Linz", "mentions": [{"start": 0, "end": 4, "entity": "Q1741"}, \
{"start": 6, "end": 10, "entity": "Q13298"}, {"start": 12, "end": 16, "entity": "Q41329"}]}
{"id": "2", "lang": "de", "text": "Wien", "mentions": [{"start": 0, "end": 4, "entity": "Q1741"}]}
"""
ENGLISH = """\
{"id": "3", "lang": "en", "text": "Vienna, Graz", "mentions": [{"start": 0, "end": 6, "entity": "Q1741"}, \
{"start": 8, "end": 12, "entity": "Q13298"}]}
"""


@pytest.fixture
def run(deixis_inside):
    for name, text in (("cities", KB), ("german", GERMAN), ("english", ENGLISH), ("mixed", GERMAN + ENGLISH)):
        (deixis_inside.folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return deixis_inside


def values_of(text):
    rows = map(json.loads, text.splitlines())
    return {(row["suite"].rpartition("/")[2], row["metric"]): row["value"] for row in rows}


def test_a_knowledge_base_file_is_held_against_gold_language_by_language(run):
    done = run("kb", "coverage", "cities.jsonl", "mixed.jsonl", "--suite", "austria/mixed", "--json")
    values = values_of(done.stdout)
    assert values["de", "upper_bound"] == 0.75
    assert values["en", "upper_bound"] == 1.0
    assert values["en", "upper_bound_in_language"] == 0.5
    assert values["de", "entities_in_kb"] == pytest.approx(2 / 3, abs=1e-5)
    assert values["mixed", "upper_bound"] == pytest.approx(5 / 6, abs=1e-5)
    assert values["mixed", "entities_in_language"] == pytest.approx(2 / 3, abs=1e-5)


def test_the_table_names_what_is_missing(run):
    shown = run("kb", "coverage", "cities.jsonl", "mixed.jsonl").stdout
    lines = [line.split() for line in shown.splitlines()]
    assert ["de", "4", "75.0", "%", "75.0", "%", "3", "66.7", "%", "66.7", "%"] in lines
    assert "Missing, by mentions: Q41329 (1)" in shown


def test_several_files_are_told_apart_and_together(run):
    done = run("kb", "coverage", "cities.jsonl", "german.jsonl", "english.jsonl", "--suite", "x", "--json")
    values = values_of(done.stdout)
    assert values["all", "upper_bound"] == pytest.approx(5 / 6, abs=1e-5)
    suites = {json.loads(line)["suite"].split("/")[1].rpartition("-")[2] for line in done.stdout.splitlines()}
    assert suites == {"german", "english", "all"}


def test_documents_and_entities_without_languages_give_one_line(run):
    done = run("kb", "coverage", "kb.jsonl", "gold.jsonl", "--json")
    assert {metric for _, metric in values_of(done.stdout)} == {"upper_bound", "entities_in_kb"}
    assert len(done.stdout.splitlines()) == 2
    assert "has a language" in done.stderr


def test_a_model_serves_as_well_as_its_file(run, model):
    arguments = ("gold.jsonl", "--json", "--suite", "s")
    from_model = values_of(run("kb", "coverage", model, *arguments).stdout)
    assert from_model == values_of(run("kb", "coverage", "kb.jsonl", *arguments).stdout)


def test_rows_can_go_to_a_file(run):
    run("kb", "coverage", "cities.jsonl", "german.jsonl", "-o", "rows.jsonl")
    assert values_of((run.folder / "rows.jsonl").read_text(encoding="utf-8"))["de", "upper_bound"] == 0.75


def test_the_option_that_this_was_says_so(run):
    done = run("eval", "--upper-bound", "cities.jsonl", "german.jsonl", code=2)
    assert "deixis kb coverage KB DATA..." in done.stderr and "--upper-bound" not in run("eval", "--help").stdout


def test_gold_must_be_given_and_have_links(run):
    assert "DATA" in run("kb", "coverage", "cities.jsonl", code=2).stderr
    (run.folder / "bare.jsonl").write_text('{"id": "1", "text": "Wien"}\n', encoding="utf-8")
    assert "has no gold" in run("kb", "coverage", "cities.jsonl", "bare.jsonl", code=1).stderr


def test_the_knowledge_base_is_not_written_over(run):
    done = run("kb", "coverage", "cities.jsonl", "german.jsonl", "-o", "cities.jsonl", code=2)
    assert "would be written over" in done.stderr
    assert (run.folder / "cities.jsonl").read_text(encoding="utf-8") == KB
