"""The workbench in a real browser: links, explanations, corrections, the tree; keys, phones, and hostile strings."""

from __future__ import annotations

import json

import pytest

from tests.browser.hostile import RTL, SCRIPT

TEXT = "To save Troy, Paris had to be sacrificed. \U0001f3db\U0001f419 Octopus met Mallory and Paris."


def link(page, text=TEXT):
    page.fill("#input", text)
    page.press("#input", "Control+Enter")
    page.wait_for_selector("#text .mention")


def mentions(page):
    return page.eval_on_selector_all("#text .mention", "all => all.map(one => one.textContent)")


def test_links_are_marked_where_they_stand_whatever_emoji_come_before(page):
    link(page)
    assert page.text_content("#text") == TEXT
    found = mentions(page)
    assert {"Troy", "Paris", "Octopus", "Mallory"} <= set(found)


def test_a_mention_shows_its_candidates_and_why(page):
    link(page)
    page.click("#text .mention >> text=Troy")
    page.wait_for_selector("#why table")
    assert "Troy" in page.text_content("#details h2")
    rows = page.eval_on_selector_all("#why > table tbody tr", "all => all.map(row => row.cells[0].textContent)")
    total = page.text_content("#why > table tfoot td")
    plain = [float(row.replace("−", "-")) for row in rows]
    assert sum(plain) == pytest.approx(float(total.replace("−", "-")), abs=0.1)
    assert page.get_attribute("#why a", "href") == "https://example.org/troy"


def test_nothing_in_a_knowledge_base_is_executed(page):
    link(page, "Mallory sent an Invoice to Octopus.")
    for name in ("Mallory", "Invoice"):
        page.click(f"#text .mention >> text={name}")
        page.wait_for_selector("#why table")
        assert page.query_selector("#why a") is None  # javascript: and data: lead nowhere
    page.fill("#search", "Mallory")
    page.wait_for_selector(".hits button")
    assert SCRIPT in page.text_content(".hits")
    assert page.evaluate("window.pwned") is None
    assert page.query_selector("main script, main img") is None


def test_letters_that_turn_the_order_round_are_shown(page):
    link(page, "The Invoice came.")
    page.click("#text .mention >> text=Invoice")
    page.wait_for_selector("#details .candidate")
    shown = page.text_content("#details .candidate .title")
    assert "\u202e" not in shown and shown == RTL.replace("\u202e", "\u27e8202E\u27e9")


def test_a_correction_is_learned_at_once_and_kept(page):
    link(page, "Paris walked home.")
    before = page.get_attribute("#text .mention", "aria-label")
    page.keyboard.press("n")
    page.wait_for_selector("#details .candidate")
    others = page.query_selector_all(".candidate[aria-pressed=false]")
    title = others[0].get_attribute("data-id")
    others[0].click()
    page.locator("#status", has_text="Corrected").wait_for()
    kept = json.loads(page.evaluate("localStorage.getItem('deixis-corrections')"))["corrections"]
    assert [(one["surface"], one["gold"]) for one in kept] == [("Paris", title)]
    page.reload()
    link(page, "Paris walked home.")
    assert page.get_attribute("#text .mention", "aria-label") != before
    page.click("#text .mention")
    page.wait_for_selector(".candidate[aria-pressed=true]")
    assert page.get_attribute(".candidate[aria-pressed=true]", "data-id") == title


def test_what_is_no_mention_is_not_linked_again(page):
    link(page, "Octopus and chips")
    page.keyboard.press("n")
    page.keyboard.press("0")
    page.locator("#status", has_text="Corrected").wait_for()
    with page.expect_download() as download:
        page.click("#settings summary")
        page.click("#download")
    kept = [json.loads(line) for line in download.value.path().read_text(encoding="utf-8").splitlines()]
    assert kept[-1] == {
        "id": "text1",
        "text": "Octopus and chips",
        "start": 0,
        "end": 7,
        "surface": "Octopus",
        "not_an_entity": True,
    }


def test_going_back_begins_with_the_last(page):
    link(page)
    page.keyboard.press("p")
    assert page.get_attribute("#queue li:last-child button", "aria-current") == "true"


def test_a_search_that_finds_nothing_says_so(page):
    link(page)
    page.keyboard.press("n")
    page.route("**/entities?*", lambda route: route.fulfill(json={"entities": []}))
    page.fill("#search", "xyzzy")
    page.locator(".hits", has_text="No entity has such a name").wait_for()


def test_everything_can_be_done_by_keys(page):
    link(page)
    page.keyboard.press("n")
    first = page.text_content("#details h2")
    page.keyboard.press("n")
    assert page.text_content("#details h2") != first or len(set(mentions(page))) == 1
    page.keyboard.press("p")
    assert page.text_content("#details h2") == first
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    page.keyboard.type("Troy")
    page.wait_for_selector(".hits button")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator("#status", has_text="Corrected").wait_for()
    page.keyboard.press("t")
    page.wait_for_selector("#tree g")
    page.keyboard.press("?")
    assert page.is_visible("#help")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_can_be_read_on_a_phone_in_the_light_and_in_the_dark(browser, address, scheme):
    context = browser.new_context(viewport={"width": 390, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    page.goto(address)
    link(page)
    page.click("#text .mention >> nth=0")
    page.wait_for_selector("#why table")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    colours = page.eval_on_selector_all(
        ".mention, #details p, .candidate, button, label",
        """all => all.map(one => {
            let back = one;
            while (getComputedStyle(back).backgroundColor === "rgba(0, 0, 0, 0)") back = back.parentElement;
            return [getComputedStyle(one).color, getComputedStyle(back).backgroundColor];
        })""",
    )
    assert colours and min(contrast(*pair) for pair in colours) >= 4.5
    context.close()


def contrast(one, other):
    """WCAG's contrast ratio of two colours."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour):
    parts = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_every_control_has_a_name(page):
    link(page)
    page.click("#text .mention >> nth=0")
    page.wait_for_selector("#why table")
    nameless = page.eval_on_selector_all(
        "button, input, select, textarea, [role=treeitem]",
        """all => all.filter(one => !(one.getAttribute("aria-label") || one.textContent.trim()
            || (one.labels && [...one.labels].some(label => label.textContent.trim())))).map(one => one.outerHTML)""",
    )
    assert nameless == []


def test_the_page_may_do_nothing_that_it_need_not(browser, address):
    page = browser.new_page()
    page.goto(address)
    policy = page.request.get(address).headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    for write in (
        "document.body.innerHTML = '<p>markup</p>'",
        "document.body.setAttribute('onclick', 'window.pwned = 1')",
    ):
        with pytest.raises(Exception, match="Trusted(HTML|Script)"):  # not even the page's own scripts may
            page.evaluate(write)
    page.close()


def test_on_a_phone_what_a_mention_may_mean_is_in_sight_at_once(browser, address):
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(address)
    link(page, f"{TEXT} {'Nothing else was said. ' * 100} Troy fell.")
    page.tap("#text .mention >> nth=-1")
    page.wait_for_selector(".candidate")
    for shown in (".candidate >> nth=0", "#text .mention >> nth=-1"):
        box = page.locator(shown).bounding_box()
        assert 0 <= box["y"] and box["y"] + box["height"] <= 800
    context.close()


def test_a_text_with_very_many_mentions_lists_the_least_certain_only(page):
    link(page, "Troy met Paris. " * 100)
    assert page.locator("#queue button").count() == 100
    assert page.text_content("#queue li:last-child") == "and 100 more"


def test_a_service_that_was_stopped_is_told_and_the_text_stays(page):
    page.route("**/link", lambda route: route.abort())
    page.fill("#input", TEXT)
    page.press("#input", "Control+Enter")
    page.locator("#status.wrong", has_text="does not respond").wait_for()
    assert page.input_value("#input") == TEXT


def test_where_all_needs_the_token_the_page_asks_for_it(page):
    refusal = {"error": {"kind": "token", "message": "needs the token"}}
    page.route("**/ready", lambda route: route.fulfill(status=401, json=refusal))
    page.reload()
    page.locator("#status.wrong", has_text="Enter it in Settings").wait_for()


def test_settings_are_closed_by_escape(page):
    page.click("#settings summary")
    page.focus("#token")
    page.keyboard.press("Escape")
    assert page.is_hidden("#token") and page.evaluate("document.activeElement.tagName") == "SUMMARY"
