"""Growing lists are nested, exponents are slopes, and memory is counted by stage."""

import gzip
import json

import numpy as np
import pytest

from benchmarks.scale.build_curve import exponent, fitted_rows, size_rows, stage_rows
from benchmarks.scale.lists import FIRST, FURTHER, borrowed, entities, recombined, write_list
from benchmarks.scale.memory import Sampler, memory
from benchmarks.suites.data import DataFolder
from deixis.progress import listening, stage


@pytest.fixture
def data(tmp_path):
    """Six entities with descriptions, and three further names."""
    first = [{"id": f"w{n}", "title": f"City {n}", "description": f"City {n} is old."} for n in range(6)]
    lists = {FIRST: first, FURTHER[0]: [{"id": 1, "title": "Andorra la Vella", "aliases": ["AD"] * 9}]}
    lists[FURTHER[1]] = [{"id": "7", "title": "Bourbon Restoration"}, {"id": "8", "title": "Opera"}]
    for name, records in lists.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        with gzip.open(path, "wt", encoding="utf-8") as lines:
            lines.write("".join(f"{json.dumps(record)}\n" for record in records))
    return DataFolder(tmp_path)


def test_a_smaller_list_is_the_beginning_of_a_larger_one(data):
    lists = [list(entities(n, data)) for n in (3, 6, 8, 20)]
    assert [len(each) for each in lists] == [3, 6, 8, 20]
    assert all(longer[: len(shorter)] == shorter for shorter, longer in zip(lists, lists[1:], strict=False))
    assert sorted(each["id"] for each in lists[1]) == [f"w{n}" for n in range(6)]


def test_further_entities_have_real_names_first_and_borrowed_descriptions(data):
    further = list(entities(20, data))[6:]
    assert [each["title"] for each in further[:3]] == ["Andorra la Vella", "Bourbon Restoration", "Opera"]
    assert len(further[0]["aliases"]) == 4
    assert all(each["description"] == f"{each['title']} is old." for each in further)
    assert len({each["id"] for each in further}) == len(further)


def test_a_list_is_written_once(data, tmp_path):
    path = write_list(tmp_path / "lists" / "5.jsonl", 5, data)
    assert len(path.read_text(encoding="utf-8").splitlines()) == 5
    path.write_text("kept", encoding="utf-8")
    assert write_list(path, 5, data).read_text(encoding="utf-8") == "kept"


def test_names_are_recombined_by_halves():
    assert recombined("Opera", "New York City") == "Opera York City"
    assert borrowed({"title": "Rome", "description": "Rome, old Rome."}, "Ur") == "Ur, old Ur."


def test_an_exponent_is_the_slope_of_the_logarithms():
    sizes = np.array([10, 100, 1000])
    assert exponent(sizes, 3 * sizes**1.1) == pytest.approx(1.1)
    assert fitted_rows([10], [], []) == []


def test_rows_have_costs_per_million_and_per_entity():
    use = {"cpu": 2.0, "anonymous": 3_000_000, "total": 5_000_000}
    built = {"n_entities": 1000, "cpu": 3.6, "anonymous": 4e6, "before": 1e6, "peak": 6e6, "disk": 2e6}
    built |= {"n_names": 1500, "name_bytes": 20_000}
    built["stages"] = {"reading": use, "training": use | {"anonymous": 4_000_000}}
    asked = {"n_mentions": 7, "cpu_us": [3.0, 1.0, 2.0], "recall@1": 0.5, "recall@10": 1.0}
    rows = {row.metric: row for row in size_rows(1000, built, asked)}
    assert rows["build_cpu_per_million"].value == 1.0
    assert rows["anonymous_per_entity"].value == 3.0
    assert (rows["names_per_entity"].value, rows["name_bytes_per_entity"].value) == (1.5, 20.0)
    assert (rows["query_cpu"].low, rows["query_cpu"].value, rows["query_cpu"].high) == (1.0, 2.0, 3.0)
    assert [row.system for row in stage_rows(1000, built)] == ["training", "training", "reading", "reading"]


def test_memory_and_cpu_belong_to_the_innermost_stage():
    sampler = Sampler()
    with sampler.watching(), listening(sampler), stage("outer"):
        with stage("inner"):
            held = np.ones(30_000_000, dtype=np.uint8)
        assert held.sum() == 30_000_000
    assert set(sampler.stages) >= {"outer", "inner"}
    assert sampler.stages["inner"].anonymous > memory()["RssAnon"] - 60_000_000
    assert all(use.cpu >= 0 for use in sampler.stages.values())
