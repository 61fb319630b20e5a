"""`deixis learn MODEL CORRECTIONS`: corrections of links in, a model that keeps to them out."""

from __future__ import annotations

import json
import time
from pathlib import Path

import click

from deixis.cli.files import read_all
from deixis.cli.learning_report import print_shares, shares
from deixis.cli.places import check_place
from deixis.cli.session import Session
from deixis.cli.timing import cpu_seconds
from deixis.documents.corrections import read_corrections
from deixis.linker import Linker
from deixis.training.correct import CorrectionResult, correct
from deixis.training.documents import unseen
from deixis.training.weights import accuracy_of


def apply_corrections(session: Session, model: str, target: str, files: tuple[str, ...], dev: tuple[str, ...]) -> None:
    """Reads them, writes the corrected model, and tells; documents of `dev` judge the model before and after."""
    with session.watching():
        before = Linker.load(model, n_threads=session.threads).model
        check_place(Path(target))
        corrections = read_corrections(files)
        begin = time.perf_counter()
        result = correct(before, corrections)
        seconds = time.perf_counter() - begin
        held_out = unseen(result.model, list(read_all(dev, None)), "to judge by") if dev else []
        sides = (("before", before), ("after", result.model)) if held_out else ()
        accuracies = tuple(accuracy_of(name, side, held_out) for name, side in sides)
        Linker(result.model).save(target)
    if session.is_json:
        summary = {
            "model": target,
            "learned": ["corrections"],
            "new": result.n_new,
            "changed": result.n_changed,
            "known": result.n_known,
            "corrections": len(result.model.corrections),
            "accuracies": shares(accuracies),
            "learn_seconds": round(seconds, 3),
            "seconds": round(time.perf_counter() - session.started, 3),
            "cpu_seconds": round(cpu_seconds(), 3),
        }
        click.echo(json.dumps(summary))
    elif accuracies:
        print_shares(_counts(result), "accuracy on --dev", accuracies)
    else:
        click.echo(_counts(result))
    session.note(f"Corrected in {seconds:.1f} s. Model written to {target}.")


def _counts(result: CorrectionResult) -> str:
    counts = f"{result.n_new:,} new, {result.n_changed:,} changed, {result.n_known:,} duplicates"
    return f"corrections: {counts} ({len(result.model.corrections):,} total)"
