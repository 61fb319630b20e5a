"""Ordinary sentences against six lists: `python -m benchmarks.quality.sentences [--list medic] [--show]`.

Twenty sentences for each of MEDIC, MeSH, ESCO occupations, GeoNames, WordNet and a list of products, in
`benchmarks/quality/sentences/LIST.txt`, as a newcomer would type them. Names that are on the list are marked with the
entities that are right, `[asthma|D001249]`; words that name nothing here are marked `[split|-]`. Texts are linked raw,
with the default settings, by a linker built from the list alone. Recorded for each list:

- `names_right`: the fraction of marked names that are linked to a right entity, with exactly that span;
- `names_found`: the same whatever the entity;
- `wrong_words_linked`: the number of words marked `-` that are part of a link;
- `other_links`: links to spans that are not marked. On lists that name common nouns, such as WordNet, many are right.
"""

import argparse
import os
import re
from dataclasses import dataclass
from pathlib import Path

from benchmarks.rows import record, start_run
from benchmarks.suites.melo import melo_records
from benchmarks.suites.wordnet_examples import wordnet_records
from deixis.evaluation.rows import ResultRow
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.types import Document, Mention

FOLDER = Path(__file__).with_name("sentences")
DATA = Path(os.environ.get("DEIXIS_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
WORDNET = Path("/usr/share/wordnet")  # Debian's package wordnet-base
LISTS = ("products", "medic", "esco", "wordnet", "geonames", "mesh")
_MARK = re.compile(r"\[([^|\]]+)\|([^\]]*)\]")


@dataclass(frozen=True)
class Sentence:
    """A text, its names with the ids that are right, and the spans that must not be linked."""

    text: str
    names: dict[tuple[int, int], frozenset[str]]
    wrong: tuple[tuple[int, int], ...] = ()

    @classmethod
    def parse(cls, line: str) -> "Sentence":
        """The sentence of a marked line.

        Examples
        --------
        >>> Sentence.parse("[All|-] of them have [asthma|D001249].").names
        {(17, 23): frozenset({'D001249'})}
        """
        text, names, wrong, end = "", {}, [], 0
        for mark in _MARK.finditer(line):
            text += line[end : mark.start()]
            span = len(text), len(text) + len(mark[1])
            if mark[2] == "-":
                wrong.append(span)
            else:
                names[span] = frozenset(mark[2].split(","))
            text, end = text + mark[1], mark.end()
        return cls(text + line[end:], names, tuple(wrong))


@dataclass(frozen=True)
class Counts:
    """How a linker did on the sentences of a list."""

    n_names: int = 0
    n_right: int = 0
    n_found: int = 0
    n_wrong_words: int = 0
    n_other: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))


def read_sentences(name: str) -> list[Sentence]:
    """The sentences of a list, in file order."""
    return [Sentence.parse(line) for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()]


def read_kb(name: str) -> KnowledgeBase | None:
    """The list, or None where it is not on this machine."""
    if name == "products":
        return KnowledgeBase.read(FOLDER / "products.csv")
    if name == "wordnet":
        return KnowledgeBase.from_records(wordnet_records(WORDNET)) if WORDNET.is_dir() else None
    path = DATA / ("melo/usa_q_en_c_en" if name == "esco" else f"{name}/kb.jsonl.gz")
    if not path.exists():
        return None
    return KnowledgeBase.from_records(melo_records(path)) if name == "esco" else KnowledgeBase.read(path)


def count(sentence: Sentence, links: list[Mention]) -> Counts:
    """What the links of one sentence count for."""
    entity_by_span = {(link.start, link.end): link.entity for link in links}
    return Counts(
        n_names=len(sentence.names),
        n_right=sum(entity_by_span.get(span) in ids for span, ids in sentence.names.items()),
        n_found=sum(span in entity_by_span for span in sentence.names),
        n_wrong_words=sum(
            any(start < link.end and link.start < end for link in links) for start, end in sentence.wrong
        ),
        n_other=sum(span not in sentence.names for span in entity_by_span),
    )


def rows(name: str, counts: Counts) -> list[ResultRow]:
    """The figures of a list."""
    settings = {"n_names": counts.n_names}
    values = {
        "names_right": counts.n_right / counts.n_names,
        "names_found": counts.n_found / counts.n_names,
        "wrong_words_linked": counts.n_wrong_words,
        "other_links": counts.n_other,
    }
    return [
        ResultRow(
            f"sentences/{name}",
            key,
            "deixis",
            round(value, 4),
            "share" if key.startswith("names") else "count",
            settings=settings,
        )  # fmt: skip
        for key, value in values.items()
    ]


def main() -> int:
    """Builds a linker for each list, links its sentences, records."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="append", default=[], choices=LISTS, help="only these; may be repeated")
    parser.add_argument(
        "--show", action="store_true", help="print the names that are not linked right, and other links"
    )
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args()
    start_run(is_recorded=not options.dry_run)
    total = Counts()
    for name in options.list or LISTS:
        kb = read_kb(name)
        if kb is None:
            print(f"{name:10} skipped: the list is not on this machine")
            continue
        sentences = read_sentences(name)
        linker = Linker.build(kb)
        counts = Counts()
        for sentence, linked in zip(
            sentences, linker.link_many([Document(str(i), each.text) for i, each in enumerate(sentences)]), strict=True
        ):
            links = [mention for mention in linked.mentions if mention.entity is not None]
            counts += count(sentence, links)
            if options.show:
                show(sentence, links)
        total += counts
        print(f"{name:10} {describe(counts)}", flush=True)
        if not options.dry_run:
            record(rows(name, counts))
    print(f"{'all':10} {describe(total)}")
    if not options.dry_run and not options.list:
        record(rows("all", total))
    return 0


def describe(counts: Counts) -> str:
    """One line of figures."""
    return (
        f"{counts.n_right} of {counts.n_names} names right, {counts.n_found} found, "
        f"{counts.n_wrong_words} wrong words linked, {counts.n_other} other links"
    )


def show(sentence: Sentence, links: list[Mention]) -> None:
    """Prints what differs from the marks."""
    entity_by_span = {(link.start, link.end): link for link in links}
    for span, ids in sentence.names.items():
        link = entity_by_span.get(span)
        if link is None or link.entity not in ids:
            print(f"   - {sentence.text[slice(*span)]!r}: {'not linked' if link is None else link.entity}")
    for span, link in entity_by_span.items():
        if span not in sentence.names:
            print(f"   + {link.text!r}: {link.entity} {link.score:.2f}")


if __name__ == "__main__":
    raise SystemExit(main())
