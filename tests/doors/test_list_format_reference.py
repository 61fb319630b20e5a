"""The page of list formats has a section for every format, and its examples are read as it says."""

import re
from pathlib import Path

import pytest

from deixis.kb.formats import FORMATS, open_records
from deixis.kb.knowledge_base import KnowledgeBase

PAGE = (Path(__file__).resolve().parents[2] / "docs/reference/lists.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"`([\w.]+)`:\n\n```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
ROWS = re.findall(r"^\| \[(.+?)\]\(#(.+?)\) \|", PAGE, re.MULTILINE)
BY_CODE = {"label-lines", "excel", "parquet", "arrow", "sqlite", "wordnet"}  # no text, a folder, or not recognized


def test_the_page_lists_every_format_in_the_order_of_the_registry_with_its_section():
    assert [name for names, _ in ROWS for name in re.findall(r"`([a-z-]+)`", names)] == list(FORMATS)
    headings = re.findall(r"^### (.+)$", PAGE, re.MULTILINE)
    anchors = [re.sub(r"[^a-z0-9 -]", "", each.lower()).replace(" ", "-") for each in headings]
    assert anchors == [link for _, link in ROWS]


@pytest.mark.parametrize(("name", "content"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_an_example_of_the_page_is_a_list(name, content, tmp_path):
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert KnowledgeBase.read(tmp_path / name).title(0) == "Paris"


def test_every_format_of_text_has_an_example(tmp_path):
    shown = set()
    for name, content in EXAMPLES:
        (tmp_path / name).write_text(content, encoding="utf-8")
        shown.add(open_records(tmp_path / name).format)
    assert shown == set(FORMATS) - BY_CODE - {"tsv"}
