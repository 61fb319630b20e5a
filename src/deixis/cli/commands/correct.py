"""`deixis correct`: corrections of links in, a model that keeps to them out."""

from __future__ import annotations

import json
import time
from pathlib import Path

import click

from deixis.cli.commands.kb_changes import user_name
from deixis.cli.files import check_files, check_target, read_all
from deixis.cli.options import CommandWithSettings
from deixis.cli.render_changes import change_summary
from deixis.cli.render_tables import print_shares, shares
from deixis.cli.session import Session, examples, session_options
from deixis.cli.timing import cpu_seconds
from deixis.documents.corrections import read_corrections
from deixis.evaluation.statistics.metric import Metric
from deixis.linker import Linker
from deixis.linking.corrections import resolved
from deixis.live import LiveModel
from deixis.training.correct import correct as apply
from deixis.training.documents import unseen
from deixis.training.weights import accuracy_of


@click.command(
    cls=CommandWithSettings,
    epilog=examples(
        "deixis correct model corrections.jsonl",
        "deixis correct model corrections.jsonl -o corrected --dev gold.jsonl",
        "deixis correct model --list > corrections.jsonl",
        "deixis correct model corrections.jsonl --undo",
    ),
)
@click.argument("model", type=click.Path())
@click.argument("files", nargs=-1, type=click.Path())
@click.option("-o", "--output", metavar="MODEL", help="Model folder to write. [default: in place]")
@click.option("--dev", multiple=True, metavar="FILE", help="Annotated documents: accuracy before and after.")
@click.option("--list", "is_list", is_flag=True, help="Write the corrections that MODEL has, as JSON lines.")
@click.option("--undo", is_flag=True, help="Remove the corrections in FILES instead of adding them.")
@click.option("--all-equal", is_flag=True, help="Apply each correction to all equal mentions in its text.")
@click.option("--force", is_flag=True, help="Apply corrections that lower accuracy on held-out data.")
@session_options("json", "threads", "verify")
def correct(
    session: Session,
    model: str,
    files: tuple[str, ...],
    output: str | None,
    dev: tuple[str, ...],
    is_list: bool,
    undo: bool,
    all_equal: bool,
    force: bool,
) -> None:
    """Correct links of MODEL, at once: FILES say what spans of a text mean.

    Each line is about one span: {"text": "So Paris fled.", "start": 3, "end": 8} and "gold": "Q167646", "wrong": "Q90"
    or "not_an_entity": true. In this text the correction holds; elsewhere it is evidence. The same correction counts
    once; of two that contradict, the later one holds. All keys: docs/reference/corrections.md
    """
    if is_list and (files or output or dev or undo or all_equal or force):
        raise click.UsageError("--list only shows what MODEL has: leave out FILES and the other options.")
    if not is_list and not files:
        raise click.UsageError("Missing argument 'FILES...': corrections, or --list to see those that MODEL has.")
    if is_list:
        for each in Linker.load(model, verify=session.verify).corrections.each:
            click.echo(json.dumps(each.to_dict(), ensure_ascii=False))
        return
    target = output or model
    check_files((*files, *dev))
    with session.watching():
        live = LiveModel.open(model, session.threads, verify=session.verify)
        before = live.linker
        check_target(Path(target))
        corrections = read_corrections(files, all_equal=all_equal)
        begin = time.perf_counter()
        documents, sample = list(read_all(dev, None)), None
        accuracies: tuple[Metric, ...] = ()
        if undo:
            after = before.without_corrections(resolved(before.kb, corrections))
            n_removed = len(before.corrections) - len(after.corrections)
            counts = {"removed": n_removed, "not found": len(corrections) - n_removed}
        else:
            result = apply(before.model, corrections, dev=documents, force=force)
            after, sample, accuracies = Linker(result.model), result.changed_links, result.dev_accuracies
            counts = {"new": result.n_new, "changed": result.n_changed, "duplicates": result.n_known}
        seconds = time.perf_counter() - begin
        if undo and documents:
            held_out = unseen(after.model, documents, "to measure on")
            accuracies = tuple(
                accuracy_of(name, side.model, held_out) for name, side in (("before", before), ("after", after))
            )
        if output is None:  # in place: a change in the journal, so that nobody's are lost, and this can be undone
            change = (live.uncorrect if undo else live.correct)(corrections, author=user_name())
            session.note(change_summary(change))
        else:
            after.save(output)
        live.close()
    words = ", ".join(f"{n:,} {name}" for name, n in counts.items()) + f" ({len(after.corrections):,} total)"
    if session.is_json:
        summary = {
            "model": target,
            **{name.replace(" ", "_"): n for name, n in counts.items()},
            "total": len(after.corrections),
            "accuracies": shares(accuracies),
            "sample": None if sample is None else {"mentions": sample.n_sampled, "changed": sample.n_changed},
            "correct_seconds": round(seconds, 3),
            "seconds": round(time.perf_counter() - session.started, 3),
            "cpu_seconds": round(cpu_seconds(), 3),
        }
        click.echo(json.dumps(summary))
    else:
        click.echo(words)
        if sample is not None:
            click.echo(f"{sample.n_changed:,} of {sample.n_sampled:,} sampled links changed")
        print_shares("", "accuracy on --dev", accuracies)
    session.note(f"Corrected in {seconds:.1f} s." + ("" if output is None else f" Model written to {output}."))
