"""One command measures every table and picture anew."""

import importlib.util
import re

import pytest

from benchmarks import figures
from benchmarks.methods import METHODS
from benchmarks.reproduce import GONE, STEPS, filling, main
from benchmarks.rows import RESULTS
from benchmarks.suites.results import read_results, row_key
from benchmarks.tables import ROOT, TABLE, matching


def suites_in_the_docs() -> set[str]:
    """The suites whose rows are shown in README or docs."""
    by_key = {row_key(row): row for row in read_results(RESULTS)}
    shown = set()
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for table in TABLE.finditer(path.read_text(encoding="utf-8")):
            names = re.search(r"suites?=(\S+)", table["spec"])
            shown.update(matching(names[1].split(","), by_key) if names else suites_of_methods())
    for named in vars(figures).values():
        if isinstance(named, dict):
            shown.update(value[0] for value in named.values() if isinstance(value, tuple))
    return shown


def suites_of_methods() -> set[str]:
    """The suites of the page of all methods."""
    methods = [method for own in METHODS.values() for method in own]
    costs = {key[0] for method in methods for key in (method.training, method.prediction) if key is not None}
    return costs | {gain.suite for method in methods for gain in method.gains}


def test_every_table_and_picture_has_a_step_that_fills_it():
    shown = suites_in_the_docs()
    assert {"wordnet/test", "xmc/yso_en", "candidates/wordnet", "service/wiki468k"} <= shown
    assert {suite for suite in shown if not filling([suite])} == set(GONE)


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.command)
def test_every_step_is_a_module_that_takes_its_arguments(step):
    _, _, module, *options = step.arguments()
    source = importlib.util.find_spec(module if module != "benchmarks" else "benchmarks.run").origin
    with open(source, encoding="utf-8") as opened:
        text = opened.read() + (RESULTS.parent / "service" / "running.py").read_text(encoding="utf-8")
    assert [each for each in options if each.startswith("--") and f'"{each}"' not in text] == []


def test_a_pattern_names_the_commands_and_nothing_runs(capsys):
    assert main(["--list", "rerank/speed"]) == 0
    assert capsys.readouterr().out == "python -m benchmarks.quality.rerank speed\n"


def test_a_pattern_that_no_suite_has_is_refused(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["wordnett"])
    assert "no step fills a suite named wordnett" in capsys.readouterr().err
