"""Models with edits against models built anew: `python -m benchmarks.quality.edits [--split test]`.

Of Wikipedia's 468k entities 1, 5 and 20 % are held back or changed, and brought in by edits (`Linker.with_edits`); the
model built from the list as it is after the edits is compared with it, on AIDA's given mentions (train; with
`--split test` testa). Kinds of edits:

- `added`: the model of the rest, the entities added; `removed`: the model of all, the entities removed;
- `filled`: entities that had a title only are given aliases and a description; `emptied`: the other way round.

Recorded are recall@1 and @10 on mentions of the entities concerned (`own`) and of all others, of both models, and their
difference with an interval (bootstrap over documents); on the others also the model before the edits (two builds of
nearly the same list differ by themselves); and how often a removed entity was still a candidate.
`--tree` compares ways to score an added entity beside the label tree, which has not learned it (train only).
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality.edited_lists import (
    CACHE,
    SEED,
    SUITE,
    WHOLE,
    added,
    chosen_rows,
    model_of,
    removed,
    suite_and_data,
    with_titles_only,
)
from benchmarks.rows import record, start_run
from benchmarks.suites.questions import Questions, ranks_of
from deixis.candidates.candidate_lists import candidate_lists
from deixis.candidates.edited_sources import EditedLabelTree
from deixis.candidates.mention_batch import MentionBatch
from deixis.evaluation.rows import ResultRow
from deixis.evaluation.statistics.bootstrap import quotient
from deixis.evaluation.statistics.significance import paired_difference
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.streams import rank_mentions
from deixis.tables import CandidateTable
from deixis.types import Candidate, MentionInContext

KINDS = ("added", "removed", "filled", "emptied")
PERCENTS = (1, 5, 20)
DEPTHS = (1, 10)
BATCH = 500  # mentions ranked at once
TREE_WAYS = ("names", "none", "nearest")


@dataclass(frozen=True, eq=False)
class Task:
    """A list, the mentions that are asked about, and where models are kept."""

    kb: KnowledgeBase
    questions: Questions
    suite: str = SUITE
    cache: Path = CACHE
    name_to_answers: dict[str, list[list[Candidate]]] = field(default_factory=dict)

    def built_answers(self, name: str) -> list[list[Candidate]]:
        """What a model that was built anew answers."""
        if name not in self.name_to_answers:
            self.name_to_answers[name] = answers(self.model(name), self.questions.mentions)
        return self.name_to_answers[name]

    def model(self, name: str) -> Linker:
        """A model of this list, built if it is not there."""
        return model_of(self.kb, name, self.suite, self.cache)

    def is_of(self, ids: set[str]) -> NDArray[np.bool_]:
        """Which mentions mean one of these entities."""
        return np.array([not ids.isdisjoint(each) for each in self.questions.accepted], dtype=bool)


def task_of(suite_name: str, split: str, n_mentions: int, cache: Path = CACHE) -> Task:
    """The list of a suite, and of its mentions so many of 5 % of the entities, and so many of all."""
    suite, data = suite_and_data(suite_name)
    kb = data.read_kb(suite.kb)
    part = suite.dev[0] if split == "dev" else suite.test[0]
    questions = Questions.collect(kb, data.read_part(suite, part))
    ids = set(kb.take(chosen_rows(len(kb), 5)).ids)
    is_own = Task(kb, questions).is_of(ids)
    random, chosen = np.random.default_rng(SEED), np.zeros(len(questions), dtype=bool)
    for rows in (np.flatnonzero(is_own), np.arange(len(questions))):
        chosen[random.choice(rows, min(n_mentions, len(rows)), replace=False)] = True
    return Task(kb, taken(questions, np.flatnonzero(chosen)), suite_name, cache)


def taken(questions: Questions, numbers: NDArray[np.int64]) -> Questions:
    """Some of the questions."""
    mentions = [questions.mentions[number] for number in numbers]
    accepted = [questions.accepted[number] for number in numbers]
    return replace(questions, mentions=mentions, accepted=accepted, documents=questions.documents[numbers])


def answers(linker: Linker, mentions: Sequence[MentionInContext]) -> list[list[Candidate]]:
    """The ten best candidates of each mention."""
    ranked: list[list[Candidate]] = []
    for first in range(0, len(mentions), BATCH):
        table = rank_mentions(linker.model, mentions[first : first + BATCH], max(DEPTHS))
        ranked += candidate_lists(linker.kb, table)
    return ranked


def compared(task: Task, kind: str, percent: int) -> Iterator[ResultRow]:
    """The rows of one kind of edits: the model with edits, the one built anew, and their difference.

    For mentions of other entities also the model before the edits: two builds differ by themselves.
    """
    rows = chosen_rows(len(task.kb), percent)
    concerned = task.kb.take(rows)
    before, after = {
        "added": (f"without-{percent}", WHOLE),
        "removed": (WHOLE, f"without-{percent}"),
        "filled": (f"titles-{percent}", WHOLE),
        "emptied": (WHOLE, f"titles-{percent}"),
    }[kind]
    each = np.arange(len(rows))
    if kind == "removed":
        edits = removed(task.kb, rows)
    else:
        edits = added(with_titles_only(concerned, each) if kind == "emptied" else concerned, each)
    edited = answers(task.model(before).with_edits(edits), task.questions.mentions)
    ranks_edited, ranks_built, ranks_before = (
        ranks_of(found, task.questions.accepted)
        for found in (edited, task.built_answers(after), task.built_answers(before))
    )
    ids, name = set(concerned.ids), f"{kind}-{percent}"
    is_own = task.is_of(ids)
    if kind == "removed":
        n_shown = sum(one.id in ids for listed in edited for one in listed)
        yield ResultRow("", f"{name}/shown", "edits", n_shown, f"of {sum(map(len, edited))}")
    else:
        yield from difference_rows(f"{name}/own", task.questions, is_own, ranks_edited, ranks_built)
    yield from difference_rows(f"{name}/others", task.questions, ~is_own, ranks_edited, ranks_built)
    before_rows = difference_rows(
        f"{name}/others", task.questions, ~is_own, ranks_edited, ranks_before, ("edits", "before")
    )
    for row in before_rows:
        yield replace(row, system="edits-before") if row.system == "difference" else row


def difference_rows(
    name: str,
    questions: Questions,
    is_of: NDArray[np.bool_],
    ranks_edited: NDArray[np.int64],
    ranks_built: NDArray[np.int64],
    systems: tuple[str, str] = ("edits", "rebuilt"),
) -> Iterator[ResultRow]:
    """Recall of two models on these mentions, and the difference with its interval."""
    _, numbers = np.unique(questions.documents[is_of], return_inverse=True)
    n = int(is_of.sum())
    for depth in DEPTHS:
        sums, metric = [], f"{name}/recall@{depth}"
        for system, ranks in zip(systems, (ranks_edited, ranks_built), strict=True):
            hits = ((ranks[is_of] > 0) & (ranks[is_of] <= depth)).astype(np.float64)
            sums.append(np.column_stack([np.bincount(numbers, weights=hits), np.bincount(numbers)]))
            yield ResultRow("", metric, system, round(float(hits.mean()) if n else 0.0, 4), "share", n=n)
        between = paired_difference(lambda both: quotient(both[:, 0], both[:, 1]), *sums, seed=SEED)
        low, high = round(between.low, 4), round(between.high, 4)
        value = round(between.value, 4)
        yield ResultRow(
            "", metric, "difference", value, "share", low=low, high=high, n=n, settings={"p": between.p_value}
        )


class TreeVariant(EditedLabelTree):
    """The label tree with added entities, which get no score of it."""

    def score(self, mentions: Sequence[MentionInContext], table: CandidateTable) -> NDArray[np.float32]:
        """Only what the tree itself scores."""
        del mentions
        return np.asarray(table.column(self.name), dtype=np.float32)


class NearestVariant(TreeVariant):
    """The same, but an added entity gets the score of the built one whose name is most similar to its title."""

    nearest: NDArray[np.int64]
    """Of each added entity the row of that one; -1 for none."""

    def score(self, mentions: Sequence[MentionInContext], table: CandidateTable) -> NDArray[np.float32]:
        """The tree's scores, those of added entities from their neighbours."""
        scores = super().score(mentions, table).copy()
        found = self.built.search(MentionBatch(list(mentions)), self.built.config.k).matrix()
        n_built = len(self.built.kb)
        positions = np.flatnonzero(table.rows >= n_built)
        neighbours = self.nearest[table.rows[positions] - n_built]
        known = neighbours >= 0
        positions, neighbours = positions[known], neighbours[known]
        if len(positions):
            of_neighbours = np.asarray(found[table.mention_numbers[positions], neighbours]).ravel()
            scores[positions] = np.maximum(scores[positions], of_neighbours)
        return scores


def tree_ways(task: Task, percent: int) -> Iterator[ResultRow]:
    """Recall on mentions of added entities with each way to score them beside the tree, and what it is above none."""
    rows = chosen_rows(len(task.kb), percent)
    base = task.model(f"without-{percent}")
    linker = base.with_edits(added(task.kb, rows))
    by_name = linker.model.sources.by_name
    tree = by_name["label_tree"]
    if not isinstance(tree, EditedLabelTree):
        raise SystemExit("The model has no label tree to compare.")
    none, nearest = (way(tree.edited, tree.built, tree.curve) for way in (TreeVariant, NearestVariant))
    nearest.nearest = nearest_built(base, task.kb.take(rows))
    ranks = {}
    for name, source in zip(TREE_WAYS, (tree, none, nearest), strict=True):
        sources = replace(linker.model.sources, by_name={**by_name, "label_tree": source})
        found = answers(Linker(replace(linker.model, sources=sources)), task.questions.mentions)
        ranks[name] = ranks_of(found, task.questions.accepted)
    is_own = task.is_of(set(task.kb.take(rows).ids))
    for own, is_of in (("own", is_own), ("others", ~is_own)):
        for name in ("names", "nearest"):
            metric = f"tree-{percent}/{own}"
            for row in difference_rows(metric, task.questions, is_of, ranks[name], ranks["none"], (name, "none")):
                yield replace(row, system=f"{name}-none") if row.system == "difference" else row


def nearest_built(base: Linker, concerned: KnowledgeBase) -> NDArray[np.int64]:
    """Of each entity the row of the built one whose name is most similar to its title; -1 where none is."""
    nearest = np.full(len(concerned), -1, dtype=np.int64)
    titles = concerned.titles.strings(np.arange(len(concerned)))
    for first in range(0, len(titles), BATCH):
        batch = MentionBatch([MentionInContext(each, each, 0, len(each)) for each in titles[first : first + BATCH]])
        found = base.model.sources.by_name["names"].search(batch, 1)
        has_any = np.flatnonzero(np.diff(found.indptr))
        nearest[first + has_any] = found.indices[found.indptr[has_any]]
    return nearest


def main(arguments: list[str] | None = None) -> int:
    """Compare, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument("--suite", default=SUITE)
    parser.add_argument("--kind", action="append", default=[], choices=KINDS, help="only these; may be repeated")
    parser.add_argument("--percent", action="append", default=[], type=int, help="of the entities; may be repeated")
    parser.add_argument(
        "--mentions", type=int, default=2500, help="of 5 % of the entities at most, and of all entities"
    )
    parser.add_argument("--tree", action="store_true", help="ways to score added entities beside the label tree")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where models are kept")
    parser.add_argument("--dry", action="store_true", help="record nothing")
    chosen = parser.parse_args(arguments)
    if chosen.tree and chosen.split == "test":
        parser.error("ways to score are compared on train only")
    start_run(is_recorded=not chosen.dry)
    task = task_of(chosen.suite, chosen.split, chosen.mentions, chosen.cache)
    part = "train" if chosen.split == "dev" else "testa"
    settings = {"split": part, "seed": SEED, "max_mentions": chosen.mentions, "n_entities": len(task.kb)}
    for percent in chosen.percent or PERCENTS:
        for kind in ("tree",) if chosen.tree else chosen.kind or KINDS:
            found = tree_ways(task, percent) if kind == "tree" else compared(task, kind, percent)
            rows = [
                replace(row, suite=f"edits/{chosen.suite}-{part}", settings={**settings, **row.settings})
                for row in found
            ]
            for row in rows:
                span = "" if row.low is None else f" [{row.low:.4f}, {row.high:.4f}]"
                print(f"{row.metric:28} {row.system:14} {row.value:8.4f}{span} n={row.n}", flush=True)
            if not chosen.dry:
                record(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
