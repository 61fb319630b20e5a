"""A model that labels whole texts: its labels are shown, and what it does not have is not offered."""

from __future__ import annotations

from pathlib import Path

import pytest

from deixis.labelling.labeller import Labeller
from tests.library import books, library_vocabulary


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("labels") / "model"
    Labeller.build(books(60), library_vocabulary(), n_threads=1).save(path)
    return path


def test_a_labeller_s_labels_are_shown_and_no_tree(browser, address):
    page = browser.new_page()
    page.goto(address)
    page.locator("#model", has_text="labels").wait_for()
    assert page.is_hidden("#tab-tree")
    page.fill("#input", books(60).texts[0])
    page.press("#input", "Control+Enter")
    page.wait_for_selector(".labels li")
    assert page.locator(".labels li").count() > 1
    page.close()
