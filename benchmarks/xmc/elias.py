"""ELIAS beside what is simpler (its Tables 2 and 3, Fig. 3): `python -m benchmarks.xmc.elias SET [--documents N]`.

All systems learn from the same matrices; those with the bag encoder make as many passes over the documents:

- `tree`: the linear label tree with its preset; `+sparse-ranker`: reranked; `tree++`: calibrated, too;
- `one-vs-all`: every label's classifier asked, no index; all passes;
- `stage-1`: fixed balanced clusters, half of the passes; `stage-1-continued`: all passes;
- `stage-2`: stage 1, then as many passes with learned edges; `stage-2-warm`: with `warm_edges` = 3; `stage-2-wide`:
  twice as many clusters searched and labels shortlisted as in training;
- `stage-2+sparse-ranker`, `elias++`: stage 2 reranked, and calibrated;
- with `--minilm`: `one-vs-all/minilm` and `stage-2/minilm` on fixed sentence vectors of the first words;
- with `--only minilm` just those two, so that rows of the others stay; `--only` takes other groups, too;
- with `--plain` neither `stage-2-warm` nor what is reranked;
- with `--peers`: `pecos` and `omikuji` in environments of their own, on test only.

Scores are calibrated on 1,500 documents of dev, drawn evenly, that are judged by nobody. Everything is chosen on the
rest of dev; `--test` measures on test, once. With several `--seeds` rows are means with the least and the greatest.
`predict_cpu` is the time of one thread for one document, from its row (or its text) to 100 labels.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
import torch
from threadpoolctl import threadpool_limits

from benchmarks.rows import record, start_run
from benchmarks.xmc.elias_rows import SHOWN, Table, graph_rows, split_dev
from benchmarks.xmc.elias_systems import WARM, Task, brute_force, linear, on_minilm, peers, stages
from benchmarks.xmc.matrices import matrices
from deixis.evaluation.rows import ResultRow
from deixis.neural.elias.config import EliasConfig

N_HELD_OUT = 1500
CONFIGS = {
    "eurlex57k": EliasConfig(labels_per_cluster=20, n_shortlist=500),
    "yso_en": EliasConfig(),
    "wiki_sentences": EliasConfig(beam=10, n_shortlist=500, n_epochs_fixed=1, n_epochs_learned=1),
}
GROUPS = ("linear", "stages", "one-vs-all", "minilm")
N_NEGATIVES = {"wiki_sentences": 5000}  # labels in a step of one-versus-all where all would take hours


def compare(given: argparse.Namespace, config: EliasConfig, suite: str) -> Iterator[list[ResultRow]]:
    """All rows of one set: of our systems after each group, then of peers, which may take long."""
    whole = matrices(given.dataset, given.documents)
    made, X_held, Y_held = split_dev(whole, N_HELD_OUT)  # noqa: N806
    task = Task(made, X_held, Y_held, config, N_NEGATIVES.get(given.dataset, 0), given.plain)
    parts, indexes = ("test",) if given.test else ("dev",), []
    settings = {"documents": made.X_train.shape[0], "seeds": given.seeds, "threads": 1, "beam": config.beam,
                "n_shortlist": config.n_shortlist, "labels_per_cluster": config.labels_per_cluster,
                "alpha": config.alpha, "epochs": [config.n_epochs_fixed, config.n_epochs_learned],
                "n_negatives": task.n_negatives, "n_held_out": task.X_held.shape[0], "warm_edges": WARM}  # fmt: skip
    table = Table(made, parts)
    for seed in given.seeds:
        groups = {
            "linear": linear(task, seed),
            "stages": stages(task, seed, indexes),
            "one-vs-all": brute_force(task, seed),
            "minilm": on_minilm(task, seed, given.dataset, given.documents),
        }
        for group in groups_of(given):
            for name, system in groups[group]:
                table.add(name, system)
            yield list(table.rows(suite, settings))
    for index in indexes[:1]:
        counts = np.bincount(made.Y_train.indices, minlength=made.Y_train.shape[1])[index.label_rows]
        yield list(graph_rows(index.graph, counts, f"{suite}/elias-graph", settings))
    if given.peers and given.test:
        table = Table(made, parts)
        for name, system in peers(whole, given.dataset):
            table.add(name, system)
        yield list(table.rows(suite, settings))


def groups_of(given: argparse.Namespace) -> tuple[str, ...]:
    """The groups of systems to run; sentence vectors are made for test only."""
    asked = given.only or [group for group in GROUPS if group != "minilm" or given.minilm]
    return tuple(group for group in GROUPS if group in asked and (group != "minilm" or given.test))


def main() -> None:
    """Print the table; record its rows if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", choices=sorted(CONFIGS))
    parser.add_argument("--documents", type=int, help="Only so many training documents, drawn evenly.")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--minilm", action="store_true", help="Fixed sentence vectors too, on test.")
    parser.add_argument("--only", nargs="+", choices=GROUPS, help="Only these systems; peers by --peers.")
    parser.add_argument("--plain", action="store_true", help="No warm edges and no second stages.")
    parser.add_argument("--peers", action="store_true", help="PECOS and omikuji too, on test.")
    parser.add_argument("--test", action="store_true", help="Measure on test, not on dev.")
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    start_run(is_recorded=given.record)
    torch.set_num_threads(1)
    size = "" if given.documents is None else f"-{given.documents}"
    print(f"{'':46}" + " ".join(name.replace("precision", "p").replace("recall", "r") for name in SHOWN))
    with threadpool_limits(1):
        for rows in compare(given, CONFIGS[given.dataset], f"xmc/{given.dataset}{size}"):
            if given.record:
                record(rows)


if __name__ == "__main__":
    main()
