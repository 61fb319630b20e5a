"""`deixis link` and `deixis eval` with --type, --ids and --language."""

import json
import re

import pytest

ENTITIES = """\
{"id": "paris_city", "title": "Paris", "types": ["city"], "descriptions": {"fr": "capitale", "en": "on the Seine"}}
{"id": "paris_trojan", "title": "Paris", "types": ["person"], "descriptions": {"en": "prince of Troy"}}
{"id": "troy", "title": "Troy", "types": ["city", "ठाउँ"], "aliases": [{"text": "Troja", "lang": "de"}]}
{"id": "helen", "title": "Helen", "types": ["person"], "alt_ids": ["Q483986"]}
"""
TEXT = "To save Troy, Paris gave Helen back."
GOLD = """\
{"id": "1", "text": "To save Troy, Paris gave Helen back.", "mentions": [{"start": 8, "end": 12, "entity": "troy"}, \
{"start": 14, "end": 19, "entity": "paris_trojan"}]}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("filtering")


@pytest.fixture
def run(deixis_inside, folder):
    if not (folder / "model").exists():
        deixis_inside.folder.joinpath("typed.jsonl").write_text(ENTITIES, encoding="utf-8")
        deixis_inside("build", "typed.jsonl", "-o", folder / "model")
    deixis_inside.folder.joinpath("text.txt").write_text(TEXT, encoding="utf-8")
    deixis_inside.folder.joinpath("typed-gold.jsonl").write_text(GOLD, encoding="utf-8")
    return lambda command, *rest, **settings: deixis_inside(command, folder / "model", *rest, **settings)


def entities(done):
    return [mention["entity"] for line in done.stdout.splitlines() for mention in json.loads(line)["mentions"]]


def test_links_go_to_entities_of_a_type(run):
    assert entities(run("link", "text.txt")) == ["troy", "paris_trojan", "helen"]
    assert entities(run("link", "text.txt", "--type", "city")) == ["troy", "paris_city"]
    assert entities(run("link", "text.txt", "--type", "ठाउँ", "--type", "person")) == ["troy", "paris_trojan", "helen"]


def test_links_go_to_a_subset_of_ids(run, folder):
    (folder / "ids.txt").write_text("\ufeffQ483986\r\n\n  paris_city \n", encoding="utf-8")
    assert entities(run("link", "text.txt", "--ids", folder / "ids.txt")) == ["paris_city", "helen"]
    assert entities(run("link", "text.txt", "--ids", folder / "ids.txt", "--type", "person")) == ["helen"]
    assert entities(run("link", "text.txt", "--subset", folder / "ids.txt")) == ["paris_city", "helen"]  # its old name


def test_links_go_to_what_is_known_in_a_language(run):
    assert entities(run("link", "text.txt", "--language", "fr")) == ["paris_city", "helen"]
    assert entities(run("link", "text.txt", "--language", "fr", "--language", "de")) == ["troy", "paris_city", "helen"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--type", "cities"], "No type named 'cities'.*Did you mean 'city'"),
        (["--language", "dee"], "No language named 'dee'.*Did you mean 'de'"),
        (
            ["--type", "ठाउँ", "--language", "fr"],
            "none of the 1 that pass types 'ठाउँ' has anything in the language 'fr'",
        ),
    ],
)
def test_a_wrong_filter_is_an_error_with_a_suggestion(run, options, message):
    done = run("link", "text.txt", *options, code=1)
    assert done.stdout == ""
    assert re.search(message, " ".join(done.stderr.split()))


def test_a_subset_without_ids_or_with_wrong_ones_is_an_error(run, folder):
    (folder / "empty.txt").write_text("\n", encoding="utf-8")
    assert "has no ids" in run("link", "text.txt", "--ids", folder / "empty.txt", code=1).stderr
    (folder / "wrong.txt").write_text("Troy\nhelen\nnobody\n", encoding="utf-8")
    said = " ".join(run("link", "text.txt", "--ids", folder / "wrong.txt", code=1).stderr.split())
    assert "no entity for 2 of the 3 ids: 'Troy', 'nobody'" in said and "did you mean 'troy'" in said


def test_gold_that_the_filter_leaves_out_counts_as_unknown(run):
    def values(*options):
        done = run("eval", "typed-gold.jsonl", "--json", *options)
        rows = list(map(json.loads, done.stdout.splitlines()))
        return {row["metric"]: row["value"] for row in rows}, rows[0]["settings"], done.stderr

    everything, settings, _ = values()
    assert (everything["upper_bound"], everything["accuracy"]) == (1.0, 1.0) and "only" not in settings
    cities, settings, said = values("--type", "city")
    assert (cities["upper_bound"], cities["accuracy"], cities["recall@100"]) == (0.5, 1.0, 1.0)
    assert settings["only"] == {"types": ["city"], "n_ids": 0, "languages": []}
    assert "2 of 4 entities pass the filter" in " ".join(said.split())


def test_a_filter_needs_something_that_links(run, deixis_inside):
    gold = "typed-gold.jsonl"
    done = deixis_inside("eval", "--predictions", gold, gold, "--type", "city", code=2)
    assert "Leave out --type" in " ".join(done.stderr.split())
