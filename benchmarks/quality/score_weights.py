"""Weights of the probability that a mention means anything on a list: `python -m benchmarks.quality.score_weights`.

The score of a candidate is P(on the list) times its share. The first is a logistic of the numbers in
`deixis.decision.on_list`, learned over many lists (`score_worlds`): whole ones, the same with a third of the entities
hidden, short ones of 2 to 10,000 entities, foreign and invented names. Each world weighs the same, however many
mentions it has. The sharpness is the factor of the ranker's totals by which the share of the right candidate is
likeliest, one for all.

Figures are those of weights that have seen no list of the same family, at the default threshold (`score`), beside the
share alone at 0.1 (`share`) and at the threshold that is best for all worlds together in hindsight (`share-best`).
`--write` makes the weights of all worlds the library's (`src/deixis/decision/on_list_weights.json`) and multiplies the
ranker's default weights by the sharpness. Run `benchmarks.quality.ranker` first if features have changed. Train and dev
splits only. Rows go to `benchmarks/results/`.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from benchmarks.quality.calibration import f1_metric, share_metric
from benchmarks.quality.score_worlds import FAMILIES, SHARPNESSES, World, worlds_of
from benchmarks.rows import record, start_run
from benchmarks.speed.tasks import data_folder
from benchmarks.suites.data import DataFolder
from deixis.decision.decision import DEFAULT_THRESHOLD
from deixis.decision.on_list import EVIDENCE
from deixis.decision.threshold_curve import ThresholdCurve
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.evaluation.statistics.metric import Metric
from deixis.reports.reliability import held_out_links

PACKAGE = Path(__file__).parents[2] / "src" / "deixis"
WEIGHTS = PACKAGE / "decision" / "on_list_weights.json"
RANKER_WEIGHTS = PACKAGE / "ranking" / "default_weights.json"
PENALTY = 1e-4  # of a standardised weight
SHARE_THRESHOLD = 0.1  # before there was a probability of being on the list
THRESHOLDS = np.round(np.arange(0.05, 1.0, 0.05), 2)
FIGURES = ("accuracy_with_nil", "links_f1", "nil_recall", "in_kb_recall_lost", "ece")
IS_ONE = SHARPNESSES.tolist().index(1.0)


def main(arguments: list[str] | None = None) -> int:
    """Ask, learn, measure; write the weights if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", action="append", default=[], choices=[*FAMILIES], help="only these; repeatable")
    parser.add_argument("--write", action="store_true", help="make the weights of all worlds the library's")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    if options.write and options.family:
        parser.error("--write needs all families: leave out --family.")
    start_run(is_recorded=not options.dry_run)
    data = DataFolder(data_folder())
    worlds = [world for family in options.family or FAMILIES for world in worlds_of(data, family)]
    rows = report(worlds)
    weights, sharpness = fit(worlds), SHARPNESSES[best_sharpness(worlds)]
    print(f"sharpness {sharpness}", json.dumps(dict(zip(EVIDENCE, np.round(weights, 3).tolist(), strict=True))))
    if not options.dry_run:
        record(rows)
    if options.write:
        values = dict(zip(EVIDENCE, np.round(weights, 4).tolist(), strict=True))
        WEIGHTS.write_text(json.dumps(values, indent=1) + "\n", "utf-8")
        kinds: dict[str, dict[str, float]] = json.loads(RANKER_WEIGHTS.read_text("utf-8"))
        sharper = {
            kind: {name: round(weight * sharpness, 4) for name, weight in own.items()} for kind, own in kinds.items()
        }
        RANKER_WEIGHTS.write_text(json.dumps(sharper, indent=1) + "\n", "utf-8")
    return 0


def fit(worlds: Sequence[World], penalty: float = PENALTY) -> NDArray[np.float64]:
    """The weights by which it is likeliest that a right entity is among the proposals where one is.

    Mentions without any candidate are left out: nothing is to be weighed there.
    """
    parts = [(world, world.evidence[:, -1] > 0) for world in worlds]
    evidence = np.concatenate([world.evidence[has_one] for world, has_one in parts]).astype(np.float64)
    is_on = np.concatenate([world.is_proposed[has_one] for world, has_one in parts]).astype(np.float64)
    importance = np.concatenate(
        [np.full(int(has_one.sum()), world.importance / max(1, has_one.sum())) for world, has_one in parts]
    )
    importance /= importance.sum()
    scales = np.sqrt(importance @ (evidence - importance @ evidence) ** 2)
    scales[scales < 1e-6] = 1.0  # the constant
    is_penalised = np.array([name != "one" for name in EVIDENCE])
    scaled = evidence / scales

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        sums = scaled @ weights
        value = importance @ (np.logaddexp(0, sums) - is_on * sums)
        slope = scaled.T @ (importance * (expit(sums) - is_on))
        held = penalty * weights * is_penalised
        return float(value + held @ weights / 2), slope + held

    optimum = minimize(loss, np.zeros(len(scales)), jac=True, method="L-BFGS-B", options={"maxiter": 1000})
    weights: NDArray[np.float64] = optimum.x / scales
    return weights


def best_sharpness(worlds: Sequence[World]) -> int:
    """The number of the sharpness by which the share of right candidates is likeliest, where there are any."""
    losses = [
        -world.importance * np.log(np.maximum(world.right_shares[world.is_proposed], 1e-9)).mean(axis=0)
        for world in worlds
        if world.is_proposed.any()
    ]
    return int(np.sum(losses, axis=0).argmin())


def scores_of(world: World, weights: NDArray[np.float64], sharpness: int) -> NDArray[np.float64]:
    """P(on the list) times the share of the best candidate; 0 without candidates."""
    on_list = expit(world.evidence.astype(np.float64) @ weights) * (world.evidence[:, -1] > 0)
    product: NDArray[np.float64] = on_list * world.best_shares[:, sharpness]
    return product


def curve_of(world: World, scores: NDArray[np.float64]) -> ThresholdCurve:
    """The best candidates of a world with these scores."""
    return ThresholdCurve(world.documents, scores, world.is_right, world.is_known)


def report(worlds: Sequence[World]) -> list[ResultRow]:
    """The figures of every world by weights that have seen no list of its family, printed, as rows."""
    families = list(dict.fromkeys(world.family for world in worlds))
    foreign = {family: [world for world in worlds if world.family != family] for family in families}
    learned = {family: (fit(own), best_sharpness(own)) for family, own in foreign.items() if own}
    if not learned or len(families) == 1:
        learned = {family: (fit(worlds), best_sharpness(worlds)) for family in families}
    best = best_threshold([curve_of(world, world.best_shares[:, IS_ONE]) for world in worlds])
    rows, means = list[ResultRow](), dict[tuple[str, str], list[Metric]]()
    print(f"{'':34} {f'best {best}':11} " + "  ".join(f"{name[:10]:>10}" for name in FIGURES))
    for world in worlds:
        share = curve_of(world, world.best_shares[:, IS_ONE])
        score = curve_of(world, scores_of(world, *learned[world.family]))
        systems = {"share": (share, SHARE_THRESHOLD), "share-best": (share, best), "score": (score, DEFAULT_THRESHOLD)}
        for system, (curve, threshold) in systems.items():
            metrics = figures(curve, threshold)
            print(line(world.name, system, {each.name: each.value for each in metrics}), flush=True)
            name = world.name.lower().replace(", ", "/").replace("%", "").replace(",", "").replace(" ", "-")
            rows += metric_rows(metrics, f"score/{name}", system, {"left_out": world.family})
            group = "small lists" if world.is_small else "whole lists" if world.is_known.any() else "unknown names"
            means.setdefault((group, system), []).extend(metrics)
    for (group, system), metrics in means.items():
        names = dict.fromkeys(each.name for each in metrics)
        mean = {name: float(np.mean([each.value for each in metrics if each.name == name])) for name in names}
        print(line(f"mean, {group}", system, mean))
    return rows


def line(world: str, system: str, values: dict[str, float]) -> str:
    """One line of the table; a figure that says nothing of a world is a dash."""
    shown = "  ".join(f"{values[name]:10.3f}" if name in values else f"{'-':>10}" for name in FIGURES)
    return f"{world:34} {system:11} {shown}"


def figures(curve: ThresholdCurve, threshold: float) -> list[Metric]:
    """Accuracy with NIL, F1 of links, recall of NIL, in-KB recall that the threshold costs, and calibration error."""
    is_linked = (curve.scores >= threshold) & (curve.scores > 0)
    is_fine = np.where(is_linked, curve.is_right, ~curve.is_known)
    metrics = [share_metric("accuracy_with_nil", is_fine, np.ones(len(curve), dtype=bool), curve)]
    if curve.is_known.any():
        metrics.append(f1_metric(is_linked, curve))
        metrics.append(share_metric("in_kb_recall_lost", curve.is_right & ~is_linked, curve.is_known, curve))
    if not curve.is_known.all():
        metrics.append(share_metric("nil_recall", ~is_linked, ~curve.is_known, curve))
    return metrics + [each for each in held_out_links(curve).metrics() if each.name == "ece"]


def best_threshold(curves: Sequence[ThresholdCurve]) -> float:
    """The one threshold whose mean accuracy with NIL over these curves is the best."""
    accuracies = [
        np.mean([np.where(curve.scores >= least, curve.is_right, ~curve.is_known).mean() for curve in curves])
        for least in THRESHOLDS
    ]
    return float(THRESHOLDS[int(np.argmax(accuracies))])


if __name__ == "__main__":
    sys.exit(main())
