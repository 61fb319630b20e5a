"""Pages of HTML: what is text in them, and where it stands in the source."""

import html
import random
from functools import partial

import pytest

from deixis.documents.html_text import html_document
from deixis.types import Mention
from tests.timing import cpu_seconds


def text_of(source):
    return html_document("page", source).text


def in_source(source, words):
    document = html_document("page", source)
    start = document.text.index(words)
    linked = document.with_mentions([Mention(start, start + len(words), words, "Q1")])
    (mention,) = linked.in_source().mentions
    assert source[mention.start : mention.end] == mention.text and mention.entity == "Q1"
    return mention.text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("plain", "plain"),
        ("<p>a</p><p>b</p>", "a\nb\n"),
        ("New <i>York</i> City", "New York City"),
        ("a<script>if (x < y) z()</script>b", "a\nb"),
        ("a <code>f(<b>x</b>)</code> b", "a  b"),
        ("<style>p { }</style>x<!-- no -->y", "xy"),
        ("fish &amp; chips &copy; &#8364; &#x20AC;", "fish & chips © € €"),
        ("AT&T, R&D; &nosuch; a & b &", "AT&T, R&D; &nosuch; a & b &"),
        ("a <code>never closed", "a never closed"),
        ("1 < 2 and <3", "1 < 2 and <3"),
        ("x<br/>y<td>z", "x\ny\nz"),
        ("City\nof\tLight <pre>a\n b</pre>", "City of Light \na\n b\n"),
        ("<a title='x > y' b=\"</a>\">z</a>", "z"),
        ("<a title='it is>open</a> 'x", "open 'x"),
        ("a<!-- never closed <b>c", "ac"),
        ("<SCRIPT>a</Script>b<svg/>c", "b\nc"),
        ("\n<div>\n  a <p>\n b\n</div>\n", "a \nb \n"),
        ("", ""),
    ],
)
def test_the_text_is_what_a_reader_sees(source, text):
    assert text_of(source) == text


@pytest.mark.parametrize(
    ("source", "words", "written"),
    [
        ("<p>So Paris fled</p>", "Paris", "Paris"),
        ("<p>é\n&amp;\n<b>AT&amp;T</b>!", "AT&T", "AT&amp;T"),
        ("&eacute;t&eacute; x", "été", "&eacute;t&eacute;"),
        ("<b>New</b> <i>York</i> City", "New York", "New</b> <i>York"),
        ("&amp&amp; x", "&&", "&amp&amp;"),
        ("<a title='Troy'>Troy</a>", "Troy", "Troy"),
    ],
)
def test_a_mention_stands_in_the_source_where_its_words_are(source, words, written):
    assert in_source(source, words) == written


def test_every_word_of_any_page_is_found_in_its_source():
    """Pages of random pieces of markup, of which some are broken: each word of the text unescapes from its source."""
    parts = ["<p>", "</p>", "<b", "<", ">", "&amp;", "&", "&#65;", "<!--", "-->", "<![CDATA[", "]]>", "<!x", "<?php",
             "word", "\n", " ", "é😀", "<script>", "</script>", "<code>", "</code>", "<br/>", "'", '"', "=",
             "<a href='"]  # fmt: skip
    generator = random.Random(7)
    for _ in range(3000):
        source = "".join(generator.choices(parts, k=generator.randrange(20)))
        document = html_document("page", source)
        at = document.text.find("word")
        if at >= 0:
            linked = document.with_mentions([Mention(at, at + 4, "word")]).in_source()
            assert linked.mentions[0].text == "word", source
        for piece in document.pieces:
            words = document.text[piece.start : piece.start + piece.length]
            written = source[piece.source_start : piece.source_start + piece.source_length]
            assert words == html.unescape(written).replace("\n", " ") or (words == "\n" and not written), source


@pytest.mark.parametrize(
    "hard", ["<code>", "<", "<!--", "&amp", "<a ", "<script>x", "<![", '<a "', '<a ">"', "<a '>\"", "</p"]
)
def test_time_grows_no_faster_than_a_page(hard):
    short = max(0.01, cpu_seconds(partial(html_document, "page", hard * 20_000), enough=0.01))
    assert cpu_seconds(partial(html_document, "page", hard * 160_000), enough=32 * short) < 32 * short
