"""The page of labelled documents lists what there is."""

import re
from pathlib import Path

from deixis.kb.formats import FORMATS
from deixis.labelling.corpus.formats import READERS
from deixis.labelling.corpus.rows import ROW_FORMATS
from deixis.labelling.corpus.writing import PREDICTION_WRITERS

PAGE = (Path(__file__).resolve().parents[2] / "docs/reference/labelled-formats.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def named(section):
    cells = re.findall(r"^\| ((?:`[a-z-]+`(?:, )?)+) \|", SECTIONS[section], re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`([a-z-]+)`", cell)]


def test_the_page_lists_every_format_in_the_order_of_the_help():
    assert named("Labelled texts") == list(READERS)
    assert named("Rows of features") == list(ROW_FORMATS)
    assert named("Predictions") == list(PREDICTION_WRITERS)
    assert set(named("Vocabularies")) < set(FORMATS)  # docs/reference/lists.md has them all
