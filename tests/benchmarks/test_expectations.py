import pytest

from benchmarks.suites.expectations import judge, update_expected
from benchmarks.suites.suite import read_suite
from deixis.evaluation.rows import ResultRow

TEXT = """\
# kept
name: tiny
kb: {path: "demo:entities.jsonl"}
dev:
  - {name: dev, path: "demo:sentences.jsonl", half: dev}
test:
  - {name: test, path: "demo:sentences.jsonl", half: test}
systems: [exact, bm25]
tolerance: 0.02
"""


def row(value, system="exact", metric="recall@1", part="dev"):
    return ResultRow(f"tiny/{part}", metric, system, value, "share")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "tiny.yaml"
    path.write_text(TEXT, encoding="utf-8")
    update_expected(path, read_suite(path), [row(0.5), row(0.7, "bm25"), row(3.0, metric="build_cpu")])
    return path


def test_what_is_written_is_what_is_expected(path):
    suite = read_suite(path)
    assert path.read_text(encoding="utf-8").startswith(TEXT)
    assert [(e.system, e.metric, e.value) for e in suite.expected] == [
        ("exact", "recall@1", 0.5),
        ("bm25", "recall@1", 0.7),
    ]


def test_an_update_changes_only_what_was_run_again(path):
    update_expected(path, read_suite(path), [row(0.6), row(0.9, part="test")])
    values = {(e.part, e.system): e.value for e in read_suite(path).expected}
    assert values == {("dev", "exact"): 0.6, ("dev", "bm25"): 0.7, ("test", "exact"): 0.9}
    assert path.read_text(encoding="utf-8").count("expected:") == 1


@pytest.mark.parametrize(("value", "state"), [(0.52, "ok"), (0.48, "ok"), (0.5201, "better"), (0.479, "worse")])
def test_a_figure_is_ok_within_the_tolerance(path, value, state):
    (verdict,) = judge(read_suite(path), [row(value)])
    assert verdict.state == state
    assert str(verdict).endswith(f"expected 0.5000 ± 0.02: {state}")


def test_what_nobody_expects_is_not_judged(path):
    assert judge(read_suite(path), [row(0.1, part="test"), row(0.1, metric="recall@5")]) == []
