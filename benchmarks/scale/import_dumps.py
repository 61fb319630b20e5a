"""Import of dumps: `python -m benchmarks.scale.import_dumps [--megabytes 100 1000] [--workers 1 2] [--record]`.

Dumps of a given size are generated, unpacked in megabytes: pages of Wikipedia in XML with templates, tables,
references, redirects and links (also in bzip2 streams of 100 pages, as `multistream` is published), pages of
CirrusSearch, items of Wikidata with twelve languages and twenty statements. Words are drawn at random, with
frequencies as in texts.

Each import is a process of its own (`deixis kb import`). Reported are unpacked megabytes and entities a second of
processor time (of all its processes) and by the clock, and the most memory that one of its processes held. Two imports
that are compared take turns. A bare loop over the lines with `json.loads` is beside those of JSON.
"""

import argparse
import bz2
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from benchmarks.rows import record, start_run
from deixis.evaluation.rows import ResultRow

SUITE = "dumps"
OURS = "deixis"
MB = 1_000_000
N_WORDS = 20_000
STREAM_PAGES = 100
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pl", "sv", "ru", "ja", "zh", "ar")
HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>Wikipedia</sitename>
    <dbname>enwiki</dbname>
    <case>first-letter</case>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="6" case="first-letter">File</namespace>
      <namespace key="14" case="first-letter">Category</namespace>
    </namespaces>
  </siteinfo>
"""
LOOP = """
import json, sys
from deixis.store.files import open_byte_lines
for _, raw in open_byte_lines(sys.argv[1]):
    line = raw.strip().removesuffix(b",")
    if line not in (b"", b"[", b"]"):
        json.loads(line)
"""


class Words:
    """Words, titles and sentences, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        letters = "aabcdeeeefghiiiklmnooprsttuvwyéüß"
        self._words = ["".join(self._chance.choices(letters, k=self._chance.randint(2, 11))) for _ in range(N_WORDS)]
        self._weights = list(accumulate(1 / (rank + 5) for rank in range(N_WORDS)))

    def some(self, n: int) -> list[str]:
        """Words as frequent as in texts."""
        return self._chance.choices(self._words, cum_weights=self._weights, k=n)

    def number(self, low: int, high: int) -> int:
        """A number between two, both included."""
        return self._chance.randint(low, high)

    def title(self, number: int) -> str:
        """The title of a page."""
        first, second = self._words[number * 7919 % N_WORDS], self._words[number * 104_729 % N_WORDS]
        return f"{first.capitalize()} {second} {number}"

    def sentence(self, n_pages: int) -> str:
        """A sentence of wikitext, every other with a link to one of the pages."""
        words = self.some(self.number(8, 25))
        if self.number(0, 1):
            target = int(n_pages * self._chance.random() ** 3)  # some are linked to far more than others
            title = self.title(target)
            words[3] = f"[[{title}|{title.split()[0]}]]" if self.number(0, 2) else f"[[{title}]]"
        if not self.number(0, 5):
            words[5] += f"<ref>{{{{cite web|url=https://example.org/{self.number(1, 10**6)}|title={words[0]}}}}}</ref>"
        return f"{' '.join(words).capitalize()}. "


def wikipedia(n_bytes: int, seed: int = 5) -> Iterator[str]:
    """A dump of pages and redirects, a page at a time after the head."""
    words, number, size = Words(seed), 0, 0
    n_pages = n_bytes // 6000 + 10
    yield HEAD
    while size < n_bytes:
        page = _redirect(words, number, n_pages) if number % 3 == 2 else _article(words, number, n_pages)
        yield page
        number, size = number + 1, size + len(page)
    yield "</mediawiki>\n"


def _redirect(words: Words, number: int, n_pages: int) -> str:
    target = words.title(number * 31 % n_pages)
    return _page(number, f"{words.title(number)} (redirect)", f"#REDIRECT [[{target}]]", target)


def _article(words: Words, number: int, n_pages: int) -> str:
    title = words.title(number)
    infobox = "".join(f"| {word} = {{{{small|{word}}}}} [[{word}]]\n" for word in words.some(12))
    table = "".join(f"|-\n| {word} || {word} 1\n" for word in words.some(8))
    parts = [f"{{{{Infobox thing\n{infobox}}}}}\n'''{title}''' is a thing. "]
    for section in range(words.number(1, 6)):
        parts.append(f"\n== {words.some(1)[0].capitalize()} ==\n" if section else "")
        parts += [words.sentence(n_pages) for _ in range(words.number(6, 30))]
        parts.append(f"\n{{| class=wikitable\n{table}|}}\n" if section == 2 else "\n\n")
    parts.append(f"[[File:{title}.jpg|thumb|A [[picture]] of it]]\n[[Category:Things]]\n")
    return _page(number, title, "".join(parts), None)


def _page(number: int, title: str, text: str, target: str | None) -> str:
    redirect = "" if target is None else f"    <redirect title={quoteattr(target)} />\n"
    return (
        f"  <page>\n    <title>{escape(title)}</title>\n    <ns>0</ns>\n    <id>{number}</id>\n{redirect}"
        f"    <revision>\n      <id>{number}</id>\n      <timestamp>2026-01-01T00:00:00Z</timestamp>\n"
        f"      <contributor>\n        <username>x</username>\n        <id>1</id>\n      </contributor>\n"
        f'      <model>wikitext</model>\n      <format>text/x-wiki</format>\n      <text bytes="{len(text)}" '
        f'xml:space="preserve">{escape(text)}</text>\n      <sha1>x</sha1>\n    </revision>\n  </page>\n'
    )


def cirrussearch(n_bytes: int, seed: int = 5) -> Iterator[str]:
    """Actions and pages; a page has its text three times, as in the dumps."""
    words, number, size = Words(seed), 0, 0
    while size < n_bytes:
        title = words.title(number)
        text = " ".join(words.some(words.number(200, 900)))
        page = {
            "title": title, "namespace": 0, "language": "en", "opening_text": text[:600], "text": text,
            "source_text": text, "auxiliary_text": [text[:300]], "wikibase_item": f"Q{number}", "page_id": number,
            "redirect": [{"namespace": 0, "title": name} for name in words.some(2)], "incoming_links": number % 900,
            "template": ["Template:Cite web"], "category": words.some(6), "outgoing_link": words.some(60),
            "heading": words.some(5), "external_link": [f"https://example.org/{word}" for word in words.some(9)],
        }  # fmt: skip
        lines = json.dumps({"index": {"_type": "_doc", "_id": str(number)}}) + "\n" + json.dumps(page) + "\n"
        yield lines
        number, size = number + 1, size + len(lines)


def wikidata(n_bytes: int, seed: int = 5) -> Iterator[str]:
    """An array of items, one a line."""
    words, number, size = Words(seed), 0, 0
    yield "[\n"
    while size < n_bytes:
        line = json.dumps(_item(words, number)) + ",\n"
        yield line
        number, size = number + 1, size + len(line)
    yield "]\n"


def _item(words: Words, number: int) -> dict[str, object]:
    def term(language: str, value: str) -> dict[str, str]:
        return {"language": language, "value": value}

    def statement(property: str, item: int) -> dict[str, object]:
        value = {"entity-type": "item", "numeric-id": item, "id": f"Q{item}"}
        snak = {"snaktype": "value", "property": property, "hash": "0" * 40,
                "datavalue": {"value": value, "type": "wikibase-entityid"}, "datatype": "wikibase-item"}  # fmt: skip
        return {"mainsnak": snak, "type": "statement", "id": f"Q{number}${item}", "rank": "normal", "references": []}

    names = {language: " ".join(words.some(2)) for language in LANGUAGES}
    return {
        "type": "item", "id": f"Q{number + 1}",
        "labels": {language: term(language, name) for language, name in names.items()},
        "descriptions": {language: term(language, " ".join(words.some(6))) for language in LANGUAGES},
        "aliases": {language: [term(language, word) for word in words.some(2)] for language in LANGUAGES[:4]},
        "claims": {"P31": [statement("P31", number % 50)]}
        | {f"P{property}": [statement(f"P{property}", words.number(1, 10**7))] for property in range(100, 120)},
        "sitelinks": {f"{language}wiki": {"site": f"{language}wiki", "title": name, "badges": []}
                      for language, name in list(names.items())[: number % 12]},
        "lastrevid": number,
    }  # fmt: skip


def write_plain(parts: Iterator[str], path: Path) -> None:
    """The dump as it is."""
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(parts)


def write_streams(parts: Iterator[str], path: Path) -> None:
    """The dump in bzip2 streams: one for the head, then one for every hundred pages."""
    with open(path, "wb") as file:
        file.write(bz2.compress(next(parts).encode()))
        pages: list[str] = []
        for part in parts:
            pages.append(part)
            if len(pages) == STREAM_PAGES:
                file.write(bz2.compress("".join(pages).encode()))
                pages.clear()
        file.write(bz2.compress("".join(pages).encode()))


DUMPS: dict[str, tuple[Callable[[int], Iterator[str]], str, Callable[[Iterator[str], Path], None]]] = {
    "wikipedia": (wikipedia, "wiki.xml", write_plain),
    "multistream": (wikipedia, "wiki-multistream.xml.bz2", write_streams),
    "cirrussearch": (cirrussearch, "content.json", write_plain),
    "wikidata": (wikidata, "latest-all.json", write_plain),
}


def measured(command: list[str]) -> tuple[float, float, float, str]:
    """Processor seconds and seconds of a process and its own, most megabytes of one of them, and what it printed."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    script = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True)\n"
        "sys.stdout.buffer.write(done.stdout)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, *command], capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    *printed, peak = done.stdout.splitlines()
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - begin, float(peak), "\n".join(printed)


def rows_of(name: str, megabytes: int, workers: list[int], folder: Path, has_mentions: bool) -> Iterator[ResultRow]:
    """The figures of one dump, for each number of processes."""
    parts, file, write = DUMPS[name]
    path, output = folder / file, folder / "entities.jsonl"
    write(parts(megabytes * MB), path)
    suite = f"{SUITE}/{name}-{megabytes}"
    for n_workers in workers:
        command = [sys.executable, "-m", "deixis.cli", "kb", "import", str(path), "-o", str(output), "--json", "-q"]
        command += ["--workers", str(n_workers)]
        command += ["--mentions", str(folder / "mentions.jsonl")] if has_mentions and "wiki" in file else []
        cpu, wall, peak, printed = measured(command)
        n_entities = json.loads(printed)["n_entities"]
        system = f"{OURS}, {n_workers} workers" if n_workers > 1 else OURS
        yield ResultRow(suite, "mb_per_cpu_second", system, round(megabytes / cpu, 2), "MB/s", n=n_entities)
        yield ResultRow(suite, "mb_per_second", system, round(megabytes / wall, 2), "MB/s", n=n_entities)
        yield ResultRow(suite, "entities_per_cpu_second", system, round(n_entities / cpu), "1/s", n=n_entities)
        yield ResultRow(suite, "peak_memory", system, round(peak), "MB", n=n_entities)
    if name in ("cirrussearch", "wikidata"):
        cpu, *_ = measured([sys.executable, "-c", LOOP, str(path)])
        yield ResultRow(suite, "mb_per_cpu_second", "json.loads", round(megabytes / cpu, 2), "MB/s")
    path.unlink()


def main(arguments: list[str] | None = None) -> int:
    """Write dumps, import them, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--dumps", nargs="+", choices=DUMPS, default=list(DUMPS))
    parser.add_argument("--mentions", action="store_true", help="write texts with their links too")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args(arguments)
    start_run(is_recorded=options.record)
    rows = []
    with tempfile.TemporaryDirectory(dir=os.environ.get("DEIXIS_SCRATCH")) as folder:
        for name in options.dumps:
            for megabytes in options.megabytes:
                for row in rows_of(name, megabytes, options.workers, Path(folder), options.mentions):
                    print(f"{row.suite} {row.metric} {row.system}: {row.value} {row.unit}", flush=True)
                    rows.append(row)
    if options.record:
        record(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
