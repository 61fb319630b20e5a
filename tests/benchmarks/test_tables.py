import pytest

from benchmarks import tables

ROWS = [
    {"suite": "wordnet", "metric": "recall@10", "system": "deixis", "value": 0.7512, "unit": "share"},
    {"suite": "wordnet", "metric": "disk", "system": "deixis", "value": 21.04, "unit": "MB"},
    {"suite": "wordnet", "metric": "disk", "system": "pecos", "value": 39.47, "unit": "MB"},
    {"suite": "wordnet", "metric": "train_cpu_ratio", "system": "deixis/pecos", "value": 12.44, "unit": "x"},
]
OPEN = "<!-- results suite=wordnet systems=deixis,pecos metrics=recall@10,disk -->\n"


def test_a_table_has_a_line_per_metric_and_a_column_per_system():
    text = f"before\n{OPEN}old\n<!-- /results -->\nafter\n"
    assert tables.render(text, ROWS).splitlines() == [
        "before",
        OPEN.strip(),
        "| wordnet | deixis | pecos |",
        "| --- | ---: | ---: |",
        "| recall@10 | .751 | – |",
        "| disk | 21.0 MB | 39.5 MB |",
        "<!-- /results -->",
        "after",
    ]


def test_rendering_twice_changes_nothing_more():
    once = tables.render(f"{OPEN}<!-- /results -->", ROWS)
    assert tables.render(once, ROWS) == once


def test_text_between_two_tables_stays():
    text = f"{OPEN}<!-- /results -->\nkept\n{OPEN}<!-- /results -->\n"
    assert tables.render(text, ROWS).count("kept") == 1
    assert tables.render(text, ROWS).count("| disk |") == 2


def test_a_ratio_is_shown_with_its_sign():
    assert tables.cell(ROWS[-1]) == "12.4×"


def test_a_marker_that_lacks_a_part_is_an_error_that_names_it():
    with pytest.raises(ValueError, match="lacks metrics, systems"):
        tables.render("<!-- results suite=wordnet -->\n<!-- /results -->", ROWS)


def test_check_finds_a_stale_table_and_writes_nothing(tmp_path, monkeypatch, capsys):
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text(f"{OPEN}<!-- /results -->\n")
    (tmp_path / "docs" / "fine.md").write_text("no table\n")
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    monkeypatch.setattr(tables, "RESULTS", tmp_path)
    assert tables.main(["--check"]) == 1
    assert capsys.readouterr().out == "out of date: README.md\n"
    assert tables.main([]) == 0
    assert "| disk | – | – |" in (tmp_path / "README.md").read_text()
    assert tables.main(["--check"]) == 0


def test_all_systems_of_a_suite_stand_in_lines_the_best_last():
    rows = [
        {"suite": "s", "metric": metric, "system": system, "value": value, "unit": "share", "date": "1"}
        for system, values in {"good, really": (0.5, 0.9), "bad": (0.6, 0.2)}.items()
        for metric, value in zip(("recall@1", "recall@10"), values, strict=True)
    ]
    text = "<!-- results suite=s systems=* metrics=recall@1,recall@10 -->\n<!-- /results -->"
    assert tables.render(text, rows).splitlines()[1:-1] == [
        "| s | recall@1 | recall@10 |",
        "| --- | ---: | ---: |",
        "| bad | .600 | .200 |",
        "| good, really | .500 | .900 |",
    ]


def test_the_tables_in_readme_and_docs_are_those_of_the_newest_results():
    assert tables.main(["--check"]) == 0


def many(suite, **values):
    return [
        {"suite": suite, "metric": "recall@10", "system": system, "value": value, "unit": "share", "date": "1"}
        for system, value in values.items()
    ]


def test_many_suites_stand_in_lines_and_the_best_of_each_is_bold():
    rows = [
        *many("melo-de/dev", bm25=0.528, deixis=0.7141),
        *many("melo-fr/dev", bm25=0.9, deixis=0.9),
        *many("x", bm25=1),
    ]
    text = "<!-- results suites=none/dev,melo-*/dev systems=bm25,deixis metric=recall@10 -->\n<!-- /results -->"
    assert tables.render(text, rows).splitlines()[1:-1] == [
        "| recall@10 | bm25 | deixis |",
        "| --- | ---: | ---: |",
        "| none/dev | – | – |",
        "| melo-de/dev | .528 | **.714** |",
        "| melo-fr/dev | **.900** | **.900** |",
    ]


def test_of_costs_the_least_is_the_best():
    rows = [row | {"unit": "s/1000"} for row in many("s", bm25=2.0, deixis=1.0)]
    text = "<!-- results suites=s systems=bm25,deixis metric=recall@10 -->\n<!-- /results -->"
    assert "| s | 2.00 s/1000 | **1.00 s/1000** |" in tables.render(text, rows)


def test_of_speeds_the_greatest_is_the_best():
    rows = [row | {"unit": "texts/s"} for row in many("s", static=20.0, minilm=10.0)]
    text = "<!-- results suites=s systems=static,minilm metric=recall@10 -->\n<!-- /results -->"
    assert "| s | **20.0 texts/s** | 10.0 texts/s |" in tables.render(text, rows)


def test_suites_that_nobody_measured_have_no_lines():
    text = "<!-- results suites=none/* systems=static metric=recall@10 -->\n<!-- /results -->"
    assert tables.render(text, []).splitlines()[1:-1] == ["| recall@10 | static |", "| --- | ---: |"]


def test_a_marker_of_many_suites_that_lacks_a_part_is_an_error_that_names_it():
    with pytest.raises(ValueError, match="lacks metric, systems"):
        tables.render("<!-- results suites=a,b -->\n<!-- /results -->", [])


def test_one_system_over_many_suites_has_a_column_per_metric():
    rows = [
        *many("melo-de/dev", deixis=0.7141),
        {**many("melo-de/dev", deixis=0.5)[0], "metric": "recall@1"},
        *many("melo-fr/dev", deixis=0.9, bm25=0.8),
    ]
    text = "<!-- results suites=melo-*/dev system=deixis metrics=recall@1,recall@10 -->\n<!-- /results -->"
    assert tables.render(text, rows).splitlines()[1:-1] == [
        "| deixis | recall@1 | recall@10 |",
        "| --- | ---: | ---: |",
        "| melo-de/dev | .500 | .714 |",
        "| melo-fr/dev | – | .900 |",
    ]
    with pytest.raises(ValueError, match="lacks metrics"):
        tables.render("<!-- results suites=a system=b -->\n<!-- /results -->", [])


def test_intervals_stand_behind_the_value_where_a_row_has_one():
    rows = [*many("s", tree=0.25, bag=0.5)]
    rows[0] |= {"low": 0.2, "high": 0.3}
    text = "<!-- results suite=s systems=tree,bag metrics=recall@10 intervals=yes -->\n<!-- /results -->"
    assert "| recall@10 | .250 [.200, .300] | .500 |" in tables.render(text, rows)
    assert "| recall@10 | .250 | .500 |" in tables.render(text.replace(" intervals=yes", ""), rows)


def test_means_over_seeds_have_the_least_and_the_greatest():
    figures = {("seed-0", "none"): 0.7, ("seed-1", "none"): 0.8, ("seed-0", "both"): 0.75}
    rows = [
        {"suite": f"r/{suite}-test", "metric": "recall@8", "system": system, "value": value, "unit": "share"}
        for (suite, system), value in figures.items()
    ]
    text = "<!-- results seeds=r/seed-*-test systems=none,both,other metrics=recall@8 -->\n<!-- /results -->"
    assert tables.render(text, rows).splitlines()[1:-1] == [
        "| | seeds | recall@8 |",
        "| --- | ---: | ---: |",
        "| none | 2 | .750 [.700, .800] |",
        "| both | 1 | .750 |",
        "| other | 0 | – |",
    ]
