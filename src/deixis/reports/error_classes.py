"""Mistakes sorted by what a person can do about them: each class with its share, a remedy and examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deixis.evaluation.linking.error_examples import ErrorExample
from deixis.evaluation.linking.outcomes import Fate
from deixis.reports.content import DatasetResult, EntityNames
from deixis.reports.error_cards import error_card
from deixis.reports.markup import Html, element, joined
from deixis.reports.share_bars import share_bar
from deixis.reports.tables import Head, table

_NOT_GOLD = (Fate.SPURIOUS, Fate.SPURIOUS_NIL)


def n_gold(fates: Mapping[Fate, int]) -> int:
    """How many gold mentions there were: predictions where gold has nothing are not among them.

    Examples
    --------
    >>> n_gold({Fate.RIGHT: 3, Fate.MISSED: 1, Fate.SPURIOUS: 7})
    4
    """
    return sum(count for fate, count in fates.items() if fate not in _NOT_GOLD)


def mistakes(fates: Mapping[Fate, int]) -> list[tuple[Fate, int]]:
    """The kinds of mistakes that were made, most frequent first."""
    found = [(fate, count) for fate, count in fates.items() if count and not fate.is_good]
    return sorted(found, key=lambda item: -item[1])


def fate_table(result: DatasetResult) -> Html:
    """What became of every gold mention, and of what was predicted beside them."""
    total = n_gold(result.fates)
    heads: list[Head] = [("what happened", None), ("mentions", "n"), ("of gold", "n"), ("", None), ("", None)]
    rows = []
    for fate, count in result.fates.items():
        share = count / max(1, total)
        shown = "–" if fate in _NOT_GOLD else f"{share:.1%}"
        rows.append(
            element(
                "tr",
                element("th", title_of(fate), scope="row"),
                element("td", f"{count:,}", class_="n"),
                element("td", shown, class_="n"),
                element("td", "" if fate in _NOT_GOLD else share_bar(share)),
                element("td", fate.advice, class_="soft"),
            )
        )
    return element("div", table(heads, rows, "What became of every mention"), class_="fates")


def error_sections(result: DatasetResult, names: EntityNames) -> Html:
    """A closed section per kind of mistake; the most frequent is the first."""
    total = n_gold(result.fates)
    return joined(
        _section(fate, count, total, result.examples.get(fate, ()), names) for fate, count in mistakes(result.fates)
    )


def title_of(fate: Fate) -> str:
    """The fate as a heading.

    Examples
    --------
    >>> title_of(Fate.NOT_IN_KB), title_of(Fate.NIL_LINKED)
    ('Gold not in KB', 'NIL linked')
    """
    return fate.value[:1].upper() + fate.value[1:]


def _section(fate: Fate, count: int, total: int, examples: Sequence[ErrorExample], names: EntityNames) -> Html:
    of_gold = "" if fate in _NOT_GOLD else f" · {count / max(1, total):.1%} of gold"
    summary = element("summary", element("b", title_of(fate)), element("span", f"{count:,}{of_gold}", class_="count"))
    shown = f"{len(examples):,} of {count:,}, from all over the data" if len(examples) < count else f"all {count:,}"
    return element(
        "details",
        summary,
        element("p", fate.advice, class_="advice"),
        element("p", f"Examples: {shown}.", class_="soft") if examples else "",
        *(error_card(example, names) for example in examples),
        class_="errors",
    )
