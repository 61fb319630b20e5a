"""Pictures are made from rows, and those in the docs are of the newest ones."""

import xml.etree.ElementTree as ElementTree

from benchmarks import figures


def row(suite, metric, system, value):
    return {
        "suite": suite, "metric": metric, "system": system, "value": value, "low": value, "high": value,
        "unit": "share", "date": "1",
    }  # fmt: skip


ROWS = [
    *(row("candidates/wiki468k-aida", f"recall@{n}", "deixis", 0.5 + n / 250) for n in figures.AT),
    *(row("retrieval/wordnet", "recall@10", system, 0.75) for system in figures.RETRIEVERS),
]


def test_the_pictures_in_the_docs_are_those_of_the_newest_results(capsys):
    assert figures.main(["--check"]) == 0, capsys.readouterr().out


def test_every_picture_in_the_folder_is_one_that_is_drawn():
    assert {path.name for path in figures.FOLDER.iterdir()} == set(figures.figures([]))


def test_a_line_has_the_points_that_were_measured():
    line = next(one for one in figures.lines("recall", figures.WIKIPEDIA, by_key(ROWS)) if one.name == "AIDA")
    assert list(line.x) == list(figures.AT)
    assert line.y[-1] == 0.9


def test_a_set_that_was_not_measured_has_no_line():
    lines = {line.name: line for line in figures.lines("recall", figures.WIKIPEDIA, by_key(ROWS))}
    assert list(lines["AQUAINT"].x) == []
    assert "AQUAINT" not in figures.figures(ROWS)["recall-wikipedia.svg"]


def test_pictures_are_whole_files_whatever_was_measured():
    for rows in ([], ROWS):
        for picture in figures.figures(rows).values():
            assert ElementTree.fromstring(picture).tag == "{http://www.w3.org/2000/svg}svg"


def test_check_finds_a_stale_picture_and_writes_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(figures, "FOLDER", tmp_path / "figures")
    monkeypatch.setattr(figures, "RESULTS", tmp_path)
    assert figures.main(["--check"]) == 1
    assert not (tmp_path / "figures").exists()
    assert figures.main([]) == 0
    assert figures.main(["--check"]) == 0
    (tmp_path / "figures" / "retrievers-others.svg").write_text("<svg/>")
    capsys.readouterr()
    assert figures.main(["--check"]) == 1
    assert capsys.readouterr().out == "out of date: retrievers-others.svg\n"


def by_key(rows):
    return {figures.row_key(one): one for one in rows}
