"""`deixis bench`: hidden, passes its arguments to the benchmarks of the source tree, or says where they are."""

import pytest

from deixis.cli.commands import bench


def test_what_follows_bench_reaches_the_benchmarks_of_the_source_tree(deixis):
    done = deixis("bench", "demo", "--check", "--systems", "exact")
    assert "demo/dev: 256 mentions asked" in done.stdout
    assert "5 of 5 figures are as expected or better." in done.stderr
    assert "No suite named 'demmo'" in deixis("bench", "demmo", code=1).stderr
    assert "Usage: python -m benchmarks [OPTIONS] [SUITE]..." in deixis("bench", "--help").stdout


def test_without_a_source_tree_it_says_where_the_benchmarks_are(deixis_inside, monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "__file__", str(tmp_path / "lib" / "deixis" / "cli" / "commands" / "bench.py"))
    said = deixis_inside("bench", "demo", code=1).stderr
    assert "not in the installed package" in said and "`python -m benchmarks` in the source tree" in said


@pytest.mark.parametrize("arguments", [["--help"], ["bensch"]])
def test_it_is_not_listed_among_the_commands(deixis_inside, arguments):
    done = deixis_inside(*arguments, code=None)
    assert "build" in done.stdout + done.stderr
    assert "bench," not in done.stderr and "\n  bench" not in done.stdout
