"""`deixis learn`: a model and annotated mentions in, a better model out."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from deixis.cli.evaluation_tables import table_of
from deixis.cli.examples import examples
from deixis.cli.files import read_all
from deixis.cli.measures import cpu_seconds, peak_memory
from deixis.cli.models import tell_expectation
from deixis.cli.options import CommandWithSettings, options_from, with_settings
from deixis.cli.places import check_files, check_place, read_toml
from deixis.cli.render import console_on
from deixis.cli.session import Session, session_options
from deixis.documents.formats import READERS
from deixis.errors import ConfigError
from deixis.linking.learned import Learned
from deixis.linking.learning import learn_reranker
from deixis.linking.learning_config import LearningConfig
from deixis.linking.linker import Linker
from deixis.linking.reweighing import learn_weights
from deixis.progress import track
from deixis.types import Document

MARK = "training.json"  # stands in every folder of checkpoints


@click.command(
    cls=CommandWithSettings,
    epilog=examples(
        "deixis learn model --mentions new.jsonl            # weights, calibration",
        "deixis learn model --mentions train.jsonl --rerank        # minutes to hours",
        "deixis learn model --mentions train.jsonl --dev dev.jsonl --rerank -o better",
        "deixis learn m --mentions t.jsonl --rerank --rerank-max-mentions 2000",
        "deixis learn m --mentions t.jsonl --rerank --encoder my-transformer/",
        "deixis learn --settings                            # all that can be set",
    ),
)
@click.argument("model", type=click.Path())
@click.option(
    "--mentions",
    multiple=True,
    required=True,
    metavar="FILE",
    help="Annotated documents to learn from; may be repeated.",
)
@click.option(
    "--dev",
    multiple=True,
    metavar="FILE",
    help="Others, to judge by; may be repeated. [default: a share of --mentions is held out]",
)
@click.option("--mentions-format", metavar="FORMAT", help=f"Their format: {', '.join(READERS)}. [default: files tell]")
@click.option(
    "--rerank",
    is_flag=True,
    help="Train a cross-encoder that looks again at the best candidates; needs the extra 'neural'.",
)
@click.option("--encoder", metavar="NAME", help="What it starts from: minilm, a transformer's folder, or a hub name.")
@click.option("-o", "--output", metavar="MODEL", help="The model folder to write. [default: in place]")
@click.option("--work", metavar="FOLDER", help="Where checkpoints lie. [default: beside the model, until it is done]")
@click.option(
    "--resume/--afresh",
    default=None,
    help="Insist on going on with what a stopped run left, or throw that away. [default: go on if it is the same]",
)
@click.option("--config", "config_file", metavar="FILE", help="A TOML file of settings.")
@options_from(LearningConfig, "typed")
@session_options("json", "threads", "seed")
def learn(
    session: Session,
    model: str,
    mentions: tuple[str, ...],
    dev: tuple[str, ...],
    mentions_format: str | None,
    rerank: bool,
    encoder: str | None,
    output: str | None,
    work: str | None,
    resume: bool | None,
    config_file: str | None,
    typed: dict[str, Any],
) -> None:
    """Make MODEL better with annotated mentions.

    Mentions to learn from have an `entity`, null for NIL. Without further options, what each kind of evidence weighs
    and how far scores can be believed is learned anew, which takes seconds and needs no extra.

    With --rerank a cross-encoder is trained that reads a mention in its text beside the description of each of its best
    candidates; deixis link --rerank then uses it. That takes about an hour for 30,000 pairs on one processor, and there
    are as many pairs as mentions, candidates (--rerank-n-taught) and epochs together: --rerank-max-mentions bounds
    them. A run that is stopped goes on where it was when the same command is given again. MODEL is replaced at the very
    end.

    A model looks better on documents that it has learned from, so it is judged by others: those of --dev, or a part of
    --mentions that it has not seen. If it has seen all, a second one is built without that part.
    """
    if not rerank and (encoder or work or resume is not None or "rerank" in typed):
        raise click.UsageError("--encoder, --work, --resume, --afresh and --rerank-... go with --rerank.")
    config = with_settings(LearningConfig(), {} if config_file is None else read_toml(Path(config_file)), typed)
    if encoder is not None:
        config = replace(config, rerank=replace(config.rerank, encoder=encoder))
    target = output or model
    if output is not None:
        check_place(Path(output))
    check_files((*mentions, *dev))
    work_folder = Path(work or f"{target.rstrip('/')}.learning")
    if rerank:
        _look_for_checkpoints(session, work_folder, resume)
    try:
        with session.watching():
            linker = Linker.load(model, n_threads=session.threads)
            documents = list(track(read_all(mentions, mentions_format), "reading mentions"))
            held_out = list(track(read_all(dev, mentions_format), "reading mentions to judge by")) if dev else None
            learned = _learn(session, linker, documents, held_out, config, work_folder if rerank else None)
            learned.linker.save(target)
    except KeyboardInterrupt:
        if rerank and (work_folder / MARK).exists():
            session.note(f"{target} is as it was. The same command goes on from the last checkpoint in {work_folder}.")
        raise
    if rerank and work is None:
        shutil.rmtree(work_folder, ignore_errors=True)
    _tell(session, target, learned, rerank)


def _learn(
    session: Session,
    linker: Linker,
    documents: list[Document],
    dev: list[Document] | None,
    config: LearningConfig,
    work: Path | None,
) -> Learned:
    if work is None:
        return learn_weights(linker, documents, dev, config, seed=session.seed)
    n_threads = session.threads or os.cpu_count() or 1
    return learn_reranker(linker, documents, dev, config, work, session.seed, n_threads)


def _look_for_checkpoints(session: Session, work: Path, resume: bool | None) -> None:
    """Says that an earlier run goes on; makes room for a new one; refuses a folder of other things."""
    is_ours = (work / MARK).is_file()
    if work.is_dir() and any(work.iterdir()) and not is_ours:
        raise ConfigError(f"The folder {work} holds other things than checkpoints. Choose another one with --work.")
    if resume is False and is_ours:
        shutil.rmtree(work)
        return
    has_checkpoint = any(work.glob("checkpoint-*")) if is_ours else False
    if resume and not has_checkpoint:
        raise ConfigError(
            f"There is no checkpoint in {work} to go on from. Leave --resume out, or name it with --work."
        )
    if has_checkpoint:
        session.note(f"Going on from the last checkpoint in {work}. (To begin again: --afresh)")


def _tell(session: Session, path: str, learned: Learned, rerank: bool) -> None:
    if session.is_json:
        click.echo(json.dumps(_summary(session, path, learned, rerank)))
    else:
        table = table_of(
            f"learned from {learned.n_taught:,} mentions",
            (("accuracy on held-out mentions", "left"), ("", "right"), ("95 % interval", "left"), ("n", "right")),
        )
        for metric in learned.accuracies:
            interval = f"{metric.interval.low:.3f} - {metric.interval.high:.3f}"
            table.add_row(metric.name, f"{metric.value:.3f}", interval, f"{metric.n:,}")
        console_on(sys.stdout).print(table)
    if learned.mentions_per_second is not None:
        session.note(f"With --rerank it links {learned.mentions_per_second:,.1f} mentions a second here.")
    tell_expectation(session, learned.linker, rerank)
    session.note(f"Model written to {path}." + (f" Use it: deixis link {path} --rerank" if rerank else ""))


def _summary(session: Session, path: str, learned: Learned, rerank: bool) -> dict[str, Any]:
    return {
        "model": path,
        "learned": "reranker" if rerank else "weights",
        "mentions": learned.n_taught,
        "accuracies": {
            metric.name: {
                "value": metric.value, "low": metric.interval.low, "high": metric.interval.high, "n": metric.n,
            }
            for metric in learned.accuracies
        },
        "mentions_per_second": learned.mentions_per_second,
        "threshold": learned.linker.decision(rerank)[1].threshold,
        "seconds": round(time.perf_counter() - session.started, 3),
        "cpu_seconds": round(cpu_seconds(), 3),
        "peak_memory_bytes": peak_memory(),
    }  # fmt: skip
