"""The pictures of an evaluation: where candidates end, what a threshold buys, who is rare, who is taken for whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from deixis.evaluation.linking.calibration import reliability_bins
from deixis.evaluation.linking.confidence import Confidences
from deixis.evaluation.linking.frequency import FrequencyBin
from deixis.evaluation.linking.risk_coverage import risk_coverage
from deixis.evaluation.linking.tally import CURVE_AT, Tally
from deixis.evaluation.statistics.metric import Metric
from deixis.reports.charts.bars import Bars, bar_chart
from deixis.reports.charts.heat import heat_map
from deixis.reports.charts.line import Series, line_chart
from deixis.reports.charts.scales import Axis
from deixis.reports.content import Chart

THIS_RUN = "this run"
N_TYPES = 10
N_RELIABILITY_BINS = 10
OTHER_TYPES = "(other)"
Tallies = Mapping[str, Tally]
_FRACTION = Axis("share of in-KB mentions", low=0.0, high=1.1, is_percent=True, ticks=(0.0, 0.2, 0.4, 0.6, 0.8, 1.0))


def charts_of(tally: Tally, other: Tally | None = None, other_name: str = "other run", seed: int = 0) -> list[Chart]:
    """The pictures that there is something to draw for; a second run is drawn beside the first.

    Examples
    --------
    >>> from deixis.types import Candidate, Document, Mention
    >>> gold = Document("d", "Troy", mentions=(Mention(0, 4, "Troy", "Q1"),))
    >>> listed = (Candidate("Q2", 0.6), Candidate("Q1", 0.4))
    >>> tally = Tally(resolve=None)
    >>> tally.add(gold, gold.with_mentions([Mention(0, 4, "Troy", "Q2", score=0.6, candidates=listed)]))
    >>> [chart.caption.split(":")[0] for chart in charts_of(tally)]
    ['How many candidates are worth asking for', 'What a threshold buys', 'Whether scores mean what they say']
    """
    runs = {THIS_RUN: tally} | ({} if other is None else {other_name: other})
    drawn = [
        _recall(runs, seed),
        _risk(runs),
        _reliability(runs),
        _frequency(tally.by_frequency((10,), seed)),
        _languages(tally, seed),
        _types(tally.type_confusion),
    ]
    return [chart for chart in drawn if chart is not None]


def _recall(runs: Tallies, seed: int) -> Chart | None:
    deepest = max(tally.n_longest for tally in runs.values())
    if deepest < 2 or not len(runs[THIS_RUN].ledger.mentions()[0]):
        return None
    lines = [_recall_line(name, tally, seed) for name, tally in runs.items()]
    ticks = [k for k in (1, 2, 5, 10, 20, 50, 100) if k <= deepest]
    picture = line_chart(
        "Recall by number of candidates",
        lines,
        Axis("candidates kept (k)", is_log=True, ticks=ticks),
        Axis("right one among them", high=1.0, is_percent=True),
    )
    return Chart(
        picture,
        "How many candidates are worth asking for: the share of in-KB mentions whose entity is among the first k. "
        "Where the line goes flat, more candidates do not help.",
    )


def _recall_line(name: str, tally: Tally, seed: int) -> Series:
    """As far as the run's own lists of candidates go."""
    at = [k for k in CURVE_AT if k <= max(1, tally.n_longest)]
    curve = tally.recall_curve(at, seed)
    return Series(
        name,
        x=at,
        y=[metric.value for metric in curve],
        low=[metric.interval.low for metric in curve],
        high=[metric.interval.high for metric in curve],
    )


def _confidences(runs: Tallies) -> Iterator[tuple[str, Confidences]]:
    """The runs whose scores are probabilities, with their scores."""
    for name, tally in runs.items():
        confidences = tally.confidences
        if confidences.are_probabilities:
            yield name, confidences


def _risk(runs: Tallies) -> Chart | None:
    lines = []
    for name, confidences in _confidences(runs):
        points = risk_coverage(confidences.scores, confidences.is_right).points()
        lines.append(Series(name, [point.coverage for point in points], [point.risk for point in points]))
    if not lines:
        return None
    picture = line_chart(
        "Mistakes among the links kept",
        lines,
        Axis("links kept, surest first", low=0.0, high=1.0, is_percent=True),
        Axis("wrong among them", low=0.0, is_percent=True),
    )
    return Chart(picture, f"What a threshold buys: {_threshold_words(runs[THIS_RUN])}")


def _threshold_words(tally: Tally) -> str:
    confidences = tally.confidences
    if not confidences.are_probabilities:
        return "keep only the surest links, and fewer of them are wrong."
    curve = risk_coverage(confidences.scores, confidences.is_right)
    sentences = []
    for risk in (0.05, 0.1, 0.2):
        point = curve.best_within(risk)
        if 0.0 < point.coverage < 1.0:
            sentences.append(
                f"a threshold of {point.threshold:.2f} keeps {point.coverage:.0%} of links, at most {risk:.0%} wrong"
            )
    words = "; ".join(sentences) if sentences else "keep only the surest links, and fewer of them are wrong"
    return f"{words}. Chosen on these very documents: expect a little worse on others." if sentences else f"{words}."


def _reliability(runs: Tallies) -> Chart | None:
    lines = []
    for name, confidences in _confidences(runs):
        bins = reliability_bins(confidences.scores, confidences.is_right, N_RELIABILITY_BINS, equal_mass=True)
        lines.append(Series(name, [each.confidence for each in bins], [each.accuracy for each in bins]))
    if not lines:
        return None
    picture = line_chart(
        "Confidence and truth",
        lines,
        Axis("score of the links", low=0.0, high=1.0, is_percent=True),
        Axis("right among them", low=0.0, high=1.0, is_percent=True),
        has_diagonal=True,
    )
    return Chart(
        picture,
        "Whether scores mean what they say: links of about equal score, and how many are right. Below the diagonal the "
        "linker is too sure of itself, above it too modest.",
    )


def _frequency(bins: Sequence[FrequencyBin]) -> Chart | None:
    shown = [each for each in bins if each.n]
    if len(shown) < 2:
        return None
    rows = [_bars(name, [each.metrics for each in shown]) for name in ("recall@10", "accuracy")]
    picture = bar_chart(
        "Rare and frequent entities",
        [f"{each.label} (n={each.n:,})" for each in shown],
        rows,
        _FRACTION,
        x_label="count of the gold entity in the knowledge base",
    )
    return Chart(picture, "How rare entities fare: if the left bars are low, rare ones lack names or descriptions.")


def _languages(tally: Tally, seed: int) -> Chart | None:
    language_to_metrics = {
        name: metrics for name, metrics in tally.by_language((10,), seed).items() if _metric(metrics, "accuracy")
    }
    if len(language_to_metrics) < 2:
        return None
    picture = bar_chart(
        "Languages", list(language_to_metrics), [_bars("accuracy", list(language_to_metrics.values()))], _FRACTION
    )
    return Chart(picture, "How languages fare: accuracy on in-KB mentions, with 95 % intervals.")


def _bars(name: str, metrics: Sequence[Sequence[Metric]]) -> Bars:
    values = [_metric(each, name) for each in metrics]
    nothing = float("nan")
    return Bars(
        name,
        [nothing if metric is None else metric.value for metric in values],
        [nothing if metric is None else metric.interval.low for metric in values],
        [nothing if metric is None else metric.interval.high for metric in values],
    )


def _metric(metrics: Sequence[Metric], name: str) -> Metric | None:
    return next((metric for metric in metrics if metric.name == name), None)


def _types(confusion: Mapping[tuple[str, str], int]) -> Chart | None:
    """Of each type, the share that was linked to an entity of each type; rare types are put together."""
    sizes: Counter[str] = Counter()
    for (gold, predicted), n in confusion.items():
        sizes[gold] += n
        sizes[predicted] += n
    if len(sizes) < 2:
        return None
    frequent = [name for name, _ in sorted(sizes.items(), key=lambda item: (-item[1], item[0]))[:N_TYPES]]
    cells: Counter[tuple[str, str]] = Counter()
    for pair, n in confusion.items():
        gold, predicted = (name if name in frequent else OTHER_TYPES for name in pair)
        cells[gold, predicted] += n
    names = [*frequent, *([OTHER_TYPES] if len(sizes) > len(frequent) else [])]
    totals = {gold: sum(cells[gold, name] for name in names) for gold in names}
    rows = [gold for gold in names if totals[gold]]
    columns = [name for name in names if any(cells[gold, name] for gold in rows)]
    picture = heat_map(
        "Types taken for each other",
        [f"{gold} ({totals[gold]:,})" for gold in rows],
        columns,
        [[cells[gold, name] / totals[gold] for name in columns] for gold in rows],
        x_label="type of the linked entity",
        y_label="type of the gold entity",
        is_percent=True,
    )
    return Chart(picture, "Which types are taken for which: a full cell off the diagonal is a habit worth looking at.")
