"""`python -m benchmarks` from the outside, on the shipped demo, and `deixis bench`, which runs it."""

import json
import shutil
from pathlib import Path

import pytest

from benchmarks.run import bench as command
from deixis.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
SUITES = ROOT / "benchmarks" / "quality"


@pytest.fixture
def bench(capsys):
    """Runs `python -m benchmarks`, in this process."""

    def run(*arguments, code=0):
        assert main([str(each) for each in arguments], command=command, name="python -m benchmarks") == code
        return capsys.readouterr()

    return run


@pytest.fixture
def suites(tmp_path):
    """A folder of its own with the demo suite, so that results and expectations may be written."""
    folder = tmp_path / "benchmarks" / "quality"
    folder.mkdir(parents=True)
    shutil.copy(SUITES / "demo.yaml", folder)
    return folder


def test_the_demo_gives_the_figures_it_should(bench):
    """The one suite that needs no data: what `deixis bench demo --check` tells a contributor."""
    done = bench("demo", "--check", "--suites", SUITES)
    assert "demo/dev: 256 mentions asked; 1.000 of 256 gold links are in the KB" in done.out
    assert "brute-force" in done.out
    assert "figures are as expected or better." in done.err


def test_without_a_name_suites_are_listed_with_what_they_lack(bench, tmp_path):
    done = bench("--suites", SUITES, "--data", tmp_path / "nothing", "--json")
    listed = {row["suite"]: row for row in map(json.loads, done.out.splitlines())}
    assert listed["demo"]["missing"] == []
    assert "mesh/kb.jsonl.gz" in listed["mesh-bc5cdr"]["missing"]
    assert "lacks" in bench("--suites", SUITES, "--data", tmp_path / "nothing").out


def test_a_figure_that_is_worse_fails_the_check_and_is_named(bench, suites):
    path = suites / "demo.yaml"
    head = path.read_text(encoding="utf-8").partition("\n# Written by")[0]
    path.write_text(head + "\nexpected: {dev: {exact: {recall@1: 0.99}}}\n", encoding="utf-8")
    words = "demo/dev exact recall@1: 0.3906, expected 0.9900 ± 0.01: worse"
    assert words in bench("demo", "--check", "--systems", "exact", "--suites", suites, code=1).err
    assert words in bench("demo", "--systems", "exact", "--suites", suites, code=0).err


def test_rows_are_recorded_and_expectations_written(bench, suites):
    done = bench("demo", "--systems", "exact", "--suites", suites, "--record", "--update", "--json")
    printed = [json.loads(line) for line in done.out.splitlines()]
    kept = json.loads((suites.parent / "results" / "demo" / "dev.json").read_text(encoding="utf-8"))
    assert sorted(row["metric"] for row in kept) == sorted(row["metric"] for row in printed)
    assert {row["suite"] for row in kept} == {"demo/dev"}
    assert "exact: {recall@1: 0.3906" in (suites / "demo.yaml").read_text(encoding="utf-8")


def test_uncommitted_code_is_not_recorded_and_that_is_told_before_measuring(bench, suites, monkeypatch):
    (suites.parent / ".git").mkdir()
    monkeypatch.setattr("benchmarks.run.source_commit", lambda: "abc1234+")
    arguments = ["demo", "--systems", "exact", "--suites", suites]
    refused = bench(*arguments, "--record", code=1)
    assert "uncommitted changes (it is at abc1234+)" in refused.err
    assert refused.out == ""
    assert not (suites.parent / "results").exists()
    assert "256 mentions asked" in bench(*arguments).out


def test_figures_of_another_sample_are_not_compared(bench, suites):
    arguments = ["demo", "--systems", "exact", "--suites", suites, "--max-mentions", "20"]
    assert "20 mentions asked" in bench(*arguments).out
    assert "Nothing to check" in bench(*arguments, "--check", code=1).err


@pytest.mark.parametrize("other", [("--max-mentions", "20"), ("--seed", "1")], ids=["sample", "seed"])
def test_figures_of_another_sample_are_not_written_as_expected_and_that_is_told(bench, suites, other):
    arguments = ["demo", "--systems", "exact", "--suites", suites, "--update", *other]
    assert "leave out --max-mentions and --seed" in bench(*arguments, code=2).err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["demmo", "--suites", SUITES], "No suite named 'demmo'"),
        (["demo", "--suites", SUITES, "--systems", "exakt"], "No system named 'exakt'"),
        (["demo", "--suites", SUITES, "--split", "test"], "'demo' has no test documents"),
        (["demo", "--suites", SUITES, "--systems", "deixis+mentions"], "'demo' has none of deixis+mentions on dev"),
        (["--suites", "nowhere"], "No suites in nowhere"),
        (
            ["mesh-bc5cdr", "--suites", SUITES, "--data", "nowhere"],
            "needs files that are not there: bc5cdr/dev.jsonl.gz",
        ),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_what_cannot_be_run_is_told(bench, arguments, words):
    assert words in bench(*arguments, code=1).err


def test_files_of_all_suites_are_read_before_the_first_is_run(bench, suites, tmp_path):
    text = (suites / "demo.yaml").read_text(encoding="utf-8").partition("\n# Written by")[0]
    (tmp_path / "broken.jsonl").write_text("{broken", encoding="utf-8")
    broken = text.replace("name: demo\n", "name: other\n", 1).replace("demo:sentences.jsonl", "broken.jsonl")
    (suites / "other.yaml").write_text(broken, encoding="utf-8")
    done = bench("demo", "other", "--systems", "exact", "--suites", suites, "--data", tmp_path, code=1)
    assert "broken.jsonl, line 1" in done.err and "mentions asked" not in done.out


def test_a_linker_has_its_decisions_beside_its_candidates_and_raw_text_where_all_is_annotated(bench, suites):
    path = suites / "demo.yaml"
    text = path.read_text(encoding="utf-8").partition("\n# Written by")[0]
    path.write_text(f"{text}\nall_annotated: true\n", encoding="utf-8")
    arguments = ("demo", "--systems", "exact,deixis", "--suites", suites)
    rows = [json.loads(line) for line in bench(*arguments, "--json").out.splitlines()]
    figures = {row["metric"] for row in rows if row["system"] == "deixis"}
    assert {"recall@1", "accuracy_with_nil", "inkb_micro_f1", "ece", "raw_inkb_micro_f1"} <= figures
    assert not {row["metric"] for row in rows if row["system"] == "exact"} & {"accuracy_with_nil", "inkb_micro_f1"}
    header = next(line for line in bench(*arguments).out.splitlines() if "R@1" in line)
    assert header.split("F1")[0].split() == ["R@1", "acc", "NIL"] and "raw F1" in header
