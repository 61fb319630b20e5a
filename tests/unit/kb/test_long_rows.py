"""Tabs inside names of tab-separated lists."""

import logging
from pathlib import Path

import pytest

from deixis.errors import DataError
from deixis.kb.checking.check import check_file
from deixis.kb.knowledge_base import KnowledgeBase

LABELS = "p10\tenvironmental awareness\t169\np2\tsatyr play\ts\t1\np3\tart handicraft\t7\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "labels.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_tab_in_the_title_of_a_list_of_labels_is_a_space_and_is_said_once(tmp_path, caplog):
    path = written(tmp_path, LABELS + "p4\ta\tb\tc\t2\n")
    with caplog.at_level(logging.WARNING):
        kb = KnowledgeBase.read(path)
    assert list(kb.titles) == ["environmental awareness", "satyr play s", "art handicraft", "a b c"]
    assert [entity.count for entity in kb.entities()] == [169, 1, 7, 2]
    assert caplog.text.count("names with a tab in them, read as a space: 2 (first in line 2)") == 1
    assert check_file(path).n_entities == 4


def test_in_two_columns_everything_after_the_first_tab_is_the_title(tmp_path):
    assert list(KnowledgeBase.read(written(tmp_path, "p1\tParis\np2\tNew\tYork\np3\tRome\n")).titles) == [
        "Paris",
        "New York",
        "Rome",
    ]


@pytest.mark.parametrize(
    "text",
    [
        LABELS.replace("s\t1\n", "s\tone\n"),  # the count is no number
        "p1\tParis\tthe capital of France, on the Seine, with the tower\np2\tTroy\ta town of\tAsia Minor\n",
        "id\ttitle\n1\tParis\textra\n",
    ],
)
def test_a_row_whose_tab_may_belong_elsewhere_is_refused_with_its_line(tmp_path, text):
    with pytest.raises(DataError, match=r"labels\.tsv, line 2: \d fields where the (first line|header) has \d"):
        KnowledgeBase.read(written(tmp_path, text))
