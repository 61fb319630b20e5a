"""Markup: what is code, a tag or an address, and what only looks like it; in time that grows with the text."""

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.detection.markup import markup_spans
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from tests.timing import cpu_seconds

UNITS = (
    "<!--", "<!-- -->", "-->", "<a ", "<", "`", "``", "```\n", "`a ", "' `", "{{", "}}", "{{ a }}", "{{a {{b", "[[",
    "[[a|", "](", "](a", "@", "a@", "a@b.", "a.a@", "www.", "http://", "&", "&#1", "a", "é", "x" * 70 + "@", "'", "(",
    "`a", "<a", "a.b@", "<a\n", "<a\n\n", "`a'", "`a's", "``a''", "`(a')-", "```\na\n", "[[a", "](a \"", "&a",
)  # fmt: skip


def marked(text: str) -> list[str]:
    return [text[start:end] for start, end in markup_spans(text)]


@pytest.mark.parametrize(
    "text",
    [
        "``We saw Paris,'' she said. ``Then Troy.''",
        "```We saw Paris' letter,'' she said.\nTroy fell. ```Nobody knew.''",
        "`Paris', he said, and `Troy', too.",
        "5 < 6 and 7 > 6, if Paris < Troy",
        "{{ a brace that nobody closes, and Paris",
    ],
)
def test_marks_of_quotation_and_lone_signs_hide_nothing(text):
    assert marked(text) == []


def test_code_tags_comments_addresses_and_templates_are_markup():
    assert marked("Say `Troy()` or `a b`.") == ["`Troy()`", "`a b`"]
    assert marked("See\n```\nParis = 1\n```\nfor Troy") == ["```\nParis = 1\n```"]
    assert marked("<b>Paris</b> <!-- Troy --> <?php Ann ?>") == ["<b>", "</b>", "<!-- Troy -->", "<?php Ann ?>"]
    assert marked("ann.b+c@troy.gr, www.paris.fr/x and ftp://troy") == [
        "ann.b+c@troy.gr",
        "www.paris.fr/x",
        "ftp://troy",
    ]
    assert marked("{{Box|{{Paris}}|Troy}} Ann") == ["{{Box|{{Paris}}|Troy}}"]


def test_what_is_too_long_to_be_markup_is_text():
    assert marked("```\n" + "Paris and Troy. " * 5000 + "\n```\n") == []
    assert marked("<!--" + "Paris and Troy. " * 5000 + "-->") == []


@pytest.mark.parametrize("unit", UNITS)
def test_a_megabyte_of_anything_takes_less_than_a_second(unit):
    text = (unit * (1_000_000 // len(unit) + 1))[:1_000_000]
    assert cpu_seconds(partial(markup_spans, text), enough=1.0) < 1.0
    assert cpu_seconds(partial(markup_spans, text[:-3] + "-->"), enough=1.0) < 1.0


QUOTED = (
    "``The market fell in {},'' said Ann. ``Nobody saw {} fall.''",
    "`The market fell in {},' said Ann; `nobody saw {}'.",
    "She called it `{}'-`{}' (`{}')/`{}' and \"`{}'\" or `Ann's {}'--`Ben's'.",
    "```{}' is its name,'' he said. ``Not `{}'.''",
    "``We are going to {},'' he said, ``and to `{}', too.",
)


@pytest.mark.parametrize("line_end", [" ", "\n", "\n\n"], ids=["one line", "lines", "paragraphs"])
@pytest.mark.parametrize("style", QUOTED)
def test_quotations_of_a_long_news_text_hide_nothing(style, line_end):
    text = line_end.join(style.replace("{}", name) for name in ("Paris", "New York", "F.C. Troy") for _ in range(500))
    assert marked(text) == []


@pytest.mark.parametrize("code", ["`print('Paris')`", "`x = ['Paris', 'Troy']`", "`don't`", "`Troy()`", "`a 'b c' d`"])
def test_code_with_apostrophes_is_code(code):
    assert marked(f"Say {code} now, or {code}.") == [code, code]


def test_a_lone_sign_hides_nothing_in_the_paragraphs_after_it():
    assert marked("Where p <b was found.\n\nParis and Troy are > all.") == []
    assert marked('<a\nhref="Paris">Troy</a>') == ['<a\nhref="Paris">', "</a>"]


PIECES = (
    "<b>Paris</b>", "```\nParis = 1\n\nTroy = 2\n```", "`Troy()`", "``Paris,'' he said.", "`Paris', he said.",
    "p <b and Troy", "{{Box|Paris}}", "<!-- Paris\n\nTroy -->", "[[Paris|Troy]]", "[Paris](Troy)", "see www.troy.gr",
    "a@troy.gr", "Paris & Troy", "Troy > Paris", "it's `Paris", "the boys' Troy", "](Paris", "[[Paris", "Paris;",
    "```Paris' and Troy",
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(documents=st.lists(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map(" ".join), max_size=6))
def test_markup_is_alike_in_a_text_and_in_its_documents(documents):
    apart = [span for document in documents for span in marked(document)]
    assert marked("\n\n".join(documents)) == apart


def test_a_text_is_linked_alike_whole_and_cut_into_its_documents():
    linker = Linker.build(KnowledgeBase.from_records([{"id": "p", "title": "Paris"}, {"id": "t", "title": "Troy"}]))
    parts = ["```We saw Paris,'' said Ann.", "Nobody saw Troy. ``Or Paris?''", "```That was Troy,'' said Ben."]
    whole = "\n\n".join(parts)
    found = [mention.text for part in parts for mention in linker.link(part).mentions]
    assert [mention.text for mention in linker.link(whole).mentions] == found == ["Paris", "Troy", "Paris", "Troy"]
