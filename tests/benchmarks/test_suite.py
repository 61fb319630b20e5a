from pathlib import Path

import pytest

from benchmarks.packages import MissingPackageError
from benchmarks.suites.suite import Suite, read_suite
from deixis.errors import ConfigError, DataError, UnknownNameError

SUITES = sorted((Path(__file__).resolve().parents[2] / "benchmarks" / "quality").glob("*.yaml"))
GOOD = {
    "name": "tiny",
    "kb": {"path": "kb.jsonl"},
    "dev": [{"name": "dev", "path": "gold.jsonl", "half": "dev"}],
    "test": [{"name": "test", "path": "gold.jsonl", "half": "test"}],
    "systems": ["exact", "brute-force"],
}


@pytest.mark.parametrize("path", SUITES, ids=lambda path: path.stem)
def test_every_suite_of_the_repository_reads_and_says_how_to_run_it(path):
    suite = read_suite(path)
    assert suite.command == f"deixis bench {suite.name}"
    assert suite.about
    assert {"exact", "brute-force", "scispacy", "bm25", "deixis-tree"} <= set(suite.systems)
    assert suite.kb.path.startswith("demo:") or suite.files, "a file without a checksum may be another file"


@pytest.mark.parametrize("path", SUITES, ids=lambda path: path.stem)
def test_no_suite_asks_about_one_document_in_dev_and_in_test(path):
    suite = read_suite(path)
    halves = {(part.path, part.half) for part in suite.test}
    for part in suite.dev:
        assert (part.path, "") not in halves
        assert (part.path, part.half) not in halves
        assert part.half or part.path not in {other.path for other in suite.test}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sytems": ["exact"]}, "Unknown setting sytems.*Did you mean systems"),
        ({"kb": {"path": "kb.jsonl", "fromat": "kb"}}, "Unknown setting kb.fromat.*Did you mean kb.format"),
        (
            {"kb": {"path": "kb.jsonl", "format": "mello"}},
            "kb.format must be one of 'kb', 'melo', 'wordnet', 'geonames', got 'mello'",
        ),
        ({"dev": [{"name": "dev", "path": "x", "half": "left"}]}, "dev.half must be one of"),
        ({"dev": [], "test": []}, "needs documents"),
        ({"dev": [{"name": "test", "path": "x"}]}, "Two parts have one name"),
        ({"metrics": ["recall@0"]}, "Unknown metric 'recall@0'"),
        ({"files": {"kb.jsonl": "123"}}, "sha256 of 'kb.jsonl' must be 64 hexadecimal digits, got '123'"),
        ({"max_mentions": 0}, "at least 1, got 0"),
        ({"max_mentions": "many"}, "must be a whole number, got 'many'"),
        ({"expected": ["recall@1"]}, "'expected' must be a table"),
        ({"expected": {"dev": 3}}, "'expected.dev' must be a table"),
        ({"expected": {"dev": {"exact": {"recall@1": "high"}}}}, "must be a number, got 'high'"),
        ({"systems": []}, "A suite needs 'systems'"),
    ],
    ids=str,
)
def test_a_mistake_in_a_suite_is_told_with_what_is_allowed(change, words):
    with pytest.raises(ConfigError, match=words):
        Suite.from_dict(GOOD | change)


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        ({"dve": {"exact": {"recall@1": 1}}}, "No part .* named 'dve'. Known: dev, test. Did you mean 'dev'"),
        ({"dev": {"exakt": {"recall@1": 1}}}, "No system .* named 'exakt'.*Did you mean 'exact'"),
        ({"dev": {"exact": {"recall@2": 1}}}, "No metric .* named 'recall@2'"),
    ],
)
def test_an_expectation_of_something_that_is_not_measured_is_an_error(expected, words):
    with pytest.raises(UnknownNameError, match=words):
        Suite.from_dict(GOOD | {"expected": expected})


def test_an_unknown_system_is_an_error_with_a_suggestion():
    with pytest.raises(UnknownNameError, match="No system named 'brutforce'.*Did you mean 'brute-force'"):
        Suite.from_dict(GOOD | {"systems": ["brutforce"]})


def test_expected_figures_have_the_suites_tolerance_or_their_own():
    table = {"dev": {"exact": {"recall@1": 0.5, "recall@10": {"value": 0.75, "tolerance": 0.1}}}}
    suite = Suite.from_dict(GOOD | {"tolerance": 0.02, "expected": table})
    assert suite.expected_of("dev", "exact", "recall@1").tolerance == 0.02
    assert suite.expected_of("dev", "exact", "recall@10").tolerance == 0.1
    assert suite.expected_of("test", "exact", "recall@10") is None


def test_nobody_learns_from_the_documents_that_are_asked_about():
    suite = Suite.from_dict(GOOD | {"mentions": "gold.jsonl", "test": [{"name": "test", "path": "other.jsonl"}]})
    assert suite.teaching("dev") == ""
    assert suite.teaching("test") == "gold.jsonl"


def test_there_are_two_splits():
    suite = Suite.from_dict(GOOD)
    assert [part.half for part in suite.parts("test")] == ["test"]
    with pytest.raises(UnknownNameError, match="No split named 'train'"):
        suite.parts("train")


def test_the_depth_is_that_of_the_deepest_metric():
    assert Suite.from_dict(GOOD | {"metrics": ["recall@5", "recall@50", "recall@9"]}).depth == 50


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name: [tiny", "tiny.yaml, line 1.*: not YAML"),
        ("just words", "a suite is a table of settings"),
        ("name: tiny\nkb: {path: x}\nsystem: [exact]\n", "tiny.yaml: A suite needs 'systems'"),
        ("name: other\nkb: {path: x}\nsystems: [exact]\ndev: [{name: d, path: y}]\n", "name the file other.yaml"),
    ],
)
def test_a_bad_file_is_named(tmp_path, text, words):
    path = tmp_path / "tiny.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises((ConfigError, DataError), match=words):
        read_suite(path)


def test_without_yaml_the_line_that_installs_it_is_told(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "yaml", None)
    (tmp_path / "tiny.yaml").write_text("name: tiny\n")
    with pytest.raises(MissingPackageError, match="Reading a suite needs 'yaml'.*pip install --group bench"):
        read_suite(tmp_path / "tiny.yaml")


def test_without_bm25s_the_line_that_installs_it_is_told(monkeypatch):
    from benchmarks.systems.bm25 import Bm25Names
    from deixis.kb.demo import read_demo

    monkeypatch.setitem(__import__("sys").modules, "bm25s", None)
    with pytest.raises(MissingPackageError, match="pip install --group bench"):
        Bm25Names.build(read_demo())
