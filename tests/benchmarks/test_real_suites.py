"""The suites' own data, when it is there: `../shared/data`, or where `DEIXIS_DATA` says."""

from pathlib import Path

import pytest

from benchmarks.suites.data import DataFolder
from benchmarks.suites.questions import Questions
from benchmarks.suites.runner import Runner
from benchmarks.suites.suite import read_suite

ROOT = Path(__file__).resolve().parents[2]
SUITES = sorted((ROOT / "benchmarks" / "quality").glob("*.yaml"))
DATA = DataFolder.choose(None, beside=ROOT)


def here(path):
    suite = read_suite(path)
    if missing := DATA.missing(suite):
        pytest.skip(f"{', '.join(missing)} not there: set DEIXIS_DATA to the folder of the real data")
    return suite


@pytest.mark.parametrize("path", SUITES, ids=lambda path: path.stem)
def test_the_data_is_that_of_the_figures_and_no_document_is_on_both_sides(path):
    suite = here(path)
    DATA.check(suite)
    sides = [{d.id for part in parts for d in DATA.read_part(suite, part)} for parts in (suite.dev, suite.test)]
    assert sides[0]
    assert not sides[0] & sides[1]


def test_every_job_title_that_was_kept_means_one_concept():
    suite = here(ROOT / "benchmarks" / "quality" / "melo-de.yaml")
    kb = DATA.read_kb(suite.kb)
    questions = Questions.collect(kb, DATA.read_part(suite, suite.dev[0]))
    assert questions.upper_bound().value == 1.0
    assert set(map(len, questions.accepted)) == {1}


def test_a_real_suite_gives_the_figures_it_should():
    suite = here(ROOT / "benchmarks" / "quality" / "melo-it.yaml")
    (rows,) = Runner(DATA).run(suite, systems=["exact", "brute-force", "bm25"])
    for row in rows:
        expected = suite.expected_of("dev", row.system, row.metric)
        assert expected is None or row.value == pytest.approx(expected.value, abs=expected.tolerance)
    assert {row.system for row in rows} >= {"brute-force", "bm25"}
