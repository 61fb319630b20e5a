"""What was changed on the page is undone by a key or in the history; names that are not linked become entities."""

from __future__ import annotations

import json
import os

from tests.browser.test_correcting import select
from tests.browser.test_workbench import link

TEXT = "Octopus Troy saw the Trojan horse, and Brobdingnag."


def entity_at(page, words):
    return page.locator("#text .mention", has_text=words).first.get_attribute("aria-label")


def photograph(page, name):
    if folder := os.environ.get("DEIXIS_SCREENSHOTS"):
        page.screenshot(path=f"{folder}/{name}.png")


def test_the_last_change_of_the_page_is_undone_by_a_key(page):
    link(page, TEXT)
    before = entity_at(page, "Troy")
    page.keyboard.press("Control+z")
    page.locator("#status", has_text="Nothing was changed on this page").wait_for()
    page.locator("#text .mention", has_text="Troy").click()
    page.keyboard.press("0")
    page.locator("#status", has_text="Corrected").wait_for()
    assert entity_at(page, "Troy") != before
    page.keyboard.press("Control+z")
    page.locator("#status", has_text="Undone: “").wait_for()
    assert entity_at(page, "Troy") == before and page.input_value("#input") == TEXT
    assert json.loads(page.evaluate("localStorage['deixis-corrections']"))["corrections"] == []
    page.focus("#input")  # within a field the key is the browser's
    page.keyboard.press("Control+z")
    page.wait_for_timeout(100)
    assert "Nothing" not in page.text_content("#status")


def test_a_correction_may_be_for_all_equal_mentions_of_the_text(page):
    link(page, "Troy fell. Then Troy burned.")
    before = entity_at(page, "Troy")
    page.locator("#text .mention", has_text="Troy").first.click()
    page.check("#all-equal")
    page.click("#details >> text=Not an entity")
    page.locator("#status", has_text="Corrected").wait_for()
    labels = page.locator("#text .mention", has_text="Troy").all()
    assert len({mark.get_attribute("aria-label").replace("2", "1") for mark in labels}) == 1
    page.keyboard.press("Control+z")
    page.locator("#status", has_text="Undone: “").wait_for()
    assert entity_at(page, "Troy") == before


def test_a_new_entity_is_made_of_selected_words_and_reverted_in_the_history(page):
    page.click("#settings summary")
    page.fill("#author", "eve")
    page.keyboard.press("Tab")
    page.click("#settings summary")
    link(page, TEXT)
    n_entities = page.text_content("#model")
    select(page, "horse")
    page.keyboard.press("a")
    page.click("#details >> text=New entity")
    assert (page.input_value("#new-title"), page.input_value("#new-id")) == ("horse", "horse")
    page.fill("#new-id", "horse/1")
    page.fill("#new-description", "built of wood")
    photograph(page, "new-entity")
    page.click("#new-form >> text=Add")
    page.locator("#status", has_text="Corrected: horse").wait_for()
    assert page.text_content("#model") != n_entities
    page.click("#open-history")
    row = page.locator("#changes li", has_text="added horse (horse/1)")
    row.wait_for()
    assert "eve" in row.text_content()
    row.locator("button").click()
    page.locator("#history-note", has_text="Not undone").wait_for()  # a correction names it
    photograph(page, "history")
    page.locator("#changes li", has_text="refers to horse/1").first.locator("button").click()
    page.locator("#changes li.undone", has_text="refers to horse/1").wait_for()
    row.locator("button").click()
    page.locator("#changes li.undone", has_text="added horse").wait_for()
    photograph(page, "reverted")
    page.keyboard.press("Escape")
    page.locator("#model", has_text=n_entities).wait_for()


def test_names_that_are_not_linked_are_counted_and_become_entities(page):
    page.route("**/link", lambda route: route.fulfill(json=with_unlinked(route.fetch().json())))
    link(page, f"{TEXT} Brobdingnag!")
    item = page.locator("#names li", has_text="Brobdingnag")
    assert "×2" in item.text_content()
    photograph(page, "unlinked")
    item.locator("button").click()
    page.fill("#new-id", "Q1")
    page.click("#new-form >> text=Add")
    page.locator("#status", has_text="Corrected: Brobdingnag").wait_for()


def with_unlinked(answer):
    """The answer with all mentions of a name that the list has not."""
    text, mentions, start = answer["text"], [each for each in answer["mentions"] if "Brob" not in each["text"]], 0
    while (start := text.find("Brobdingnag", start)) >= 0:
        mentions.append({"start": start, "end": start + 11, "text": "Brobdingnag", "entity": None, "candidates": []})
        start += 11
    return {**answer, "mentions": mentions}
