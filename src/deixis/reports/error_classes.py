"""Mistakes sorted by what a person can do about them: each class with its share, a remedy and examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deixis.evaluation.linking.error_examples import ErrorExample
from deixis.evaluation.linking.outcomes import Outcome
from deixis.reports.content import DatasetResult, EntityNames
from deixis.reports.error_cards import error_card
from deixis.reports.markup import Html, element, joined
from deixis.reports.share_bars import share_bar
from deixis.reports.tables import Head, table

_NOT_GOLD = (Outcome.SPURIOUS, Outcome.SPURIOUS_NIL)


def n_gold(outcomes: Mapping[Outcome, int]) -> int:
    """How many gold mentions there were: predictions where gold has nothing are not among them.

    Examples
    --------
    >>> n_gold({Outcome.RIGHT: 3, Outcome.MISSED: 1, Outcome.SPURIOUS: 7})
    4
    """
    return sum(count for outcome, count in outcomes.items() if outcome not in _NOT_GOLD)


def mistakes(outcomes: Mapping[Outcome, int]) -> list[tuple[Outcome, int]]:
    """The kinds of mistakes that were made, most frequent first."""
    found = [(outcome, count) for outcome, count in outcomes.items() if count and not outcome.is_good]
    return sorted(found, key=lambda item: -item[1])


def outcome_table(result: DatasetResult) -> Html:
    """What became of every gold mention, and of what was predicted beside them."""
    total = n_gold(result.outcomes)
    heads: list[Head] = [("what happened", None), ("mentions", "n"), ("of gold", "n"), ("", None), ("", None)]
    rows = []
    for outcome, count in result.outcomes.items():
        share = count / max(1, total)
        shown = "–" if outcome in _NOT_GOLD else f"{share:.1%}"
        rows.append(
            element(
                "tr",
                element("th", title_of(outcome), scope="row"),
                element("td", f"{count:,}", class_="n"),
                element("td", shown, class_="n"),
                element("td", "" if outcome in _NOT_GOLD else share_bar(share)),
                element("td", outcome.advice, class_="soft"),
            )
        )
    return element("div", table(heads, rows, "What became of every mention"), class_="outcomes")


def error_sections(result: DatasetResult, names: EntityNames) -> Html:
    """A closed section per kind of mistake; the most frequent is the first."""
    total = n_gold(result.outcomes)
    return joined(
        _section(outcome, count, total, result.examples.get(outcome, ()), names)
        for outcome, count in mistakes(result.outcomes)
    )


def title_of(outcome: Outcome) -> str:
    """The outcome as a heading.

    Examples
    --------
    >>> title_of(Outcome.NOT_IN_KB), title_of(Outcome.NIL_LINKED)
    ('Gold not in KB', 'NIL linked')
    """
    return outcome.value[:1].upper() + outcome.value[1:]


def _section(outcome: Outcome, count: int, total: int, examples: Sequence[ErrorExample], names: EntityNames) -> Html:
    of_gold = "" if outcome in _NOT_GOLD else f" · {count / max(1, total):.1%} of gold"
    summary = element(
        "summary", element("b", title_of(outcome)), element("span", f"{count:,}{of_gold}", class_="count")
    )
    shown = f"{len(examples):,} of {count:,}, from all over the data" if len(examples) < count else f"all {count:,}"
    return element(
        "details",
        summary,
        element("p", outcome.advice, class_="advice"),
        element("p", f"Examples: {shown}.", class_="soft") if examples else "",
        *(error_card(example, names) for example in examples),
        class_="errors",
    )
