"""Markup: what is code, a tag or an address, and what only looks like it; in time that grows with the text."""

import time

import pytest

from deixis.detection.markup import markup_spans
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker

UNITS = (
    "<!--", "<!-- -->", "-->", "<a ", "<", "`", "``", "```\n", "`a ", "' `", "{{", "}}", "{{ a }}", "{{a {{b", "[[",
    "[[a|", "](", "](a", "@", "a@", "a@b.", "a.a@", "www.", "http://", "&", "&#1", "a", "é", "x" * 70 + "@",
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
    begin = time.process_time()
    markup_spans(text)
    markup_spans(text[:-3] + "-->")
    assert time.process_time() - begin < 2.0  # twice over a megabyte


def test_a_text_is_linked_alike_whole_and_cut_into_its_documents():
    linker = Linker.build(KnowledgeBase.from_records([{"id": "p", "title": "Paris"}, {"id": "t", "title": "Troy"}]))
    parts = ["```We saw Paris,'' said Ann.", "Nobody saw Troy. ``Or Paris?''", "```That was Troy,'' said Ben."]
    whole = "\n\n".join(parts)
    found = [mention.text for part in parts for mention in linker.link(part).mentions]
    assert [mention.text for mention in linker.link(whole).mentions] == found == ["Paris", "Troy", "Paris", "Troy"]
