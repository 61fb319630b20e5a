"""The report of an evaluation as one HTML page: figures, charts, and errors. It needs no network."""

from __future__ import annotations

from collections.abc import Mapping

from deixis.reports.content import DatasetResult, Report
from deixis.reports.error_classes import error_sections, mistakes, n_gold, outcome_table, title_of
from deixis.reports.glossary import overview_names
from deixis.reports.markup import Content, Html, element, foreign, joined
from deixis.reports.shell import html_page
from deixis.reports.tables import comparison_table, language_table, metric_tables, overview_table


def report_page(report: Report) -> Html:
    """The whole page.

    Examples
    --------
    >>> page = report_page(Report("A <b>", [DatasetResult("news", 2, [], {})]))
    >>> "<title>A &lt;b&gt;</title>" in page, "<script src" in page
    (True, False)
    """
    parts: list[Content] = [
        element("a", "Skip to the mistakes", href="#mistakes-1", class_="skip"),
        element("header", element("h1", foreign(report.title)), _facts(report.facts), _contents(report)),
        element("main", *_main(report)),
        element("footer", "Made by Deixis. This page is complete in itself: it fetches nothing and sends nothing."),
    ]
    return html_page(report.title, joined(parts, "\n"))


def _main(report: Report) -> list[Html]:
    sections = [element("p", _verdict(result), class_="lead") for result in report.results if len(report.results) == 1]
    sections.append(overview_table(report.results, _overview(report)))
    sections.append(_note_on_intervals())
    sections.append(_search_box())
    return [*sections, *(_dataset(number, result, report) for number, result in enumerate(report.results, start=1))]


def _overview(report: Report) -> list[str]:
    return overview_names([result.metrics for result in report.results], report.is_end_to_end)


def _dataset(number: int, result: DatasetResult, report: Report) -> Html:
    several = len(report.results) > 1
    parts: list[Content] = [element("h2", foreign(result.name), id=f"dataset-{number}")]
    if several:
        parts.append(element("p", _verdict(result), class_="lead"))
    if result.compared:
        parts.append(element("h3", "Compared with ", foreign(report.other_name)))
        parts.append(comparison_table(result.compared, "this run", report.other_name))
    parts += [element("h3", "What became of every mention"), outcome_table(result)]
    if result.charts:
        parts.append(element("h3", "Pictures"))
        figures = [element("figure", Html(c.svg), element("figcaption", c.caption)) for c in result.charts]
        parts.append(element("div", *figures, class_="charts"))
    parts += [element("h3", "Mistakes", id=f"mistakes-{number}"), error_sections(result, report.names)]
    parts.append(element("h3", "All figures"))
    if len(result.by_language) > 1:
        names = [name for name in _overview(report) if name != "upper_bound"]
        table = language_table(result.by_language, names)
        parts.append(element("details", element("summary", element("b", "By language")), table))
    parts.append(element("details", element("summary", element("b", "Every metric")), metric_tables(result.metrics)))
    return element("section", *parts, aria_labelledby=f"dataset-{number}")


def _verdict(result: DatasetResult) -> Html:
    """The result in two sentences: how much is right, and where most of the rest is lost."""
    total = n_gold(result.outcomes)
    accuracy = result.value("accuracy")
    words: list[Content] = [f"{_counted(total, 'annotated mention')} in {_counted(result.n_documents, 'document')}. "]
    if accuracy is not None:
        low, high = accuracy.interval.low, accuracy.interval.high
        words += [
            f"Of the {accuracy.n:,} whose entity is in the knowledge base, ",
            element("b", f"{accuracy.value:.1%}"),
            f" are linked right ({low:.1%} to {high:.1%}). ",
        ]
    worst = next(iter(mistakes(result.outcomes)), None)
    if worst is not None:
        outcome, count = worst
        words.append(f"The most frequent mistake is “{title_of(outcome)}” ({count:,}). {outcome.advice}")
    return joined(words)


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def _facts(facts: Mapping[str, str]) -> Html:
    if not facts:
        return Html("")
    lines = [joined([element("dt", name), element("dd", foreign(value))]) for name, value in facts.items()]
    return element("dl", *lines, class_="facts")


def _contents(report: Report) -> Html:
    if len(report.results) < 2:
        return Html("")
    links = [
        element("li", element("a", foreign(result.name), href=f"#dataset-{number}"))
        for number, result in enumerate(report.results, start=1)
    ]
    return element("nav", element("ul", *links), aria_label="Datasets")


def _note_on_intervals() -> Html:
    return element(
        "p",
        "Intervals hold the middle 95 % of what other draws of documents would have given (bootstrap).",
        class_="soft",
    )


def _search_box() -> Html:
    return element(
        "div",
        element("label", "Search the mistakes", for_="find"),
        element("input", type="search", id="find", placeholder="a name, an id, a word of the text (press /)"),
        element("span", id="found", role="status", class_="soft"),
        class_="find needs-script",
    )
