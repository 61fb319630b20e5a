"""A generated dump of Wikipedia's pages in XML, as export-0.11 has them (`pages-articles`).

Pages have templates, tables, references, files, categories and links; every third one is a redirect, every tenth a
template, every hundredth a disambiguation page, and the text of every five hundredth is deleted.
"""

from collections.abc import Iterator
from itertools import count
from xml.sax.saxutils import escape, quoteattr

from benchmarks.scale.dump_words import Words

SHA1 = "1d93hhnodwik1tprie12ich9fw3j8il"
SPACES = {-2: "Media", -1: "Special", 1: "Talk", 2: "User", 4: "Wikipedia", 6: "File", 10: "Template",
              14: "Category", 100: "Portal", 828: "Module"}  # fmt: skip
HEAD = (
    """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" \
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://www.mediawiki.org/xml/export-0.11/ http://www.mediawiki.org/xml/export-0.11.xsd" \
version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>Wikipedia</sitename>
    <dbname>enwiki</dbname>
    <base>https://en.wikipedia.org/wiki/Main_Page</base>
    <generator>MediaWiki 1.46.0-wmf.1</generator>
    <case>first-letter</case>
    <namespaces>
      <namespace key="0" case="first-letter" />
"""
    + "".join(f'      <namespace key="{key}" case="first-letter">{name}</namespace>\n' for key, name in SPACES.items())
    + "    </namespaces>\n  </siteinfo>\n"
)


def wikipedia(n_bytes: int, seed: int = 5) -> Iterator[str]:
    """The head, then a page at a time."""
    words, n_pages = Words(seed), n_bytes // 6000 + 10
    yield HEAD
    for number in count(1):
        if number % 10 == 1:
            yield _page(
                number, f"Template:{words.title(number)}", f"{{{{{{1|}}}}}} [[{words.target(n_pages)}]]", namespace=10
            )
        elif number % 3 == 2:
            target = words.title(number * 31 % n_pages)
            text = f"#REDIRECT [[{target}]]\n\n{{{{R from alternative name}}}}"
            yield _page(number, f"{words.title(number)} (redirect)", text, redirect=target)
        elif number % 100 == 0:
            yield _page(number, words.title(number), _disambiguation(words, number, n_pages))
        else:
            yield _page(number, words.title(number), _article(words, number, n_pages))


def _disambiguation(words: Words, number: int, n_pages: int) -> str:
    lines = "".join(f"* [[{words.target(n_pages)}]], {words.text(2, 6)}\n" for _ in range(4))
    return f"'''{words.title(number)}''' may refer to:\n{lines}{{{{disambiguation}}}}\n"


def _article(words: Words, number: int, n_pages: int) -> str:
    title = words.title(number)
    infobox = "".join(f"| {word} = {{{{small|{word}}}}} [[{word}]]\n" for word in words.some(12))
    table = "".join(f"|-\n| {word} || {word} 1\n" for word in words.some(8))
    parts = [
        f"{{{{Short description|{words.text(2, 6)}}}}}\n{{{{Infobox thing\n{infobox}}}}}\n'''{title}''' is a thing. "
    ]
    for section in range(words.number(1, 6)):
        parts.append(f"\n== {words.some(1)[0].capitalize()} ==\n" if section else "")
        parts += [_sentence(words, n_pages) for _ in range(words.number(6, 30))]
        parts.append(f'\n{{| class="wikitable"\n{table}|}}\n' if section == 2 else "\n\n")
    parts.append(
        f"[[File:{title}.jpg|thumb|A [[picture]] of it]]\n\n{{{{reflist}}}}\n[[Category:Things]]\n[[fr:{title}]]\n"
    )
    return "".join(parts)


def _sentence(words: Words, n_pages: int) -> str:
    """A sentence, every other with a link to one of the pages, every sixth with a reference."""
    pieces = words.some(words.number(8, 25))
    if words.number(0, 1):
        title = words.target(n_pages)
        pieces[3] = f"[[{title}|{title.split()[0]}]]" if words.number(0, 2) else f"[[{title}]]"
    if not words.number(0, 5):
        address = f"https://example.org/{words.number(1, 10**6)}"
        pieces[5] += f'<ref name="a">{{{{cite web|url={address}|title={pieces[0]}|access-date=2026-01-01}}}}</ref>'
    return f"{' '.join(pieces).capitalize()}. "


def _page(number: int, title: str, text: str, redirect: str | None = None, namespace: int = 0) -> str:
    lead = "" if redirect is None else f"    <redirect title={quoteattr(redirect)} />\n"
    by = f"<username>User {number}</username>\n        <id>{number}</id>" if number % 7 else "<ip>192.0.2.7</ip>"
    body = f'<text bytes="{len(text.encode())}" sha1="{SHA1}" xml:space="preserve">{escape(text)}</text>'
    if number % 500 == 0:
        body = f'<text bytes="{len(text.encode())}" sha1="{SHA1}" deleted="deleted" />'
    minor = "      <minor />\n" if number % 4 == 0 else ""
    return f"""  <page>
    <title>{escape(title)}</title>
    <ns>{namespace}</ns>
    <id>{number}</id>
{lead}    <revision>
      <id>{10**9 + number}</id>
      <parentid>{10**8 + number}</parentid>
      <timestamp>2026-01-01T00:00:00Z</timestamp>
      <contributor>
        {by}
      </contributor>
{minor}      <comment>/* History */ [[{escape(title)}]] &amp; more</comment>
      <origin>{10**9 + number}</origin>
      <model>wikitext</model>
      <format>text/x-wiki</format>
      {body}
      <sha1>{SHA1}</sha1>
    </revision>
  </page>
"""
