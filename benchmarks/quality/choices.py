"""How the defaults were chosen, on dev data: `python -m benchmarks.quality.choices CHOICE`.

`path-score` (WordNet dev): how the steps of a path become a label's score. `instances` (wiki468k, AIDA's train
mentions): what the tree learns from and sees. `nil-threshold` (zero-shot; wiki468k with AIDA's train and the dev
halves of WNED-WIKI and Reddit posts, MEDIC with NCBI's dev): below which score a mention is NIL. `filters` (as
`instances`): candidates under filters that keep the right entities, and some of the others. Test splits are never read.
Rows go to `benchmarks/results/`.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.rows import record, start_run
from benchmarks.speed.matrices import prepare
from benchmarks.speed.summary import recall_rows
from benchmarks.speed.systems import gold_ranks
from benchmarks.speed.tasks import TASKS, data_folder
from benchmarks.suites.data import half_of
from benchmarks.systems.tree_and_names import TreeAndNames
from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.label_tree import LabelTreeSource, LabelTreeSourceConfig
from deixis.candidates.training_rows import PseudoInstancesConfig
from deixis.documents.reading import read_documents
from deixis.evaluation.linking.tally import Tally
from deixis.evaluation.pairing import distinct
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.evaluation.statistics.metric import Metric
from deixis.features.mention_features import MentionFeaturesConfig
from deixis.features.tfidf import TfidfConfig
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.types import Candidate, Document, Mention, MentionInContext
from deixis.xmr.beam_search import BeamConfig
from deixis.xmr.label_tree import TreeConfig
from deixis.xmr.model import LabelTreeConfig, LabelTreeRanker

TOP_K = 100
MAX_MENTIONS = 4000
MAX_DOCUMENTS = 400


def path_score() -> Iterator[ResultRow]:
    """One ranker, many ways to score a path; then other trees with the chosen way."""
    matrices = prepare(TASKS["wordnet"]())
    X, Y, queries, gold = (
        sparse.load_npz(matrices.path(f"{name}.npz")) for name in ("X_train", "Y_train", "X_dev", "Y_dev")
    )
    ranker = LabelTreeRanker(n_threads=1).fit(X, Y)
    beams = {"sigmoid, whole path (XMRED)": BeamConfig(path_score="sigmoid", memory=1.0)}
    for power in (1, 2, 3, 4):
        beams[f"hinge^{power}, whole path"] = BeamConfig(power=power, memory=1.0)
    for memory in (0.0, 0.1, 0.2, 0.3, 0.5):
        beams[f"hinge^1, memory {memory}"] = BeamConfig(power=1, memory=memory)
    for power in (2, 3):
        beams[f"hinge^{power}, memory 0.3"] = BeamConfig(power=power, memory=0.3)
    for system, beam in beams.items():
        yield from dev_rows("wordnet-dev/path-score", system, ranker.rank(queries, TOP_K, beam), gold)
    others = {
        "leaves of 50": LabelTreeConfig(tree=TreeConfig(max_leaf_size=50)),
        "leaves of 200": LabelTreeConfig(tree=TreeConfig(max_leaf_size=200)),
        "4 children": LabelTreeConfig(tree=TreeConfig(branching=4)),
        "3 trees": LabelTreeConfig(n_trees=3),
        "matcher-aware negatives": LabelTreeConfig(negatives="matcher_aware"),
    }
    for system, config in others.items():
        ranked = LabelTreeRanker(config, n_threads=1).fit(X, Y).rank(queries, TOP_K)
        yield from dev_rows("wordnet-dev/tree", system, ranked, gold)
    yield from dev_rows("wordnet-dev/tree", "default", ranker.rank(queries, TOP_K), gold)


def dev_rows(suite: str, system: str, found: sparse.csr_matrix, gold: sparse.csr_matrix) -> list[ResultRow]:
    """Recall of the rows found, each of which has one gold label."""
    return recall_rows(suite, system, gold_ranks(found, gold.indices), {"top_k": TOP_K})


def instances() -> Iterator[ResultRow]:
    """What the tree learns from and sees, zero-shot, on a sample of AIDA's train mentions."""
    kb = KnowledgeBase.read(data_folder() / "wiki468k" / "kb.jsonl.gz")
    mentions, gold = dev_mentions(kb)
    words, context = TfidfConfig(), TfidfConfig(min_df=2)
    # The tree alone: what the likeness of names adds is measured in benchmarks.quality.retrieval.
    default = LabelTreeSourceConfig()
    names = replace(default, features=MentionFeaturesConfig(mention=words, context_weight=0.0))
    settings = {
        "XMRED as written": LinkerConfig.preset("xmred").candidates["label_tree"],
        "names": replace(names, instances=PseudoInstancesConfig(max_shared=0)),
        "names, words of names": names,
        "names, words of names, descriptions x 0.3": replace(
            names, features=MentionFeaturesConfig(mention=words, context=context, context_weight=0.3)
        ),
        "names, words of names, letters (default)": default,
    }
    for system, config in settings.items():
        print(f"building: {system} ...", file=sys.stderr)
        generator = LabelTreeSource.build(SourceInputs(kb), config)
        found = generator.generate(mentions, TOP_K)
        yield from recall_rows("wiki468k/aida-train-zero-shot", system, places_of(gold, found), {"top_k": TOP_K})


def places_of(gold: list[str], found: list[list[Candidate]]) -> NDArray[np.int64]:
    """Where the right entity stands in each list, from 0; `TOP_K` where it does not."""
    ids = [[candidate.id for candidate in listed] for listed in found]
    return np.array([listed.index(g) if g in listed else TOP_K for listed, g in zip(ids, gold, strict=True)])


NIL_PARTS = {  # dev parts with their knowledge bases; of files without splits the dev half
    "wiki468k/aida-train": ("wiki468k", "aida/train"),
    "wiki468k/wned-wiki-dev": ("wiki468k", "wned_wiki/test"),
    "wiki468k/reddit-posts-dev": ("wiki468k", "reddit_posts/test"),
    "medic/ncbi-dev": ("medic", "ncbi/dev"),
}


def nil_threshold() -> Iterator[ResultRow]:
    """Links and NIL by where the line between them is drawn, zero-shot."""
    linkers: dict[str, Linker] = {}
    for suite, (name, path) in NIL_PARTS.items():
        if name not in linkers:
            linkers = {name: Linker.build(KnowledgeBase.read(data_folder() / name / "kb.jsonl.gz"))}
        kb = linkers[name].kb
        file = data_folder() / f"{path}.jsonl.gz"
        documents = list(distinct(read_documents(file), str(file), skipped={}))  # WNED-WIKI has one of them twice
        if path.endswith("test"):
            documents = [document for document in documents if half_of(document.id) == "dev"]
        documents = documents[:MAX_DOCUMENTS]
        linked = list(linkers[name].link_many([without_gold(document) for document in documents]))
        for threshold in (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5):
            metrics = at_threshold(kb, documents, linked, threshold)
            yield from metric_rows(metrics, f"{suite}-nil", f"threshold {threshold:.2f}", {})


def filters() -> Iterator[ResultRow]:
    """Candidates under filters that keep all right entities and a share of the others, and what a mention costs."""
    kb = KnowledgeBase.read(data_folder() / "wiki468k" / "kb.jsonl.gz")
    mentions, gold = dev_mentions(kb)
    generator = TreeAndNames.build(kb, n_threads=1)
    suite, random = "wiki468k/aida-train-filters", np.random.default_rng(0)
    for share in (None, 0.3, 0.1, 0.01, 0.001):
        allowed = None
        if share is not None:
            allowed = random.random(len(kb)) < share
            allowed[kb.rows_of(gold)] = True
            allowed.setflags(write=False)
        settings = {"top_k": TOP_K, "n_allowed": len(kb) if allowed is None else int(allowed.sum())}
        system = "no filter" if share is None else f"{100 * share:g} % of the others pass"
        found = generator.generate(mentions, TOP_K, allowed)
        yield from recall_rows(suite, system, places_of(gold, found), settings)
        costs = sorted(
            cpu_seconds(lambda allowed=allowed: generator.search(mentions, TOP_K, allowed)) for _ in range(3)
        )
        low, value, high = (round(1000 * cost / len(mentions), 4) for cost in costs)
        yield ResultRow(suite, "cpu_per_mention", system, value, "ms", low, high, len(mentions), settings)


def cpu_seconds(work: Callable[[], object]) -> float:
    """How long the work keeps processors busy."""
    started = time.process_time()
    work()
    return time.process_time() - started


def without_gold(document: Document) -> Document:
    """The document with its mentions, whose entities are not told."""
    return document.with_mentions([Mention(each.start, each.end, each.text) for each in document.mentions])


def at_threshold(kb: KnowledgeBase, gold: list[Document], linked: list[Document], threshold: float) -> list[Metric]:
    """The figures of links and NIL, decided anew by a threshold."""
    tally = Tally(kb.own_id)
    for truth, guess in zip(gold, linked, strict=True):
        tally.add(truth, guess.with_mentions([decided(mention, threshold) for mention in guess.mentions]))
    wanted = ("inkb_micro_precision", "inkb_micro_recall", "inkb_micro_f1", "nil_f1", "accuracy_with_nil")
    return [metric for metric in tally.metrics() if metric.name in wanted]


def decided(mention: Mention, threshold: float) -> Mention:
    """The mention linked to its best candidate if that reaches the threshold, and NIL if not."""
    is_link = bool(mention.candidates) and mention.candidates[0].score >= threshold
    return replace(mention, entity=mention.candidates[0].id if is_link else None, is_nil=not is_link)


def dev_mentions(kb: KnowledgeBase) -> tuple[list[MentionInContext], list[str]]:
    """A fixed sample of AIDA's train mentions whose entity is in the knowledge base, and those entities."""
    mentions, gold = known_mentions(kb, read_documents(data_folder() / "aida" / "train.jsonl.gz"))
    chosen = np.random.default_rng(0).choice(len(mentions), min(MAX_MENTIONS, len(mentions)), replace=False)
    return [mentions[i] for i in chosen], [gold[i] for i in chosen]


def known_mentions(kb: KnowledgeBase, documents: Iterable[Document]) -> tuple[list[MentionInContext], list[str]]:
    """The mentions whose entity is in the knowledge base, and those entities."""
    mentions, gold = [], []
    for document in documents:
        for mention, in_context in zip(document.mentions, document.mentions_in_context(), strict=True):
            if mention.entity is not None and kb.row_of(mention.entity) is not None:
                mentions.append(in_context)
                gold.append(mention.entity)
    return mentions, gold


CHOICES = {
    "path-score": path_score, "instances": instances, "nil-threshold": nil_threshold, "filters": filters,
}  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("choice", choices=list(CHOICES))
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    start_run(is_recorded=not options.dry_run)
    rows = []
    for row in CHOICES[options.choice]():
        print(f"{row.system:45} {row.metric:10} {row.value:.4f} [{row.low:.4f}, {row.high:.4f}]", flush=True)
        rows.append(row)
    if not options.dry_run:
        record(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
