"""`deixis demo`: a linker built before the reader's eyes, and what it makes of names that many things share."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence

import click
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from deixis.cli.demo_score import Scoreboard, Verdict, judge
from deixis.cli.demo_view import print_linked_text, print_scoreboard, print_sentence
from deixis.cli.examples import examples
from deixis.cli.models import gloss_of, without_gold
from deixis.cli.render import Gloss, console_on
from deixis.cli.session import Session, session_options
from deixis.cli.timing import format_seconds
from deixis.documents.reading import read_documents
from deixis.kb.demo import demo_sentences_path, read_demo
from deixis.linker import Linker
from deixis.types import Document

FIRST_FAMILY = "Paris"
N_FAMILIES = 3
N_PER_FAMILY = 3
LANGUAGES = ("de", "fr", "es", "ru", "zh", "ja")
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
    board = Scoreboard.of(verdicts)
    if session.is_json:
        click.echo(json.dumps({"entities": len(kb), "build_seconds": round(built_in, 3), **board.to_dict()}))
        return
    console = console_on(sys.stdout)
    gloss = gloss_of(kb)
    _print_opening(console, len(kb), built_in)
    _print_families(console, verdicts, gloss)
    _print_languages(console, verdicts, gloss)
    console.print("\nNo mentions given: names are looked for, longest first\n", style="bold")
    print_linked_text(console, linker.link(Document("text", TEXT, lang="en")), gloss)
    print_scoreboard(console, board, verdicts, gloss)
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
            print_sentence(console, verdict, gloss)


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
            print_sentence(console, min(candidates, key=lambda verdict: len(verdict.gold.text)), gloss)


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
