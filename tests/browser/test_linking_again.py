"""What was learned from a correction is seen at once in the rest of the text."""

from __future__ import annotations

from tests.browser.test_correcting import chosen
from tests.browser.test_workbench import link


def test_other_mentions_follow_a_correction_and_what_was_settled_stays(page):
    link(page, "Octopus and Paris, then Paris again, and Octopus.")
    marks = page.locator("#text .mention")
    first = marks.nth(1).get_attribute("aria-label")
    assert first == marks.nth(2).get_attribute("aria-label")
    marks.nth(0).click()
    page.keyboard.press("0")
    page.locator("#status", has_text="Corrected: Octopus").wait_for()
    page.locator("#text .mention", has_text="Paris").first.click()
    page.locator("#details .candidate[aria-pressed=false]", has_text="paris_").first.click()
    page.locator("#status", has_text="Corrected: Paris").wait_for()
    page.locator("#status", has_text="1 other mention has changed").wait_for()
    told = [marks.nth(number).get_attribute("aria-label") for number in range(marks.count())]
    assert told[0].startswith("Octopus: not linked, corrected") and chosen(page) == "Paris"
    assert [label for label in told if label.startswith("Paris")].count("Paris: Paris, corrected") == 1
    assert first not in told
