"""`deixis learn MODEL CORRECTIONS`: what was said about links in, a model that heeds it out."""

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
from deixis.linking.correcting import LearnedCorrections, learn_corrections
from deixis.linking.linker import Linker
from deixis.linking.reweighing import accuracy_of, warn_of_older_parts
from deixis.linking.teaching import unseen


def learn_from_corrections(
    session: Session, model: str, target: str, files: tuple[str, ...], dev: tuple[str, ...]
) -> None:
    """Reads, learns, writes the model, and tells; documents of `dev` judge the linker before and after."""
    with session.watching():
        linker = Linker.load(model, n_threads=session.threads)
        check_place(Path(target))
        told = read_corrections(files)
        begin = time.perf_counter()
        learned = learn_corrections(linker, told)
        seconds = time.perf_counter() - begin
        held_out = unseen(learned.linker, list(read_all(dev, None)), "to judge by") if dev else []
        sides = (("before", linker), ("after", learned.linker)) if held_out else ()
        accuracies = tuple(accuracy_of(name, side, held_out) for name, side in sides)
        learned.linker.save(target)
    warn_of_older_parts(linker)
    if session.is_json:
        counts = {name: getattr(learned, f"n_{name}") for name in ("new", "changed", "known")}
        summary = {
            "model": target,
            "learned": ["corrections"],
            **counts,
            "corrections": len(learned.linker.corrections),
        }
        summary |= {"accuracies": shares(accuracies), "learn_seconds": round(seconds, 3)}
        summary |= {
            "seconds": round(time.perf_counter() - session.started, 3),
            "cpu_seconds": round(cpu_seconds(), 3),
        }
        click.echo(json.dumps(summary))
    elif accuracies:
        print_shares(_told(learned), "accuracy on --dev", accuracies)
    else:
        click.echo(_told(learned))
    session.note(f"Learned in {seconds:.1f} s. Model written to {target}.")


def _told(learned: LearnedCorrections) -> str:
    counts = f"{learned.n_new:,} new, {learned.n_changed:,} other than before, {learned.n_known:,} known already"
    return f"corrections: {counts}; {len(learned.linker.corrections):,} in all"
