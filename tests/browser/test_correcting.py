"""Mentions are added and corrected by mouse, finger and key; what is corrected is kept, sent, and saved as a file."""

from __future__ import annotations

import json

import pytest

from deixis.documents.corrections import read_corrections
from tests.browser.conftest import TOKEN
from tests.browser.test_workbench import link
from tests.browser.waiting import until

EMOJI = "\U0001f3db\U0001f419 Octopus Troy saw the Trojan horse."
FULL = "Storage.prototype.setItem = () => { throw new DOMException('no room', 'QuotaExceededError'); }"
FORBIDDEN = (
    """Object.defineProperty(window, "localStorage", { get() { throw new DOMException("no", "SecurityError"); } })"""
)
SELECT = """words => {
    const walker = document.createTreeWalker(document.getElementById("text"), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const place = walker.currentNode.data.indexOf(words);
        if (place < 0) continue;
        getSelection().setBaseAndExtent(walker.currentNode, place, walker.currentNode, place + words.length);
        return;
    }
}"""


def select(page, words):
    page.evaluate(SELECT, words)
    page.wait_for_selector("#add:not(:disabled)")


def chosen(page):
    return page.evaluate("document.activeElement.closest('[aria-pressed=true]')?.ariaLabel.split(':')[0]")


def sent(page):
    """What is sent to /learn from now on; the service is asked all the same."""
    bodies = []
    page.on("request", lambda one: bodies.append(one.post_data_json) if one.url.endswith("/learn") else None)
    return bodies


def saved(page):
    if not page.is_visible("#download"):
        page.click("#settings summary")
    with page.expect_download() as download:
        page.click("#download")
    return download.value.path()


def test_a_span_is_where_it_is_selected_with_overlaps_and_emoji_before_it(page):
    overlapping = f"{EMOJI[:-1]} and Octopus \U0001f419."
    page.click("#settings summary")
    page.check("#overlaps")
    page.route("**/link", lambda route: route.fulfill(json=with_overlaps(route.fetch().json())))
    link(page, overlapping)
    assert page.locator("#text .mention[data-words]").count() > 0  # the overlap is drawn, but is no text
    assert page.text_content("#text") == overlapping
    bodies = sent(page)
    select(page, "horse")
    page.keyboard.press("a")
    page.wait_for_selector("#details h2 >> text=horse")
    page.keyboard.press("0")
    page.locator("#status", has_text="Corrected").wait_for()
    (correction,) = bodies[0]["corrections"]
    assert overlapping[correction["start"] : correction["end"]] == "horse" == correction["surface"]


def with_overlaps(told):
    """The answer, with one mention more that lies across its first."""
    first = told["mentions"][0]
    end = first["end"] + 5
    across = {**first, "end": end, "text": told["text"][first["start"] : end]}
    return {**told, "mentions": [first, across, *told["mentions"][1:]]}


def test_only_the_button_or_its_key_adds_a_mention(page):
    link(page, EMOJI)
    n = page.locator("#text .mention").count()
    assert page.is_disabled("#add")
    page.evaluate(SELECT, "horse")
    page.dispatch_event("#text", "mouseup")
    page.wait_for_selector("#add:not(:disabled)")
    assert page.locator("#text .mention").count() == n
    page.click("#add")
    page.wait_for_selector("#details h2 >> text=horse")
    assert page.locator("#text .mention").count() == n + 1 and chosen(page) == "horse"
    assert page.is_disabled("#add")


def test_words_are_selected_and_added_by_keys_alone(page):
    link(page, EMOJI)
    for _ in range(3):
        page.keyboard.press("w")
    assert page.evaluate("getSelection().toString()") == "saw"
    page.keyboard.press("w")
    page.keyboard.press("Shift+W")
    assert page.evaluate("getSelection().toString()") == "saw"
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    assert page.evaluate("getSelection().toString()") == "saw t"
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("a")
    page.wait_for_selector("#details h2 >> text=saw")
    assert chosen(page) == "saw"  # without the space after it


def test_words_of_a_mention_can_be_selected_by_the_mouse(page):
    link(page, EMOJI)
    n = page.locator("#text .mention").count()
    box = page.locator("#text .mention >> text=Octopus").bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 5, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, middle, steps=4)
    page.mouse.up()
    part = page.evaluate("getSelection().toString()")
    assert part and part in "Octopus" and page.query_selector("#search") is None  # nothing was chosen by it
    page.keyboard.press("a")
    page.wait_for_selector("#search")
    assert page.locator("#text .mention").count() == n + 1


def test_a_tap_adds_what_is_selected_even_where_it_ends_the_selection(browser, address):
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(address)
    link(page, EMOJI)
    select(page, "horse")
    page.evaluate("add.addEventListener('touchend', () => getSelection().removeAllRanges())")
    page.tap("#add")
    page.wait_for_selector("#details h2 >> text=horse")
    context.close()


@pytest.mark.parametrize("way", ["key", "button"])
def test_after_a_correction_the_mention_still_has_the_focus(page, way):
    link(page, "Troy stood where Paris was.")
    page.keyboard.press("n")
    name = page.text_content("#details h2")
    if way == "key":
        page.keyboard.press("1")
    else:
        page.click(".candidate >> nth=0")
    page.locator("#status", has_text="Corrected").wait_for()
    assert chosen(page) == name


def test_x_says_nothing(page):
    bodies = sent(page)
    link(page, "Troy stood.")
    page.keyboard.press("n")
    page.keyboard.press("x")
    page.keyboard.press("1")
    page.locator("#status", has_text="Corrected").wait_for()
    assert [list(body["corrections"][0])[-1] for body in bodies] == ["gold"]


@pytest.mark.parametrize("trouble", [FULL, FORBIDDEN])
def test_a_correction_that_cannot_be_kept_is_learned_and_can_be_saved(page, trouble):
    page.add_init_script(trouble)
    page.reload()
    bodies = sent(page)
    page.click("#settings summary")
    page.fill("#token", TOKEN)
    page.press("#token", "Tab")
    link(page, "Troy stood.")
    page.keyboard.press("n")
    page.keyboard.press("1")
    page.locator("#status", has_text="Corrected").wait_for()
    assert "could not store it" in page.text_content("#status") and len(bodies) == 1
    assert [one.surface for one in read_corrections(saved(page))] == ["Troy"]


def test_a_long_text_with_many_corrections_is_kept_and_saved_once(page):
    text = "Troy met Paris and Octopus. " + "Nothing else happened there for years. " * 25_000
    link(page, text)
    for n in range(1, 4):
        page.keyboard.press("n")
        page.keyboard.press("1")
        until(page, f"JSON.parse(localStorage['deixis-corrections']).corrections.length === {n}")
        page.locator("#status", has_text="Corrected").wait_for()
    assert page.evaluate("localStorage['deixis-corrections'].length") < 1.1 * len(text)
    path = saved(page)
    assert path.stat().st_size < 1.1 * len(text)
    corrections = read_corrections(path)
    assert {one.text for one in corrections} == {text}
    assert {one.surface for one in corrections} == {"Troy", "Paris", "Octopus"}


def test_what_is_saved_and_learned_is_forgotten_and_the_rest_is_sent_again(page):
    link(page, "Troy met Paris.")
    page.keyboard.press("n")
    page.keyboard.press("1")
    page.locator("#status", has_text="Corrected").wait_for()
    page.route("**/learn", lambda route: route.abort())
    page.keyboard.press("n")
    page.keyboard.press("1")
    page.locator("#status", has_text="did not apply it").wait_for()
    assert "stored in this browser" in page.text_content("#status")
    assert len(read_corrections(saved(page))) == 2
    left = json.loads(page.evaluate("localStorage['deixis-corrections']"))["corrections"]
    assert len(left) == 1 and "still stored here" in page.text_content("#status")
    page.unroute("**/learn")
    page.click("#send")
    page.locator("#status", has_text="1 correction applied.").wait_for()
    assert page.is_hidden("#send")
    assert len(read_corrections(saved(page))) == 1
    page.click("#download")
    page.locator("#status", has_text="no unsaved corrections").wait_for()


def test_corrections_wait_for_the_token(page):
    page.evaluate("sessionStorage.clear()")
    page.reload()
    link(page, "Troy met Paris.")
    page.keyboard.press("n")
    page.keyboard.press("1")
    page.locator("#status", has_text="Enter it in Settings").wait_for()
    page.click("#settings summary")
    page.fill("#token", TOKEN)
    page.press("#token", "Tab")
    page.locator("#status", has_text="1 correction applied.").wait_for()
    assert page.is_hidden("#send")
