from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.suites.data import DataFolder
from benchmarks.suites.questions import Questions
from benchmarks.suites.runner import Answers, Runner, able_systems, ask_all, ratio_rows
from benchmarks.suites.suite import Suite
from benchmarks.systems.exact import ExactNames
from deixis.errors import DataError, MissingExtraError, UnknownNameError
from deixis.kb.demo import read_demo
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Candidate, Document, Mention

VALUES = {
    "name": "tiny",
    "kb": {"path": "demo:entities.jsonl"},
    "dev": [{"name": "left", "path": "demo:sentences.jsonl", "half": "dev"}],
    "test": [{"name": "right", "path": "demo:sentences.jsonl", "half": "test"}],
    "systems": ["exact", "brute-force", "prior"],
    "metrics": ["recall@1", "recall@10"],
}
SUITE = Suite.from_dict(VALUES)


@pytest.fixture
def runner() -> Runner:
    return Runner(DataFolder(Path("nowhere")))


def by_key(rows):
    return {(row.system, row.metric): row for row in rows}


def test_a_run_gives_recall_costs_and_the_upper_bound_of_every_system(runner):
    (rows,) = runner.run(SUITE)
    found = by_key(rows)
    assert {row.suite for row in rows} == {"tiny/left"}
    assert found["knowledge-base", "upper_bound"].value == 1.0
    for system in ("exact", "brute-force"):
        assert 0 < found[system, "recall@1"].value < found[system, "recall@10"].value <= 1
        assert found[system, "recall@1"].low <= found[system, "recall@1"].value <= found[system, "recall@1"].high
        assert found[system, "build_cpu"].unit == "s"
        assert found[system, "answer_cpu"].low > 0
    assert found["exact", "recall@1"].settings["split"] == "dev"
    assert found["exact", "recall@1"].settings["n_asked"] == found["exact", "recall@1"].n


def test_a_system_is_left_out_where_there_is_not_what_it_needs():
    bare = KnowledgeBase.from_records([{"id": "a", "title": "A"}])
    suite = Suite.from_dict(VALUES | {"systems": ["exact", "prior", "deixis+mentions"]})
    assert able_systems(suite, "dev", bare) == ["exact"]
    assert able_systems(suite, "dev", read_demo()) == ["exact", "prior"], "the demo counts its entities"
    taught = replace(suite, mentions="more.jsonl")
    assert able_systems(taught, "dev", bare) == ["exact", "prior", "deixis+mentions"]
    assert able_systems(taught, "dev", bare, ["prior"]) == ["prior"]


def test_a_system_is_built_once_for_all_suites_with_its_knowledge_base(runner):
    list(runner.run(SUITE, systems=["exact"]))
    first = runner._built["exact", ""]
    list(runner.run(SUITE, "test", systems=["exact"]))
    assert runner._built["exact", ""] is first


def test_the_same_run_gives_the_same_recall(runner):
    def recalls():
        (rows,) = Runner(runner.data).run(SUITE, systems=["brute-force"], max_mentions=30)
        return [(row.metric, row.value, row.low, row.high, row.n) for row in rows if row.unit == "share"]

    assert recalls() == recalls()
    assert recalls()[1][-1] == 30


def test_a_split_without_documents_is_an_error(runner):
    with pytest.raises(DataError, match="'tiny' has no test documents"):
        list(runner.run(Suite.from_dict(VALUES | {"test": []}), "test"))


def test_documents_without_any_known_entity_are_an_error_and_not_a_zero(runner, tmp_path):
    (tmp_path / "gold.jsonl").write_text(
        '{"id": "d", "text": "Xy", "mentions": [{"start": 0, "end": 2, "entity": "?"}]}'
    )
    strange = Suite.from_dict(VALUES | {"dev": [{"name": "left", "path": str(tmp_path / "gold.jsonl")}]})
    with pytest.raises(DataError, match="gold.jsonl: no mention has an entity of the knowledge base"):
        list(runner.run(strange, systems=["exact"]))


class Oracle:
    """Knows one answer; notes what it was asked."""

    def __init__(self):
        self.asked = []

    def generate(self, mentions, k):
        self.asked.append((len(mentions), k))
        return [[Candidate("Q90", 1.0)] for _ in mentions]


def test_all_systems_are_asked_the_same_in_rounds():
    kb = read_demo()
    name = kb.ids[0]
    documents = [Document(str(n), "x", mentions=(Mention(0, 1, "x", entity=name),)) for n in range(12)]
    first, second = Oracle(), Oracle()
    answers = ask_all(Questions.collect(kb, documents), {"first": first, "second": second}, depth=50)
    assert first.asked == second.asked
    assert first.asked[0] == (1, 50), "the first question warms up"
    assert first.asked[1:] == [(n, k) for n in (3, 3, 2, 2, 2) for k in (10, 50)]
    assert [len(ranks) for ranks in answers["first"].ranks] == [3, 3, 2, 2, 2]


def test_a_ratio_is_the_median_of_the_rounds_ratios():
    answers = {"deixis-tree": Answers(cpu=[1.0, 2.0, 4.0]), "bm25": Answers(cpu=[8.0, 20.0, 36.0])}
    (row,) = ratio_rows("s", answers, {})
    assert (row.system, row.metric, row.value, row.low, row.high) == (
        "deixis-tree/bm25", "answer_cpu_ratio", 9.0, 8.0, 10.0,
    )  # fmt: skip
    assert ratio_rows("s", {"bm25": Answers(cpu=[1.0])}, {}) == []


def test_a_system_that_lacks_an_extra_is_left_out_with_a_warning(monkeypatch, caplog):
    def lacking(*arguments):
        raise MissingExtraError("The system", "no_package", "bench")

    monkeypatch.setattr(ExactNames, "build", lacking)
    suite = replace(SUITE, systems=("exact", "uncased"), max_mentions=20)
    (rows,) = Runner(DataFolder(Path())).run(suite)
    assert {row.system for row in rows} == {"knowledge-base", "uncased"}
    assert "exact is left out" in caplog.text
    with pytest.raises(MissingExtraError):  # asked for by name, it is not passed over
        list(Runner(DataFolder(Path())).run(suite, systems=["exact"]))


def test_systems_on_request_run_only_where_they_are_named(runner):
    suite = replace(SUITE, systems=("exact",), on_request=("brute-force",))
    assert able_systems(suite, "dev", read_demo()) == ["exact"]
    assert able_systems(suite, "dev", read_demo(), ["brute-force"]) == ["brute-force"]
    assert able_systems(suite, "dev", read_demo(), ["brute-force", "exact"]) == ["exact", "brute-force"]
    with pytest.raises(UnknownNameError, match="No system named 'brutish'"):
        replace(SUITE, on_request=("brutish",))
