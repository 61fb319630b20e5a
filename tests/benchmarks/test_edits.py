"""Models with edits compared, what edits cost, and that the journal loses nothing, each on something small."""

import sys

import numpy as np
import pytest

from benchmarks.quality import edits
from benchmarks.quality.edited_lists import chosen_rows, with_titles_only
from benchmarks.quality.edits import compared, task_of, tree_ways
from benchmarks.reliability import journal
from benchmarks.reliability.journal import CONTROL, GUARDED, SUITE, failures
from benchmarks.speed import bench_edits
from deixis.evaluation.rows import ResultRow
from deixis.kb.knowledge_base import KnowledgeBase


def test_fewer_chosen_entities_are_among_more():
    assert set(chosen_rows(1000, 1)) < set(chosen_rows(1000, 5)) < set(chosen_rows(1000, 20))


def test_an_entity_with_its_title_only_has_neither_aliases_nor_description():
    kb = KnowledgeBase.from_records(
        [{"id": str(n), "title": f"T{n}", "aliases": ["a"], "description": "d"} for n in range(2)]
    )
    first, second = with_titles_only(kb, np.array([1])).entities()
    assert (len(first.aliases), len(second.aliases), second.gloss, second.title) == (1, 0, "", "T1")


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    pytest.importorskip("yaml")
    edits_cache = tmp_path_factory.mktemp("models")
    return task_of("demo", "dev", 50, edits_cache)


@pytest.mark.parametrize("kind", edits.KINDS)
def test_every_kind_of_edits_is_compared_with_a_model_built_anew(task, kind):
    rows = {(row.metric, row.system): row for row in compared(task, kind, 20)}
    edited, rebuilt, difference = (
        rows[f"{kind}-20/others/recall@10", system] for system in ("edits", "rebuilt", "difference")
    )
    assert edited.n == rebuilt.n > 10 and edited.value > 0.5
    assert difference.value == pytest.approx(edited.value - rebuilt.value, abs=2e-4)
    assert ("removed-20/shown", "edits") not in rows or rows["removed-20/shown", "edits"].value == 0


def test_ways_to_score_beside_the_tree_differ_in_the_tree_alone(task):
    rows = {(row.metric, row.system): row.value for row in tree_ways(task, 20)}
    assert {system for _, system in rows} == {"names", "none", "nearest", "names-none", "nearest-none"}


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL and fork")
def test_nothing_is_lost_by_killed_writers(capsys):
    options = "--kills 6 --control-kills 0 --readers 2 --changes 5 --compactions 3 --seconds 120 --dry".split()
    journal.main(options)  # so few kills need not make the controls fail
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    value = {(words[0], words[1]): words[2:] for words in lines}
    assert value["kept", "deixis"] == ["15", "of", "15"]
    zero = ("lost", "torn", "fell", "stale", "failed_readers", "compactions_lost")
    assert [value[name, "deixis"][0] for name in zero] == ["0"] * len(zero)
    assert {name: words[0] for (name, _), words in value.items() if name.startswith("fault/")} == {
        "fault/disk-full": "1",
        "fault/read-only": "1",
        "fault/cut-off": "1",
        "fault/other-model": "1",
    }


def test_a_control_that_loses_nothing_is_a_failure():
    def row(metric, system, value, unit="of 9"):
        return ResultRow(SUITE, metric, system, value, unit)

    zero = ("lost", "torn", "fell", "stale", "failed_readers", "compactions_lost")
    kept = [row("kept", GUARDED, 9), row("kept", CONTROL, 4)]
    guarded = [row(name, GUARDED, 0) for name in zero]
    assert failures([*guarded, *kept, row("lost", CONTROL, 2), row("torn", CONTROL, 1)]) == []
    assert failures([*guarded, *kept, row("lost", CONTROL, 0), row("torn", CONTROL, 1)]) == [
        "the control lost nothing: lost"
    ]


def test_what_an_edit_costs_is_measured_on_the_demo(tmp_path, capsys):
    options = ["--suite", "demo", "--edits", "2", "--texts", "2", "--repeats", "1", "--cache", str(tmp_path), "--dry"]
    assert bench_edits.main(options) == 0
    lines = capsys.readouterr().out.splitlines()
    value = {words[0]: float(words[1]) for words in map(str.split, lines)}
    assert value["seen_by_next_query"] == 2
    assert 0 < value["compact/ratio"] < 1
    assert all(value[f"{deed}/cpu-p50"] > 0 for deed in ("add", "edit", "remove"))
