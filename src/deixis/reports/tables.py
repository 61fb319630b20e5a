"""Tables of figures with their intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from deixis.evaluation.statistics.comparison import Comparison
from deixis.evaluation.statistics.metric import Metric
from deixis.reports.content import DatasetResult
from deixis.reports.glossary import explained, grouped
from deixis.reports.markup import Content, Html, element, foreign, joined
from deixis.reports.share_bars import share_bar

Head = tuple[Content, str | None]


def table(heads: Iterable[Head], rows: Iterable[Html], caption: str = "") -> Html:
    """A table that scrolls sideways on its own where it is too wide."""
    cells = [element("th", text, scope="col", class_=kind) for text, kind in heads]
    words = [element("caption", caption, class_="soft")] if caption else []
    inner = element("table", *words, element("thead", element("tr", *cells)), element("tbody", *rows))
    return element("div", inner, class_="wide", tabindex=0, role="region", aria_label=caption or "table")


def metric_tables(metrics: Sequence[Metric]) -> Html:
    """The metrics in groups: value, bar, interval, count, meaning."""
    by_name = {metric.name: metric for metric in metrics}
    parts: list[Content] = []
    for group in grouped(by_name):
        rows = [metric_row(by_name[name]) for name in group.names]
        heads: list[Head] = [("", None), ("value", "n"), ("", None), ("95 % interval", None), ("of", "n"), ("", None)]
        parts.append(element("h4", group.title, " ", element("span", group.about, class_="soft")))
        parts.append(table(heads, rows, group.title))
    return joined(parts)


def metric_row(metric: Metric) -> Html:
    """One metric as a row; what is no share has no bar."""
    low, high = metric.interval.low, metric.interval.high
    return element(
        "tr",
        element("th", element("code", metric.name), scope="row"),
        element("td", f"{metric.value:.3f}", class_="n"),
        element("td", share_bar(metric.value, low, high)),
        element("td", f"{low:.3f} – {high:.3f}", class_="interval"),
        element("td", f"{metric.n:,}", class_="n"),
        element("td", explained(metric.name), class_="soft"),
    )


def overview_table(results: Sequence[DatasetResult], names: Sequence[str]) -> Html:
    """A row per dataset, a column per metric; with several datasets their unweighted mean last."""
    heads: list[Head] = [("dataset", None), ("documents", "n"), *((element("code", name), "n") for name in names)]
    rows = [
        element(
            "tr",
            element("th", foreign(result.name), scope="row"),
            element("td", f"{result.n_documents:,}", class_="n"),
            *(_value_cell(result.value(name)) for name in names),
        )
        for result in results
    ]
    if len(results) > 1:
        means = [macro_mean([result.value(name) for result in results]) for name in names]
        cells = [element("td", "" if mean is None else f"{mean:.3f}", class_="n") for mean in means]
        total = element("td", f"{sum(result.n_documents for result in results):,}", class_="n")
        rows.append(element("tr", element("th", "mean over datasets", scope="row"), total, *cells, class_="mean"))
    return table(heads, rows, "All datasets")


def macro_mean(metrics: Sequence[Metric | None]) -> float | None:
    """The unweighted mean of a metric over datasets, None unless every one of them has it."""
    values = [metric.value for metric in metrics if metric is not None]
    return sum(values) / len(values) if values and len(values) == len(metrics) else None


def _value_cell(metric: Metric | None) -> Html:
    if metric is None:
        return element("td", "–", class_="n")
    interval = f"{metric.interval.low:.3f} – {metric.interval.high:.3f}"
    return element("td", f"{metric.value:.3f}", element("br"), element("span", interval, class_="interval"), class_="n")


def comparison_table(compared: Sequence[Comparison], name: str, other: str) -> Html:
    """First run, other run, difference with its interval, and how likely it is luck."""
    heads: list[Head] = [
        ("", None), (foreign(name), "n"), (foreign(other), "n"), ("difference", "n"), ("95 % interval", None),
        ("p", "n"), ("", None),
    ]  # fmt: skip
    return table(heads, [_comparison_row(each) for each in compared], "Two runs compared")


def _comparison_row(each: Comparison) -> Html:
    difference = each.difference
    kind = "" if each.verdict == "unclear" else f" {each.verdict}"
    return element(
        "tr",
        element("th", element("code", each.name), scope="row"),
        element("td", f"{each.value_a:.3f}", class_="n"),
        element("td", f"{each.value_b:.3f}", class_="n"),
        element("td", f"{difference.value:+.3f}", class_=f"n{kind}"),
        element("td", f"{difference.low:+.3f} – {difference.high:+.3f}", class_="interval"),
        element("td", f"{difference.p_value:.3f}", class_="n"),
        element("td", each.verdict, class_="soft"),
    )


def language_table(by_language: Mapping[str, Sequence[Metric]], names: Sequence[str]) -> Html:
    """A row per language."""
    heads: list[Head] = [("language", None), ("in KB", "n"), *((element("code", name), "n") for name in names)]
    rows = []
    for language, metrics in by_language.items():
        name_to_metric = {metric.name: metric for metric in metrics}
        n = next((name_to_metric[name].n for name in ("accuracy", "recall@1") if name in name_to_metric), 0)
        cells = [_value_cell(name_to_metric.get(name)) for name in names]
        head = element("th", foreign(language), scope="row")
        rows.append(element("tr", head, element("td", f"{n:,}", class_="n"), *cells))
    return table(heads, rows, "Languages")
