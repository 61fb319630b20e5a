"""`deixis explain`: why a mention is linked as it is."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import TextIO

import click
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from deixis.cli.files import read_all
from deixis.cli.link_options import LINK_FIELDS, link_options, load_linker
from deixis.cli.options import CommandWithSettings
from deixis.cli.output import output_stream, printable
from deixis.cli.render import bar, console_on
from deixis.cli.session import Session, examples, session_options
from deixis.errors import DataError
from deixis.evaluation.run import without_gold
from deixis.explanation.explain import explain as explain_document
from deixis.explanation.records import ExplainedCandidate, Explanation, TreeStep
from deixis.linking.options import LinkOptions
from deixis.types import Document

MAX_PARTS, MAX_NGRAMS = 8, 4
NOT_DETECTED = {
    "unlikely": "improbable, or part of a longer name",
    "not_considered": "neither a name of the knowledge base in this spelling nor capitalized",
}
LEAST_SHOWN = 0.01  # what counts less is summed up
DECISIVE = tuple(name for name in LINK_FIELDS if name != "top_k")  # how many candidates are shown decides nothing


@click.command(
    cls=CommandWithSettings,
    epilog=examples(
        'echo "To save Troy, Paris had to die." | deixis explain model',
        "deixis explain model letter.txt --mention Paris",
        "deixis explain model letter.txt --mention Paris --entity Q90   # why not?",
    ),
)
@click.argument("model", type=click.Path())
@click.argument("files", nargs=-1, type=click.Path())
@click.option("--mention", metavar="TEXT", help="Only mentions of this text, detected or not.")
@click.option("--at", metavar="START:END", help="The span of code points from START to before END.")
@click.option("--entity", metavar="ID", help="Explain this entity, though another may be the best.")
@link_options(*DECISIVE)
@click.option("-o", "--output", metavar="FILE", help="Write here, not to stdout; .gz, .bz2, .xz and .zst compress.")
@click.option("--json/--pretty", "is_json", default=False, help="JSON lines for programs, or tables for people.")
@session_options("threads", "verify")
def explain(
    session: Session,
    model: str,
    files: tuple[str, ...],
    mention: str | None,
    at: str | None,
    entity: str | None,
    options: LinkOptions,
    output: str | None,
    is_json: bool,
) -> None:
    """Explain the links of MODEL in FILES: features whose contributions add up, and the path through the label tree.

    A candidate's score is a sum of features, each times its weight; calibration turns it into a probability. The path
    shows which n-grams of the mention led the label tree to the entity. Without --mention or --at, all mentions are
    explained, detected or given, as deixis link with the same options links them.
    """
    if mention is not None and at is not None:
        raise click.UsageError("Give --mention or --at, and not both.")
    span = None if at is None else _span(at)
    with session.watching(), output_stream(output) as stream:
        linker = load_linker(model, session, options)
        for document in read_all(files or ("-",), None):
            spans = _spans(document, mention, span)
            explanations = explain_document(linker.model, without_gold(document), spans, entity, options)
            for each in explanations:
                if is_json:
                    record = {"document": document.id, **each.to_record()}
                    stream.write(json.dumps(record, ensure_ascii=False) + "\n")
                else:
                    _print(each, stream)
            n_missing = len(document.mentions) - len(explanations)
            if spans is None and n_missing > 0:
                session.note(f"Mentions of document {document.id!r} without candidates: {n_missing}")


def _span(at: str) -> tuple[int, int]:
    start, _, end = at.partition(":")
    if not (start.isdecimal() and end.isdecimal()):
        raise click.UsageError(f"--at takes two whole numbers, such as 14:19; got {at!r}.")
    return int(start), int(end)


def _spans(document: Document, mention: str | None, span: tuple[int, int] | None) -> list[tuple[int, int]] | None:
    """What to explain of a document; None for all mentions."""
    if span is not None:
        return [span]
    if mention is None:
        return None
    spans = list(_occurrences(document.text, mention))
    if not spans:
        raise DataError(f"{mention!r} does not stand in the text of document {document.id!r}, written like that.")
    return spans


def _occurrences(text: str, mention: str) -> Iterator[tuple[int, int]]:
    start = text.find(mention) if mention else -1
    while start >= 0:
        yield start, start + len(mention)
        start = text.find(mention, start + len(mention))


def _print(explanation: Explanation, stream: TextIO) -> None:
    console = console_on(stream)
    best, next_best = explanation.entity, explanation.runner_up
    is_second = next_best is not None and next_best.score > best.score
    verb = "means" if explanation.is_linked else "could also mean" if is_second else "is not linked; closest is"
    head = Text(printable(explanation.text), style="bold")
    head.append(f" {verb} ", style="dim")
    head.append(printable(best.title), style="bold green" if explanation.is_linked else "yellow")
    head.append(f" ({printable(best.id)})", style="dim")
    console.print(head)
    if explanation.is_corrected:
        console.print("  corrected in this text, which overrides the score")
    name = {
        "same": "is its name",
        "normalized": "is its name, written otherwise",
        "similar": "is most like its name",
    }
    console.print(f"  the mention {name[best.name.how]} {printable(best.name.name)!r}")
    if explanation.detection in NOT_DETECTED:
        console.print(Padding(f"not detected as a mention: {NOT_DETECTED[explanation.detection]}", (0, 0, 0, 2)))
    if explanation.detection in NOT_DETECTED and explanation.mention_evidence is None:
        console.print("  if it were given as a mention:")
    numbers = f"  probability {best.probability:.2f}, threshold {explanation.threshold:.2f}; score {best.score:.2f}"
    console.print(f"{numbers} of {explanation.n_candidates} candidates")
    if best.reranked is not None:
        console.print(f"  score of the re-ranker {best.reranked:.2f}")
    if next_best is not None:
        second = f"{printable(next_best.title)} ({printable(next_best.id)}), probability {next_best.probability:.2f}"
        console.print(f"  {'before it' if is_second else 'next'}: {second}")
    if explanation.mention_evidence is not None:
        probability = 1 / (1 + math.exp(-explanation.mention_evidence.span_log_odds))
        parts = ", ".join(
            f"{part.meaning} {part.contribution:+.2f}" for part in explanation.mention_evidence.span_parts[:MAX_NGRAMS]
        )
        console.print(Padding(f"mention probability {probability:.2f}: {parts}", (0, 0, 0, 2)))
    console.print()
    console.print(_parts_table(best, next_best))
    if explanation.path:
        console.print()
        console.print("  through the tree", style="dim")
        console.print(_path_table(explanation.path))
    console.print()


def _parts_table(best: ExplainedCandidate, next_best: ExplainedCandidate | None) -> Table:
    """What counts for the entity, and next to it the same of the other one; what tells them apart comes first."""
    others = () if next_best is None else next_best.parts
    own, other = ({part.name: part.contribution for part in parts} for parts in (best.parts, others))
    name_to_meaning = {part.name: part.meaning for part in (*others, *best.parts)}
    order = sorted(
        name_to_meaning, key=lambda name: (-abs(own.get(name, 0) - other.get(name, 0)), -abs(own.get(name, 0)), name)
    )
    shown = [name for name in order if abs(own.get(name, 0)) + abs(other.get(name, 0)) >= LEAST_SHOWN][:MAX_PARTS]
    lines = [(own.get(name, 0.0), other.get(name, 0.0), name_to_meaning[name]) for name in shown]
    if len(order) > len(shown):
        rest = [sum(value for name, value in each.items() if name not in shown) for each in (own, other)]
        lines.append((rest[0], rest[1], "all else"))
    largest = max((abs(worth) for worth, _, _ in lines), default=0.0) or 1.0
    table = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False)
    table.add_column(no_wrap=True, width=10)
    table.add_column(no_wrap=True, justify="right")
    table.add_column(no_wrap=True, justify="right", style="dim")
    table.add_column(overflow="fold")
    for worth, of_other, what in lines:
        drawn = Text(bar(abs(worth) / largest), style="green" if worth > 0 else "red")
        table.add_row(drawn, f"{worth:+.2f}", "" if next_best is None else f"{of_other:+.2f}", what)
    table.add_row("", f"{best.total:+.2f}", "" if next_best is None else f"{next_best.total:+.2f}", "together")
    return table


def _path_table(path: Sequence[TreeStep]) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False)
    table.add_column(justify="right", no_wrap=True, style="dim", min_width=12)
    table.add_column(overflow="fold", max_width=26)
    table.add_column(justify="right", no_wrap=True, min_width=5)
    table.add_column(overflow="fold")
    for step in path:
        entities = "entity" if step.n_entities == 1 else "entities"
        ngrams = ", ".join(f"{printable(each.text)!r} {each.contribution:+.2f}" for each in step.ngrams[:MAX_NGRAMS])
        topics = ", ".join(printable(topic).strip() for topic in step.topics)
        table.add_row(f"{step.n_entities:,} {entities}", topics, f"{step.margin:+.2f}", ngrams)
    return table
