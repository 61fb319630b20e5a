"""How the demo looks: sentences with their answers, bars of confidence, the board at the end. Fits 80 columns."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from deixis.cli.demo_score import Scoreboard, Verdict
from deixis.cli.render import Gloss, bar, candidate_table, confidence_style, marked_text, printable
from deixis.types import Candidate, Document, Mention

N_MISSES = 3
WORTH_SHOWING = 0.005  # the least confidence of a runner-up
_LANGUAGE_NAMES = {
    **{"de": "German", "en": "English", "es": "Spanish", "fr": "French", "it": "Italian", "ja": "Japanese"},
    **{"nl": "Dutch", "pl": "Polish", "pt": "Portuguese", "ru": "Russian", "tr": "Turkish", "zh": "Chinese"},
}


def print_sentence(console: Console, verdict: Verdict, gloss: Gloss) -> None:
    """The sentence, its mentions in brackets, and under it what each was linked to and the runner-up."""
    console.print(Padding(_bracketed(verdict.gold), (0, 0, 0, 2)))
    table = _answer_table()
    for truth, answer, is_right in zip(verdict.gold.mentions, verdict.answers, verdict.marks, strict=True):
        _add_answer(table, answer, is_right, gloss)
        if not is_right and truth.entity is not None:
            table.add_row("", "", Text(f"should be {truth.entity}: {gloss(truth.entity)}", style="red"))
    console.print(table)


def print_linked_text(console: Console, document: Document, gloss: Gloss) -> None:
    """A text whose mentions were looked for, with a table of what they may be."""
    console.print(Padding(marked_text(document), (0, 0, 0, 2)))
    console.print()
    console.print(Padding(candidate_table(document, gloss, max_candidates=2), (0, 0, 0, 2)))


def print_scoreboard(console: Console, board: Scoreboard, verdicts: Sequence[Verdict], gloss: Gloss) -> None:
    """How many sentences are right, language by language, and a few that are not."""
    console.print("\nHow good is that?\n", style="bold")
    console.print(
        f"  {board.n_right} of {board.n_sentences} annotated sentences right, every name in them "
        f"({board.n_right_mentions} of {board.n_mentions} names).\n"
    )
    table = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False)
    for lang, (right, total) in board.by_language.items():
        share = right / total
        cells = Text(bar(share, 20), style=confidence_style(share))
        table.add_row(_LANGUAGE_NAMES.get(lang, lang), cells, f"{right} of {total}")
    console.print(Padding(table, (0, 0, 0, 2)))
    misses = [verdict for verdict in verdicts if not verdict.is_right]
    if misses:
        console.print("\n  Some that it gets wrong:")
        for verdict in misses[:: max(1, len(misses) // N_MISSES)][:N_MISSES]:
            console.print()
            print_sentence(console, verdict, gloss)


def _answer_table() -> Table:
    table = Table.grid(padding=(0, 1), expand=True)
    table.add_column("mark", width=5, justify="right", no_wrap=True)
    table.add_column("bar", width=15, no_wrap=True)
    table.add_column("entity", ratio=1, no_wrap=True, overflow="ellipsis")
    return table


def _add_answer(table: Table, answer: Mention, is_right: bool, gloss: Gloss) -> None:
    mark = Text("yes", style="green") if is_right else Text("no", style="red")
    if answer.entity is None:
        table.add_row(mark, "", Text(f"{answer.text}: nothing on the list is sure enough", style="dim"))
        return
    chosen = [candidate for candidate in answer.candidates if candidate.id == answer.entity]
    others = [candidate for candidate in answer.candidates if candidate.id != answer.entity]
    for candidate in chosen or [Candidate(answer.entity, answer.score or 0.0)]:
        table.add_row(
            mark, _gauge(candidate.score, confidence_style(candidate.score)), _named(candidate, gloss, "bold")
        )
    for candidate in others[:1] if others and others[0].score >= WORTH_SHOWING else ():
        table.add_row("", _gauge(candidate.score, "dim"), _named(candidate, gloss, "dim"))


def _gauge(score: float, style: str) -> Text:
    return Text(f"{bar(score)} {score:.2f}", style=style)


def _named(candidate: Candidate, gloss: Gloss, style: str) -> Text:
    text = Text(printable(candidate.title or candidate.id), style=style)
    return text.append(f"  {printable(gloss(candidate.id))}", style="dim" if style == "dim" else "not bold")


def _bracketed(document: Document) -> Text:
    """The text with every mention in brackets; mentions of the shipped sentences do not overlap."""
    text, done = Text(), 0
    for mention in document.mentions:
        text.append(document.text[done : mention.start])
        text.append(f"[{mention.text}]", style="bold cyan")
        done = mention.end
    return text.append(document.text[done:])
