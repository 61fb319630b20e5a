"""Unlinked mentions as new entities: `python -m benchmarks.quality.unlinked`.

AIDA news is linked to `wiki468k`, which lacks about a third of what it mentions. Of the entities that are not in the
list and are mentioned three times or more, `recall` is the fraction that comes out as one group: one that has at least
half of the entity's mentions, in which most mentions are of this entity, and whose title is a name that annotators
marked as it, or a longer form of one. `recall_mentions` is the fraction of their mentions that are in these groups. Of
the groups with two mentions or more, `precision` is the fraction in which most mentions are of something that is not in
the list (by its page, or annotated as NIL), and `known` that of groups that mostly mean one thing in the list. The
baseline groups by the exact string. Mentions are given, or with `raw` found in the text. The train split decided; the
others are measured once.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from benchmarks.rows import record, start_run
from benchmarks.speed.tasks import data_folder
from deixis.detection.unlinked_groups import Pair, UnlinkedGroups
from deixis.detection.unlinked_names import Key, name_key, stands_for, unlinked_names
from deixis.documents.reading import read_documents
from deixis.evaluation.rows import ResultRow
from deixis.explanation import MIN_COUNT
from deixis.explanation.unlinked import link_with_unknown
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.options import LinkOptions
from deixis.types import Document

SPLITS = ("train", "testa", "testb")
MIN_MENTIONS = 3  # of an entity that should be suggested
SETTINGS = {"min_count": MIN_COUNT}
NIL, KNOWN, NOTHING = "NIL", "in the list", "no gold mention"


@dataclass(frozen=True)
class Group:
    """A group of mentions by what annotators say of them, and its title."""

    title: str
    golds: Counter[str]

    @property
    def main(self) -> str:
        """What most of its mentions are; empty if no entity has more than half."""
        gold, count = max(self.golds.items(), key=lambda item: (item[1], item[0]))
        return gold if 2 * count > self.golds.total() else ""

    def is_new(self) -> bool:
        """Whether most of its mentions are of something that is not in the list."""
        n_new = sum(count for gold, count in self.golds.items() if gold not in (KNOWN, NOTHING))
        return 2 * n_new > self.golds.total()


def gold_of(kb: KnowledgeBase, document: Document) -> dict[tuple[int, int], str]:
    """Spans of a document and what they mean: a page that is not in the list, NIL, or something in the list."""
    return {
        (mention.start, mention.end): NIL if mention.entity is None else
        KNOWN if kb.row_of(mention.entity) is not None else f"page {mention.entity}"
        for mention in document.mentions
    }  # fmt: skip


def by_name(linked: Iterable[Document], golds: dict[str, dict[tuple[int, int], str]]) -> list[Group]:
    """The groups that Deixis makes."""
    counted = UnlinkedGroups()
    members: dict[tuple[Pair, str], Counter[str]] = {}
    for document in linked:
        counted.add(document)
        for name in unlinked_names(document):
            gold = golds[document.id].get((name.start, name.end), NOTHING)
            members.setdefault(((name.key, name.own_key), document.id), Counter())[gold] += 1
    groups = list(counted.groups(MIN_COUNT))
    pair_to_groups: dict[Pair, list[int]] = {}
    for number, group in enumerate(groups):
        for pair in group.pairs:
            pair_to_groups.setdefault(pair, []).append(number)
    totals = [Counter[str]() for _ in groups]
    for (pair, document_id), counts in members.items():
        own = pair_to_groups.get(pair, [])
        seen = [number for number in own if document_id in {each.document_id for each in groups[number].contexts}]
        for number in (seen or own)[:1]:
            totals[number] += counts
    return [Group(group.title, total) for group, total in zip(groups, totals, strict=True)]


def by_string(linked: Iterable[Document], golds: dict[str, dict[tuple[int, int], str]]) -> list[Group]:
    """The baseline: mentions with the same string are one group."""
    totals: dict[str, Counter[str]] = {}
    for document in linked:
        for mention in document.mentions:
            if mention.is_nil and mention.nil_reason == "unknown":
                gold = golds[document.id].get((mention.start, mention.end), NOTHING)
                totals.setdefault(mention.text, Counter())[gold] += 1
    return [Group(title, golds) for title, golds in totals.items() if golds.total() >= MIN_COUNT]


def metrics_of(groups: list[Group], documents: list[Document], kb: KnowledgeBase) -> dict[str, tuple[float, int]]:
    """Recall of entities that should be suggested, precision of what is, and how many there are."""
    n_mentions, names = Counter[str](), dict[str, set[Key]]()
    for document in documents:
        for (start, end), gold in gold_of(kb, document).items():
            n_mentions[gold] += 1
            names.setdefault(gold, set()).add(name_key(document.text[start:end]))
    wanted = [gold for gold, n in n_mentions.items() if gold.startswith("page ") and n >= MIN_MENTIONS]
    main_to_groups: dict[str, list[Group]] = {}
    for group in groups:
        main_to_groups.setdefault(group.main, []).append(group)
    n_in_group = {
        gold: max(
            (group.golds[gold] for group in main_to_groups.get(gold, ()) if _is_titled(group.title, names[gold])),
            default=0,
        )
        for gold in wanted
    }
    n_right = sum(2 * n >= n_mentions[gold] for gold, n in n_in_group.items())
    n_new = sum(group.is_new() for group in groups)
    n_known = sum(group.main == KNOWN for group in groups)
    of_mentions = (sum(n_in_group.values()), sum(n_mentions[gold] for gold in wanted))
    counts = {
        "recall": (n_right, len(wanted)),
        "recall_mentions": of_mentions,
        "precision": (n_new, len(groups)),
        "known": (n_known, len(groups)),
    }
    return {name: (n / max(of, 1), of) for name, (n, of) in counts.items()}


def _is_titled(title: str, names: Collection[Key]) -> bool:
    """Whether a title is one of the names, or a longer form of one."""
    key = name_key(title)
    return key in names or any(stands_for(name, key) for name in names)


def rows_of(linker: Linker, documents: list[Document], split: str, is_raw: bool) -> Iterator[ResultRow]:
    """The figures of one split, with given mentions or on raw text."""
    golds = {document.id: gold_of(linker.kb, document) for document in documents}
    asked = [document.with_mentions(()) for document in documents] if is_raw else documents
    linked = list(link_with_unknown(linker.model, asked, LinkOptions()))
    mode = "raw" if is_raw else "given"
    for system, group in (("deixis", by_name), ("exact-string", by_string)):
        metrics = metrics_of(group(linked, golds), documents, linker.kb)
        shown = "  ".join(f"{name} {value:.3f} of {n}" for name, (value, n) in metrics.items())
        print(f"{split} {mode:6} {system:12} {shown}", flush=True)
        for name, (value, n) in metrics.items():
            yield ResultRow(f"unlinked/{split}-{mode}", name, system, value, "share", n=n, settings=SETTINGS)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("splits", nargs="*", metavar="SPLIT", help=f"some of {', '.join(SPLITS)}; train unless given")
    parser.add_argument("--model", metavar="FOLDER", help="a model of wiki468k by `deixis build`; built unless given")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    start_run(is_recorded=not options.dry_run)
    data = data_folder()
    kb_file = data / "wiki468k" / "kb.jsonl.gz"
    linker = Linker.load(options.model) if options.model else Linker.build(KnowledgeBase.read(kb_file), n_threads=1)
    rows = []
    for split in options.splits or SPLITS[:1]:
        documents = list(read_documents(data / "aida" / f"{split}.jsonl.gz"))
        for is_raw in (False, True):
            rows += rows_of(linker, documents, split, is_raw)
    if not options.dry_run:
        record(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
