"""The tree as a picture: branches with their own children beside them, walked by mouse and keys, searched."""

from __future__ import annotations

from pathlib import Path

import pytest

from deixis.candidates.config import SourcesConfig
from deixis.candidates.sources.label_tree import LabelTreeSourceConfig
from deixis.kb.demo import read_demo
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.xmr.label_tree import TreeConfig
from deixis.xmr.model import LabelTreeConfig
from tests.browser.waiting import until

BRANCHING = 4
MOVING = "document.getElementById('tree').getAnimations({subtree: true}).length"
COUNT_MOVES = """() => {
  const animate = Element.prototype.animate;
  window.moves = 0;
  Element.prototype.animate = function (...given) { window.moves += 1; return animate.apply(this, given); };
}"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose tree has several levels."""
    path: Path = tmp_path_factory.mktemp("tree") / "model"
    ranker = LabelTreeConfig(tree=TreeConfig(branching=BRANCHING, max_leaf_size=25))
    config = LinkerConfig(candidates=SourcesConfig().with_source("label_tree", LabelTreeSourceConfig(ranker=ranker)))
    Linker.build(read_demo(), config=config, n_threads=1).save(path)
    return path


@pytest.fixture
def tree(page):
    page.click("#tab-tree")
    page.wait_for_selector("#tree .depth2[role=treeitem]")
    return page


def chosen(page):
    """Level and number of the node that has the focus."""
    return page.evaluate("(({level, node}) => [level, node])(document.activeElement.box.branch)")


def crumbs(page):
    return page.locator("#crumbs li").count()


def test_each_branch_has_its_own_children_beside_it(tree):
    until(tree, f"document.querySelectorAll('#tree .depth1[aria-expanded=true]').length === {BRANCHING}")
    boxes = tree.evaluate(
        """[...document.querySelectorAll("#tree [role=treeitem]")].map(one => {
            const {x, y, width, height, depth, key, parent, branch} = one.box;
            return {x, y, width, height, depth, key, parent, n: branch.n_entities};
        })"""
    )
    branches = {one["key"]: one for one in boxes if one["depth"] == 1}
    for child in (one for one in boxes if one["depth"] == 2):
        above = branches[child["parent"]]
        assert child["x"] >= above["x"] + above["width"]
        assert above["y"] - 1 <= child["y"] and child["y"] + child["height"] <= above["y"] + above["height"] + 1
    for key, branch in branches.items():
        assert sum(one["n"] for one in boxes if one["parent"] == key) == branch["n"]


def test_screen_readers_are_told_level_place_and_size(tree):
    first = tree.locator("#tree [role=treeitem]").first
    assert (first.get_attribute("aria-level"), first.get_attribute("aria-posinset")) == ("1", "1")
    assert first.get_attribute("aria-setsize") == str(BRANCHING)
    assert "entities, such as" in first.get_attribute("aria-label")
    assert tree.locator("#tree [tabindex='0']").count() == 1  # one stop for Tab


def test_the_tree_is_walked_by_keys_down_to_an_entity_and_back(tree):
    tree.locator("#tree [role=treeitem]").first.focus()
    tree.keyboard.press("ArrowDown")
    assert chosen(tree) == [1, 1]
    tree.keyboard.press("ArrowRight")
    assert chosen(tree) == [2, BRANCHING]  # the first child of the second branch
    tree.keyboard.press("ArrowLeft")
    assert chosen(tree) == [1, 1]
    tree.keyboard.press("Enter")
    until(tree, "document.activeElement.box?.branch.level === 2")
    assert crumbs(tree) == 2 and chosen(tree) == [2, BRANCHING]
    while tree.evaluate("document.activeElement.box.branch.entity") is None:
        n = crumbs(tree)
        tree.keyboard.press("Enter")
        until(tree, f"document.querySelectorAll('#crumbs li').length === {n + 1}")
        until(tree, f"document.activeElement.box?.branch.level === {n + 1}")
    tree.keyboard.press("Enter")
    title = tree.evaluate("document.activeElement.box.branch.titles[0]")
    tree.locator("#entity", has_text=title).wait_for()
    for n in range(crumbs(tree) - 1, 0, -1):
        tree.keyboard.press("Backspace")
        until(tree, f"document.querySelectorAll('#crumbs li').length === {n}")
    until(tree, "document.activeElement.box?.branch.level === 1")
    assert chosen(tree) == [1, 1]  # where one went down


def test_a_click_in_the_second_column_goes_down_two_levels(tree):
    tree.locator("#tree .depth2[role=treeitem]").last.click()
    until(tree, "document.querySelectorAll('#crumbs li').length === 3")
    tree.click("#crumbs button >> nth=0")
    until(tree, "document.querySelectorAll('#crumbs li').length === 1")


def test_the_picture_moves_unless_motion_is_not_wanted(tree):
    tree.evaluate(COUNT_MOVES)  # the moves themselves may be over before anyone looks
    tree.locator("#tree [role=treeitem]").first.click()
    until(tree, "window.moves > 0")
    until(tree, f"{MOVING} === 0")
    tree.emulate_media(reduced_motion="reduce")
    tree.evaluate("window.moves = 0")
    tree.locator("#tree [role=treeitem]").first.click()
    until(tree, "document.querySelectorAll('#crumbs li').length === 3")
    assert tree.evaluate("window.moves") == 0


def test_an_entity_is_searched_and_seen_among_its_neighbours(tree):
    tree.fill("#tree-query", "Troy")
    tree.wait_for_selector("#tree-hits button")
    tree.click("#tree-hits button >> nth=0")
    tree.wait_for_selector("#tree g.found")
    assert "Troy" in tree.get_attribute("#tree g.found", "aria-label")
    tree.locator("#entity", has_text="Troy").wait_for()
    assert 1 < tree.locator("#tree [role=treeitem]").count() <= 25


def test_a_link_is_found_in_the_tree(page):
    page.fill("#input", "Paris fled to Troy.")
    page.press("#input", "Control+Enter")
    page.click("#text .mention >> text=Troy")
    page.click("#why summary >> text=Path through the label tree")
    page.click("#why button")
    page.wait_for_selector("#tree g.found")
    assert "Troy" in page.get_attribute("#tree g.found", "aria-label")


def test_branches_whose_children_cannot_be_had_show_some_titles(page):
    page.route(lambda url: "/tree?" in url and "level=0" not in url, lambda route: route.abort())
    page.click("#tab-tree")
    page.locator("#status.wrong", has_text="does not respond").wait_for()
    assert page.locator("#tree [role=treeitem]").count() == BRANCHING
    assert page.locator("#tree .note").count() == BRANCHING


def test_a_place_that_a_new_model_does_not_have_leads_back_to_the_root(tree):
    tree.locator("#tree [role=treeitem]").first.click()
    until(tree, "document.querySelectorAll('#crumbs li').length === 2")
    refusal = {"error": {"kind": "data", "message": "there is no node 0"}}
    tree.route(
        lambda url: "/tree?" in url and "level=0" not in url, lambda route: route.fulfill(status=422, json=refusal)
    )
    tree.click("#tab-text")
    tree.click("#tab-tree")
    tree.locator("#status.wrong", has_text="no node").wait_for()
    tree.unroute_all()
    tree.click("#tab-text")
    tree.click("#tab-tree")
    until(tree, "document.querySelectorAll('#crumbs li').length === 1")


def test_the_picture_is_as_wide_as_a_phone(browser, address):
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(address)
    page.tap("#tab-tree")
    page.wait_for_selector("#tree .depth2[role=treeitem]")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.tap("#tree [role=treeitem] >> nth=0")
    until(page, "document.querySelectorAll('#crumbs li').length === 2")
    context.close()
