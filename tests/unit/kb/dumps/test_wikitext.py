"""Wikitext to plain text: what is left out, what links are, where they stand, and how long hostile text takes."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.kb.dumps.titles import Wiki, is_disambiguation
from deixis.kb.dumps.wikitext import plain_text

MAX_SECONDS_PER_MEGABYTE = 8


def links(wikitext, wiki=None):
    page = plain_text(wikitext, wiki)
    return [(page.text[link.start : link.end], link.target) for link in page.links]


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("'''Paris''' is a ''city''.", "Paris is a city."),
        ("'''''both''''' and ''''four''''", "both and 'four'"),
        ("a{{b|c={{d}}|[[e]]}}f", "af"),
        ("{{Infobox\n| name = Paris\n| map = {{maps|a\n}}\n}}\nParis.", "Paris."),
        ("{| class=wikitable\n| a || b\n|-\n| {{c|\n|}}\n|}\nAfter.", "After."),
        ("{|\n|\n{|\n| inner\n|}\n|}\nAfter.", "After."),
        ("x<!-- [[no]] -->y<!-- never closed", "xy"),
        ("Paris<ref name=a>A [[book]].</ref> fell<ref name=a />.", "Paris fell."),
        ("<ref>never closed. Paris.", "never closed. Paris."),
        ("<nowiki>'''[[not]] {{a}} a link'''</nowiki> &lt;b&gt;", "'''[[not]] {{a}} a link''' <b>"),
        ("H<sub>2</sub>O<br/>and<math>\\frac{a}{b}</math> more", "H2O and more"),
        ("<gallery>\nFile:a.jpg|[[b]]\n</gallery>Paris", "Paris"),
        ("[http://example.org the site], [https://example.org] and [//x.org y]", "the site, and y"),
        ("* one\n** two\n# three\n: four\n----\nfive", "one\ntwo\nthree\nfour\nfive"),
        ("A&nbsp;b&ndash;c &#233; &eacute; &unknown; AT&T", "A b–c é é &unknown; AT&T"),
        ("__NOTOC__Paris__FORCETOC__", "Paris"),
        ("[[File:a.jpg|thumb|A [[cat]] on a [[mat|''m'']]]]Paris [[Category:Cities]]", "Paris"),
        ("Paris [[fr:Paris]] [[:fr:Paris|en français]] [[wikt:city|city]]", "Paris en français city"),
        ("Paris ({{IPA|x}}) and ( , ; ) and (b)", "Paris and and (b)"),
        ("a ]] b }} c |} d | e", "a ]] b }} c |} d | e"),
        ("open [[ link\nand {{ brace and [[x|y", "open link\nand {{ brace and y"),
        ("a\n\n\n\nb   c \t d\n", "a\nb c d"),
        ("", ""),
        ("\n\n", ""),
        ("日本[[東京|東京都]]は😀[[Ω]]", "日本東京都は😀Ω"),
    ],
)
def test_what_a_page_shows_is_kept_and_its_markup_is_not(wikitext, text):
    assert plain_text(wikitext).text == text


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        ("[[Paris]]", [("Paris", "Paris")]),
        ("[[paris (mythology)#History|he]]", [("he", "Paris (mythology)")]),
        ("[[bus]]es, [[über]]all, [[東京]]は", [("buses", "Bus"), ("überall", "Über"), ("東京", "東京")]),
        ("[[New_York__City|NY]] [[Caf%C3%A9]]", [("NY", "New York City"), ("Café", "Café")]),
        ("[[2001: A Space Odyssey]]", [("2001: A Space Odyssey", "2001: A Space Odyssey")]),
        ("[[CSI: Miami]]", [("CSI: Miami", "CSI: Miami")]),
        ("[[#History|below]] [[Help:A|h]] [[:Category:B|c]] [[fr:D|d]] [[/sub]] [[]] [[|x]]", []),
        ("[[a|b|c]]", [("b|c", "A")]),
        ("[[a|''b'' <i>c</i>]]", [("b c", "A")]),
        ("[[a| b ]]", [("b", "A")]),
        ("[[a|]]", [("a", "A")]),
        ("[[a|({{x}})]] [[b|<!-- c -->]]", [("b", "B")]),
        ("[[&#91;x]]", []),
        ("[[a\nb]] [[c|d\ne]]", [("d\ne", "C")]),
        ("[[File:x|[[a]] [[b]]]] [[c]]", [("c", "C")]),
        ("[[outer|in [[inner]] out]]", [("in inner out", "Outer")]),
        ("{{t|[[no]]}} <ref>[[no]]</ref> [[yes]]", [("yes", "Yes")]),
        ("[[ß]] [[ǆ]]", [("ß", "ß"), ("ǆ", "Ǆ")]),
    ],
)
def test_links_to_articles_are_kept_with_their_texts(wikitext, expected):
    assert links(wikitext) == expected


def test_a_wiki_has_namespaces_of_its_own_and_maybe_no_capitals():
    german = Wiki({"datei": 6, "kategorie": 14, "vorlage": 10})
    assert links("[[Datei:a.jpg|mini|[[b]]]][[Kategorie:C]] [[vorlage:x|x]] [[d]]", german) == [("d", "D")]
    assert links("[[wort]]", Wiki(has_capitals=False)) == [("wort", "wort")]


def test_the_first_paragraph_is_before_the_first_heading_and_has_letters():
    page = plain_text(
        "{{a}}\n[[File:x.jpg]]\n...\n\n'''Paris''' is.\n\nMore.\n\n== History ==\nOld.\n=== Older ===\nVery."
    )
    assert page.first_paragraph == "Paris is." and page.text == "...\nParis is.\nMore.\nOld.\nVery."
    assert page.text[: page.n_intro].rstrip() == "...\nParis is.\nMore."
    assert plain_text("== H ==\nText").first_paragraph == ""
    assert page.templates == ("a",)


@pytest.mark.parametrize("name", ["disambiguation", "Template:Disambiguation", "Begriffsklärung", "Template:Hndis"])
def test_disambiguation_pages_are_known_by_their_template(name):
    assert is_disambiguation([name], []) and not is_disambiguation(["Infobox"], ["Cities"])


HOSTILE = [
    "{{", "}}", "[[", "]]", "[[a|", "[[File:a|", "<ref>", "<ref ", "<nowiki>", "<!--", "''", "&amp", "(", " ", "\n",
    "[http://", "{|\n", "|}\n", "<a ", "=\n", "\n= ", "(\t", "[[a]]", "* ", "_", " ,", "{{a{|\n}}", "[[a:", "-",
    "<pre>x</pre>", "&#1;", "\n:", "{{{", "}}}", "'", "[[:", "(\u00a0", "[[a|b", "<br>", "\n|}}", "{{\n|}",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_takes_time_in_proportion_to_its_length(piece):
    text = piece * (60_000 // len(piece))
    begin = time.process_time()
    for whole in (text, text + text[::-1]):
        plain_text(whole)
    assert time.process_time() - begin < 0.18 * MAX_SECONDS_PER_MEGABYTE


PIECES = st.sampled_from(
    [*HOSTILE, "Paris", " ", "ñ", "😀", "東", "|", "]]", "}}", "</ref>", "</nowiki>", "-->", "== H ==", "]"]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join))
def test_links_are_apart_in_order_and_inside_the_text(wikitext):
    page = plain_text(wikitext)
    end = 0
    for link in page.links:
        assert end <= link.start < link.end <= len(page.text)
        assert not page.text[link.start].isspace() and not page.text[link.end - 1].isspace()
        assert link.target == " ".join(link.target.split()) != ""
        end = link.end
    assert 0 <= page.n_intro <= len(page.text) and "\n\n" not in page.text and page.text == page.text.strip()


def test_a_link_is_found_where_the_plain_text_has_it():
    chance = random.Random(5)
    names = ["Paris", "東京", "Zoë Ω", "😀 face", "a-b"]
    for _ in range(200):
        wikitext, expected = "", []
        for _ in range(chance.randint(1, 8)):
            name, target = chance.choice(names), chance.choice(names)
            wikitext += chance.choice(
                ["word ", "{{t|x}}", "''é'' ", "<ref>r</ref>", "( ) ", "&nbsp;", "\n\n", "<!--c-->"]
            )
            wikitext += f"[[{target}|{name}]]{chance.choice([', ', '. ', ' '])}"
            expected.append((name, target[0].upper() + target[1:]))
        assert links(wikitext) == expected
