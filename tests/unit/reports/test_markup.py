"""Nothing that a knowledge base or a document says becomes markup."""

import html
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.reports.markup import Html, element, escaped, foreign, joined

NASTY = ["<script>alert(1)</script>", "</script>", "\" onload='x'", "a & b &amp; c", "]]>", "<!--", "\u202eevil", "🏳️‍🌈"]


class Seen(HTMLParser):
    """What a parser makes of a piece of markup: its elements with their attributes, and its text."""

    def __init__(self, markup):
        super().__init__(convert_charrefs=True)
        self.elements, self.text = [], ""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("nasty", NASTY)
def test_a_text_comes_out_of_the_parser_as_it_went_in(nasty):
    seen = Seen(element("p", nasty, foreign(nasty), title=nasty))
    assert [tag for tag, _ in seen.elements] == ["p", "bdi"]
    assert seen.elements[0][1] == {"title": nasty}
    assert seen.text == nasty * 2


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=30))
def test_no_text_at_all_becomes_an_element(text):
    assert [tag for tag, _ in Seen(element("td", text, class_=text)).elements] == ["td"]
    assert html.unescape(escaped(text)) == text or "\ufffe" in text or "\uffff" in text


def test_markup_is_not_escaped_twice_and_text_is_escaped_once():
    assert escaped(escaped("<")) == "&lt;"
    assert joined(["<", Html("<br>"), element("b", "&")]) == "&lt;<br><b>&amp;</b>"


def test_what_no_page_may_hold_is_shown_as_a_replacement_character():
    shown = escaped("a\x00b\x1b[31m\x9c\ud800\tc\n")
    assert shown == "a\ufffdb\ufffd[31m\ufffd\ufffd\tc\n"
    assert shown.encode("utf-8")


def test_attributes_are_left_out_bare_or_quoted():
    made = element("details", open=True, hidden=False, id=None, data_n=3, class_="errors")
    assert made == '<details open data-n="3" class="errors"></details>'


def test_a_text_that_turns_right_to_left_is_kept_to_itself():
    assert foreign("\u202eabc") == "<bdi>\u202eabc</bdi>"
