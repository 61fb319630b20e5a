"""`deixis demo`: a linker built before the reader's eyes, and what it makes of names that many things share."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence

import click
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from deixis.cli.output import printable
from deixis.cli.render import Gloss, bar, candidate_table, confidence_style, console_on, gloss_of, marked_text
from deixis.cli.session import Session, examples, session_options
from deixis.cli.timing import format_seconds
from deixis.documents.reading import read_documents
from deixis.evaluation.run import without_gold
from deixis.evaluation.sentences import Scoreboard, Verdict, judge
from deixis.kb.demo import demo_sentences_path, read_demo
from deixis.linker import Linker
from deixis.types import Candidate, Document, Mention

FIRST_FAMILY = "Paris"
N_FAMILIES = 3
N_PER_FAMILY = 3
LANGUAGES = ("de", "fr", "es", "ru", "zh", "ja")
N_MISSES = 3
WORTH_SHOWING = 0.005  # the least confidence of a runner-up
_LANGUAGE_NAMES = {
    **{"de": "German", "en": "English", "es": "Spanish", "fr": "French", "it": "Italian", "ja": "Japanese"},
    **{"nl": "Dutch", "pl": "Polish", "pt": "Portuguese", "ru": "Russian", "tr": "Turkish", "zh": "Chinese"},
}
TEXT = (
    "Paris carried Helen off from Menelaus. Centuries later Apple opened its largest shop in London, "
    "far from the jaguars of the Amazon."
)


@click.command(epilog=examples("deixis demo", "deixis demo --json"))
@session_options("json", "threads", "seed")
def demo(session: Session) -> None:
    """See a linker tell namesakes apart: built here and now from a shipped knowledge base, nothing downloaded.

    The sentences were annotated by hand and the linker has never seen them; the marks say where it is right and wrong.
    """
    started = time.perf_counter()
    kb = read_demo()
    linker = Linker.build(kb, seed=session.seed, n_threads=session.threads)
    built_in = time.perf_counter() - started
    gold = list(read_documents(demo_sentences_path()))
    linked = linker.link_many(without_gold(document) for document in gold)
    verdicts = [judge(truth, guess) for truth, guess in zip(gold, linked, strict=True)]
    scoreboard = Scoreboard.of(verdicts)
    if session.is_json:
        click.echo(json.dumps({"entities": len(kb), "build_seconds": round(built_in, 3), **scoreboard.to_dict()}))
        return
    console = console_on(sys.stdout)
    gloss = gloss_of(kb)
    _print_opening(console, len(kb), built_in)
    _print_families(console, verdicts, gloss)
    _print_languages(console, verdicts, gloss)
    console.print("\nNo mentions given: names are looked for, longest first\n", style="bold")
    _print_linked_text(console, linker.link(Document("text", TEXT, lang="en")), gloss)
    _print_scoreboard(console, scoreboard, verdicts, gloss)
    _print_next_steps(console)


def _print_opening(console: Console, n_entities: int, seconds: float) -> None:
    console.print("Deixis links names in text to the things on your own list.\n", style="bold")
    words = (
        f"A linker for the {n_entities:,} things on the shipped list was built just now, on this machine, in "
        f"{format_seconds(seconds)}, from their names and descriptions alone: no annotated text, no download."
    )
    console.print(Padding(Text(words), (0, 0, 0, 2)))


def _print_families(console: Console, verdicts: Sequence[Verdict], gloss: Gloss) -> None:
    console.print("\nOne name, several things", style="bold")
    console.print("  (sentences that it gets right; those that it gets wrong are counted below)")
    for family in _families(verdicts)[:N_FAMILIES]:
        for verdict in family[:N_PER_FAMILY]:
            console.print()
            _print_sentence(console, verdict, gloss)


def _families(verdicts: Sequence[Verdict]) -> list[list[Verdict]]:
    """English sentences that are right, grouped by a name they share that means something else in each.

    Paris comes first, then the names with most meanings; of two sentences about the same thing the shorter is taken.
    """
    names: dict[str, dict[str | None, Verdict]] = {}
    for verdict in sorted(verdicts, key=lambda verdict: (len(verdict.gold.mentions), len(verdict.gold.text))):
        if verdict.is_right and verdict.gold.lang == "en":
            for mention in verdict.gold.mentions:
                names.setdefault(mention.text, {}).setdefault(mention.entity, verdict)
    shared = {name: list(meanings.values()) for name, meanings in names.items() if len(meanings) > 1}
    order = sorted(shared, key=lambda name: (name != FIRST_FAMILY, -len(shared[name]), name))
    return [shared[name] for name in order]


def _print_languages(console: Console, verdicts: Sequence[Verdict], gloss: Gloss) -> None:
    console.print("\nIn other languages, with the same linker", style="bold")
    for lang in LANGUAGES:
        candidates = [verdict for verdict in verdicts if verdict.gold.lang == lang]
        if candidates:
            console.print()
            _print_sentence(console, min(candidates, key=lambda verdict: len(verdict.gold.text)), gloss)


def _print_next_steps(console: Console) -> None:
    console.print("\nNow with your own list", style="bold")
    console.print(
        "\n  A CSV file with the columns id,title,aliases,description is enough.\n\n"
        "    deixis kb check my.csv                    what is in it, what is odd\n"
        "    deixis build my.csv -o model              list in, linker out\n"
        '    echo "Your text" | deixis link model --pretty\n'
        "    deixis link model my.txt > links.jsonl    for programs\n\n"
        "  To play on with the shipped list:  deixis build --demo -o demo-model"
    )


def _print_sentence(console: Console, verdict: Verdict, gloss: Gloss) -> None:
    """The sentence, its mentions in brackets, and under it what each was linked to and the runner-up."""
    console.print(Padding(_bracketed(verdict.gold), (0, 0, 0, 2)))
    table = _answer_table()
    for truth, answer, is_right in zip(verdict.gold.mentions, verdict.answers, verdict.marks, strict=True):
        _add_answer(table, answer, is_right, gloss)
        if not is_right and truth.entity is not None:
            table.add_row("", "", Text(f"should be {truth.entity}: {gloss(truth.entity)}", style="red"))
    console.print(table)


def _print_linked_text(console: Console, document: Document, gloss: Gloss) -> None:
    """A text whose mentions were looked for, with a table of what they may be."""
    console.print(Padding(marked_text(document), (0, 0, 0, 2)))
    console.print()
    console.print(Padding(candidate_table(document, gloss, max_candidates=2), (0, 0, 0, 2)))


def _print_scoreboard(console: Console, scoreboard: Scoreboard, verdicts: Sequence[Verdict], gloss: Gloss) -> None:
    """How many sentences are right, language by language, and a few that are not."""
    console.print("\nHow good is that?\n", style="bold")
    console.print(
        f"  {scoreboard.n_right} of {scoreboard.n_sentences} annotated sentences right, every name in them "
        f"({scoreboard.n_right_mentions} of {scoreboard.n_mentions} names).\n"
    )
    table = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False)
    for lang, (right, total) in scoreboard.by_language.items():
        share = right / total
        cells = Text(bar(share, 20), style=confidence_style(share))
        table.add_row(_LANGUAGE_NAMES.get(lang, lang), cells, f"{right} of {total}")
    console.print(Padding(table, (0, 0, 0, 2)))
    misses = [verdict for verdict in verdicts if not verdict.is_right]
    if misses:
        console.print("\n  Some that it gets wrong:")
        for verdict in misses[:: max(1, len(misses) // N_MISSES)][:N_MISSES]:
            console.print()
            _print_sentence(console, verdict, gloss)


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
