"""One error as a card: the text with its mention marked, the gold entity, and the candidates."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from deixis.evaluation.linking.error_examples import N_AROUND, ErrorExample
from deixis.evaluation.linking.outcomes import Outcome
from deixis.gold import acceptable_ids
from deixis.reports.content import EntityNames
from deixis.reports.markup import Content, Html, element, foreign, joined
from deixis.reports.share_bars import share_bar
from deixis.types import Candidate

N_CANDIDATES = 5  # and the right one, wherever it stands
_MAX_GLOSS = 140
Span = tuple[int, int]


def error_card(example: ErrorExample, names: EntityNames) -> Html:
    """The mistake as an article: text, gold, prediction, candidates, document.

    Examples
    --------
    >>> example = ErrorExample(Outcome.MISSED, "d1", "To save Troy", 8, 12, None, "Q22647", None, None, ())
    >>> card = error_card(example, EntityNames(lambda name: ("Troy", "ancient city")))
    >>> "<mark>Troy</mark>" in card, "<bdi>ancient city</bdi>" in card
    (True, True)
    """
    titles = {candidate.id: candidate.title for candidate in example.candidates}

    def entity(identifier: str) -> Html:
        title, gloss = names.name_of(identifier)
        return entity_line(identifier, title or titles.get(identifier, ""), gloss)

    return element(
        "article",
        element("p", marked_text(example), class_="context", dir="auto", lang=example.lang),
        element("dl", *_answers(example, entity)),
        _candidate_table(example, names),
        element("p", "document ", foreign(example.document), class_="where"),
        class_="example",
    )


def marked_text(example: ErrorExample) -> Html:
    """The excerpt, the gold mention marked, and the prediction too where it has other borders."""
    own, guessed = (example.start, example.end), example.guessed
    if example.gold is None and example.guessed == own:  # nothing to tell apart
        guessed = None
    borders = sorted({0, len(example.excerpt), *own, *(guessed or own)})
    pieces: list[Content] = []
    for begin, end in zip(borders, borders[1:], strict=False):
        words = example.excerpt[begin:end]
        is_own, is_guess = _is_inside(begin, end, own), guessed not in (None, own) and _is_inside(begin, end, guessed)
        if is_own or is_guess:
            pieces.append(
                element("mark", words, class_="both" if is_own and is_guess else "guess" if is_guess else None)
            )
        else:
            pieces.append(words)
    is_cut = example.start >= N_AROUND, len(example.excerpt) - example.end >= N_AROUND
    return joined(["…" if is_cut[0] else "", *pieces, "…" if is_cut[1] else ""])


def entity_line(identifier: str, title: str, gloss: str) -> Html:
    """An entity as a reader knows it: title, id where that says more, a few words."""
    words: list[Content] = [element("b", foreign(title or identifier))]
    if title and title != identifier:
        words += [" ", element("span", foreign(identifier), class_="id")]
    if gloss:
        words += [" ", element("span", foreign(_shortened(gloss)), class_="soft")]
    return joined(words)


def _answers(example: ErrorExample, entity: Callable[[str], Html]) -> list[Html]:
    has_gold = example.outcome not in (Outcome.SPURIOUS, Outcome.SPURIOUS_NIL)
    gold = entity(example.gold) if example.gold is not None else Html("NIL" if has_gold else "no mention here")
    if example.predicted is not None:
        answer = entity(example.predicted)
    else:
        answer = Html("NIL" if example.guessed is not None or example.candidates else "nothing")
    if example.score is not None:
        answer = joined([answer, element("span", f" · score {example.score:.3f}", class_="soft")])
    lines: list[tuple[str, Content]] = [("annotated", gold), ("predicted", answer)]
    return [joined([element("dt", name), element("dd", value)]) for name, value in lines]


def _candidate_table(example: ErrorExample, names: EntityNames) -> Html:
    if not example.candidates:
        return Html("")
    right = acceptable_ids(example.gold, names.resolve) if example.gold is not None else frozenset()
    rows = [
        _candidate_row(rank, candidate, candidate.id in right, candidate.id == example.predicted, names)
        for rank, candidate in enumerate(example.candidates, start=1)
        if rank <= N_CANDIDATES or candidate.id in right
    ]
    heads = [element("th", name, scope="col", class_=kind) for name, kind in _HEADS]
    table = element("table", element("thead", element("tr", *heads)), element("tbody", *rows))
    return element("div", table, class_="wide")


def _candidate_row(rank: int, candidate: Candidate, is_gold: bool, is_linked: bool, names: EntityNames) -> Html:
    note: Content = ""
    if is_gold:
        note = element("span", "✓ annotated", class_="is-gold")
    elif is_linked:
        note = element("span", "✗ linked", class_="is-wrong")
    return element(
        "tr",
        element("td", str(rank), class_="n"),
        element("td", entity_line(candidate.id, candidate.title or names.name_of(candidate.id)[0], "")),
        element("td", f"{candidate.score:.3f}", class_="n"),
        element("td", share_bar(candidate.score)),
        element("td", note),
    )


_HEADS: Sequence[tuple[str, str | None]] = (("#", "n"), ("candidate", None), ("score", "n"), ("", None), ("", None))


def _is_inside(begin: int, end: int, span: Span | None) -> bool:
    return span is not None and span[0] <= begin and end <= span[1]


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_GLOSS else f"{text[: _MAX_GLOSS - 1].rstrip()}…"
