"""The page of a report: whole, escaped, and complete without a network."""

import html
import re
from html.parser import HTMLParser

import pytest

from deixis.evaluation.linking.outcomes import Outcome
from deixis.evaluation.linking.tally import Tally
from deixis.reports.charts.line import Series, line_chart
from deixis.reports.content import Chart, DatasetResult, EntityNames, Report
from deixis.reports.figures import charts_of
from deixis.reports.page import report_page
from deixis.types import Candidate, Document, Mention

NASTY = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "</style><svg onload=alert(1)>",
    "\"'><a href=javascript:alert(1)>x</a>",
    "\u202egnp.exe\u202c & co",
    "👩‍🚀 ]]> <!-- --> &amp; \x00 \x1b[31m",
]
VOID = {"br", "input", "meta", "wbr"}


class Page(HTMLParser):
    """All elements with their attributes, all text outside style and script, and whether elements nest."""

    def __init__(self, markup):
        super().__init__(convert_charrefs=True)
        self.elements, self.texts, self.open = [], [], []
        self.feed(markup)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.texts.append(data)

    def of(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


def nasty_tally(nasty):
    """A corpus in which everything that can be a string is one that would like to be markup."""
    tally = Tally(resolve=None, types_of=lambda name: [nasty, "city"], n_examples=5)
    text = f"{nasty} Paris {nasty}"
    start = len(nasty) + 1
    gold = Document(nasty, text, lang=nasty, mentions=(Mention(start, start + 5, "Paris", entity=f"gold {nasty}"),))
    listed = tuple(Candidate(f"{place} {nasty}", 0.6 - place / 10, title=nasty) for place in range(3))
    guess = Mention(start, start + 5, "Paris", entity=f"0 {nasty}", score=0.6, candidates=listed)
    tally.add(gold, gold.with_mentions([guess]))
    other = Document("plain", "Troy", mentions=(Mention(0, 4, "Troy", entity="Q1"),))
    tally.add(other, other.with_mentions([Mention(0, 2, "Tr", entity="Q1")]))
    return tally


def page_of(tally, name="news", names=None, **more):
    result = DatasetResult(
        name=name,
        n_documents=tally.n_documents,
        metrics=tally.metrics((1, 10)),
        outcomes=tally.outcomes,
        examples=tally.examples,
        charts=charts_of(tally),
        by_language=tally.by_language((1, 10)),
    )
    results = [result] * more.pop("n_results", 1)
    return report_page(Report(more.pop("title", "Title"), results, names=names or EntityNames(), **more))


def test_one_document_is_told_in_the_singular():
    one = DatasetResult("news", 1, [], {Outcome.MISSED: 1})
    assert "1 annotated mention in 1 document. " in report_page(Report("Title", [one]))
    assert "3 annotated mentions in 2 documents. " in report_page(
        Report("Title", [DatasetResult("news", 2, [], {Outcome.MISSED: 3})])
    )


@pytest.mark.parametrize("nasty", NASTY)
def test_no_string_of_a_document_or_knowledge_base_becomes_markup(nasty):
    names = EntityNames(lambda name: (nasty, nasty))
    page = page_of(nasty_tally(nasty), name=nasty, title=nasty, facts={"data": nasty}, names=names, other_name=nasty)
    plain = page_of(
        nasty_tally("x"), name="x", title="x", facts={"data": "x"}, names=EntityNames(lambda name: ("x", "x"))
    )
    found, expected = Page(page), Page(plain)
    for tag in ("script", "style", "a", "img", "iframe", "object", "form", "link", "base", "article", "meta"):
        assert len(found.of(tag)) == len(expected.of(tag)), tag
    assert not any(key.startswith("on") for _, attrs in found.elements for key in attrs)
    assert "\x00" not in page and "\x1b" not in page


def test_the_page_asks_for_nothing_from_anywhere():
    page = page_of(nasty_tally("x"), n_results=2)
    seen = Page(page)
    for tag, attrs in seen.elements:
        assert not {"src", "srcset", "action", "data", "poster", "style"} & set(attrs), (tag, attrs)
        for key, value in attrs.items():
            if "href" in key:
                assert value.startswith("#")
            elif key != "xmlns":
                assert "http:" not in (value or "") and "https:" not in (value or "")
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|WebSocket|import\(", page)


def test_links_within_the_page_lead_somewhere():
    seen = Page(page_of(nasty_tally("x"), n_results=2))
    ids = [attrs["id"] for _, attrs in seen.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert {attrs["href"][1:] for attrs in seen.of("a")} <= set(ids)
    assert {attrs["for"] for attrs in seen.of("label")} <= set(ids)
    assert {attrs["aria-labelledby"] for attrs in seen.of("section")} <= set(ids)


def test_every_picture_says_in_words_what_it_shows():
    page = page_of(nasty_tally("x"))
    pictures = re.findall(r"<figure>.*?</figure>", page, re.DOTALL)
    assert len(pictures) >= 3
    assert all("<title>" in each and "<desc>" in each and "<figcaption>" in each for each in pictures)


def test_the_policy_knows_every_style_of_the_page_by_its_hash():
    page = page_of(nasty_tally("x"))
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1])
    n_styles = len(set(re.findall(r"<style>(.*?)</style>", page, re.DOTALL)))
    assert policy.split("style-src")[1].split(";")[0].count("sha256-") == n_styles
    assert "unsafe" not in policy


def test_a_mistake_is_shown_with_its_text_gold_prediction_and_candidates():
    text = " ".join(Page(page_of(nasty_tally("Nasty"))).texts)
    for words in ("Wrong span", "Not among candidates", "gold Nasty", "0.600", "document ", "✗ linked"):
        assert words in text


def test_every_kind_of_mistake_tells_its_count_share_and_remedy():
    outcomes = {Outcome.RIGHT: 6, Outcome.NOT_IN_KB: 1, Outcome.MISSED: 3, Outcome.SPURIOUS: 5}
    page = report_page(Report("T", [DatasetResult("d", 4, [], outcomes)]))
    sections = re.findall(r'<details class="errors">.*?</details>', page, re.DOTALL)
    assert [re.search("<b>(.*?)</b>", each)[1] for each in sections] == ["Spurious", "Missed", "Gold not in KB"]
    assert "3 · 30.0% of gold" in sections[1]
    assert "of gold" not in sections[0]
    for outcome, section in zip((Outcome.SPURIOUS, Outcome.MISSED), sections, strict=False):
        assert outcome.advice.replace("'", "&#x27;") in section


def test_several_datasets_get_a_list_of_contents_and_a_mean():
    page = page_of(nasty_tally("x"), n_results=2)
    assert "mean over datasets" in page and "<nav" in page
    assert "mean over datasets" not in page_of(nasty_tally("x"))


def test_a_perfect_run_has_no_mistakes_to_show():
    page = report_page(Report("T", [DatasetResult("d", 1, [], {Outcome.RIGHT: 2})]))
    assert "<article" not in page and "most frequent mistake" not in page


def test_the_page_is_the_same_every_time():
    assert page_of(nasty_tally("x")) == page_of(nasty_tally("x"))


def test_a_chart_of_the_drawing_room_goes_in_as_it_is():
    picture = line_chart("P", [Series("s", [1, 2], [0.1, 0.2])])
    page = report_page(Report("T", [DatasetResult("d", 1, [], {}, charts=[Chart(picture, "<caption>")])]))
    assert picture in page and "&lt;caption&gt;" in page
