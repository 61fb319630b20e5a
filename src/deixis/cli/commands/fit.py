"""`deixis learn`: a model and annotated mentions or corrections in, a better model out."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from deixis.cli.commands.correct import apply_corrections
from deixis.cli.examples import examples
from deixis.cli.files import read_all
from deixis.cli.learning_report import tell_training
from deixis.cli.options import CommandWithSettings, options_from
from deixis.cli.places import check_files, check_place, read_toml
from deixis.cli.session import Session, session_options
from deixis.cli.settings import with_settings
from deixis.documents.formats import READERS
from deixis.errors import ConfigError
from deixis.evaluation.statistics.metric import Metric
from deixis.linker import Linker
from deixis.linking.model import LinkerModel
from deixis.progress import track
from deixis.training.config import TrainingConfig
from deixis.training.fit import fit
from deixis.training.result import TrainingResult
from deixis.types import Document

MARK = "training.json"  # stands in every folder of checkpoints
BI_ENCODER, RERANKER, READER = "bi-encoder", "reranker", "reader"  # the first two have folders in that of the work
TRAINERS = {BI_ENCODER: "encoder", RERANKER: "reranker", READER: "reader"}
SKIPPED = (
    "bi_encoder.seed", "bi_encoder.n_threads", "reader.seed", "reader.n_threads", "reader.flows", "reader.n_negatives",
    "reader.scale", "reader.refresh_every", "reader.pooling", "reader.threshold", "reader.warm_up",
)  # what the session tells, and what a reader without a retriever has no use for  # fmt: skip


@click.command(
    cls=CommandWithSettings,
    epilog=examples(
        "deixis learn model corrections.jsonl              # links somebody corrected",
        "deixis learn model --mentions new.jsonl            # weights, calibration",
        "deixis learn model --mentions train.jsonl --rerank        # minutes to hours",
        "deixis learn model --mentions train.jsonl --dev dev.jsonl --rerank -o better",
        "deixis learn m --mentions t.jsonl --rerank --rerank-max-mentions 2000",
        "deixis learn m --mentions t.jsonl --rerank --encoder my-transformer/",
        "deixis learn m --mentions t.jsonl --bi-encoder --rerank   # both, in turn",
        "deixis learn m --mentions t.jsonl --bi-encoder --bi-encoder-n-rounds 1",
        "deixis learn m --mentions t.jsonl --reader         # for raw text; minutes",
        "deixis learn --settings                            # all that can be set",
    ),
)
@click.argument("model", type=click.Path())
@click.argument("corrections", nargs=-1, type=click.Path())
@click.option(
    "--mentions",
    multiple=True,
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
@click.option(
    "--bi-encoder",
    is_flag=True,
    help="Train an encoder, and add candidates by its vectors; before --rerank; needs the extra 'neural'.",
)
@click.option(
    "--reader",
    is_flag=True,
    help="Train a reader that has a say in which spans of a text are mentions; after the others; needs 'neural'.",
)
@click.option("--encoder", metavar="NAME", help="What they start from: minilm, a transformer's folder, or a hub name.")
@click.option("-o", "--output", metavar="MODEL", help="The model folder to write. [default: in place]")
@click.option("--work", metavar="FOLDER", help="Where checkpoints lie. [default: beside the model, until it is done]")
@click.option(
    "--resume/--afresh",
    default=None,
    help="Insist on going on with what a stopped run left, or throw that away. [default: go on if it is the same]",
)
@click.option("--config", "config_file", metavar="FILE", help="A TOML file of settings.")
@options_from(TrainingConfig, "typed", skip=SKIPPED)
@session_options("json", "threads", "seed")
def learn(
    session: Session,
    model: str,
    corrections: tuple[str, ...],
    mentions: tuple[str, ...],
    dev: tuple[str, ...],
    mentions_format: str | None,
    rerank: bool,
    bi_encoder: bool,
    reader: bool,
    encoder: str | None,
    output: str | None,
    work: str | None,
    resume: bool | None,
    config_file: str | None,
    typed: dict[str, Any],
) -> None:
    """Make MODEL better with annotated mentions, or with CORRECTIONS of links.

    CORRECTIONS are files of JSON lines, each about one span of a text: {"text": "So Paris fled.", "start": 3, "end": 8}
    and "gold": "Q167646", or "wrong": "Q90", or "not_an_entity": true. In these texts they hold from then on; elsewhere
    they are evidence. It takes a moment, and no weights change. The model keeps them with their texts: more can be
    given later, the same ones count once, and of two that contradict the later holds. What was not corrected counts
    neither for nor against.

    Mentions to learn from have an `entity`, null for NIL. Without further options, what each kind of evidence weighs
    and how far scores can be believed is learned anew, which takes seconds and needs no extra.

    With --rerank a cross-encoder is trained that reads a mention in its text beside the description of each of its best
    candidates; deixis link --rerank then uses it. That takes about an hour for 30,000 pairs on one processor, and there
    are as many pairs as mentions, candidates (--rerank-n-taught) and epochs together: --rerank-max-mentions bounds
    them. A run that is stopped goes on where it was when the same command is given again. MODEL is replaced at the very
    end.

    With --bi-encoder an encoder learns to put mentions near the descriptions of what they mean, and MODEL gets a list
    of candidates by its vectors, of descriptions and of the mentions themselves. A round of the default size trains for
    about an hour on one processor. Before each round, after the last and for MODEL itself all entities are encoded, of
    which MiniLM does about 85 a second: seconds for a thousand, but an hour and a half for 468,000, each time. For a
    knowledge base of that size deixis build --encoder static makes vectors in a minute or two, untrained. A re-ranker
    is taught by the candidates there are, so the encoder comes first; with both flags it does. All these times were
    measured with MiniLM; they are as long as its tokens are many, and a larger encoder takes longer.

    With --reader a transformer learns to say where in a passage each of its candidates is mentioned. deixis link then
    asks it about texts that bring no mentions, which takes longer: some 6,000 characters a second. All mentions in the
    documents must be annotated. By default it learns for about five minutes (--reader-n-steps).

    A model looks better on documents that it has learned from, so it is judged by others: those of --dev, or a part of
    --mentions that it has not seen. If it has seen all, a second one is built without that part.
    """
    if bool(corrections) == bool(mentions):
        raise click.UsageError("Give files of CORRECTIONS, or annotated documents with --mentions, one of both.")
    if corrections and (rerank or bi_encoder or reader or typed or config_file or mentions_format):
        raise click.UsageError("Settings, --mentions-format, --rerank, --bi-encoder and --reader go with --mentions.")
    if not (rerank or bi_encoder) and (work or resume is not None):
        raise click.UsageError("--work, --resume and --afresh go with --rerank or --bi-encoder.")
    if encoder and not (rerank or bi_encoder or reader):
        raise click.UsageError("--encoder goes with --rerank, --bi-encoder or --reader.")
    for name, is_asked in (("rerank", rerank), ("bi_encoder", bi_encoder), ("reader", reader)):
        if name in typed and not is_asked:
            flag = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"Settings {flag}-... go with {flag}.")
    config = with_settings(TrainingConfig(), {} if config_file is None else read_toml(Path(config_file)), typed)
    config = config if encoder is None else _starting_from(encoder, config)
    target = output or model
    if output is not None:
        check_place(Path(output))
    check_files((*corrections, *mentions, *dev))
    if corrections:
        apply_corrections(session, model, target, corrections, dev)
        return
    folder = Path(work or f"{target.rstrip('/')}.learning")
    asked = [name for name, is_asked in ((BI_ENCODER, bi_encoder), (RERANKER, rerank), (READER, reader)) if is_asked]
    _look_for_checkpoints(session, folder, asked, resume)
    try:
        with session.watching():
            linker = Linker.load(model, n_threads=session.threads)
            check_place(Path(target))
            documents = list(track(read_all(mentions, mentions_format), "reading mentions"))
            held_out = list(track(read_all(dev, mentions_format), "reading mentions to judge by")) if dev else None
            result = _train(session, linker.model, documents, held_out, config, folder, asked)
            Linker(result.model).save(target)
    except KeyboardInterrupt:
        if any((folder / name / MARK).exists() for name in asked):
            session.note(f"{target} is as it was. The same command goes on from the last checkpoint in {folder}.")
        raise
    if asked and work is None:
        shutil.rmtree(folder, ignore_errors=True)
    tell_training(session, target, result, asked or ["weights"], rerank)


def _starting_from(encoder: str, config: TrainingConfig) -> TrainingConfig:
    return replace(
        config,
        rerank=replace(config.rerank, encoder=encoder),
        bi_encoder=replace(config.bi_encoder, encoder=encoder),
        reader=replace(config.reader, encoder=encoder),
    )


def _train(
    session: Session,
    model: LinkerModel,
    documents: list[Document],
    dev: list[Document] | None,
    config: TrainingConfig,
    folder: Path,
    asked: list[str],
) -> TrainingResult:
    """What was asked for, one after the other: a re-ranker is trained on the candidates of the new encoder."""
    seed, n_threads = session.seed, session.threads
    if not asked:
        return fit(model, documents, dev=dev, config=config, seed=seed)
    accuracies: tuple[Metric, ...] = ()
    recalls: tuple[Metric, ...] = ()
    per_second: float | None = None
    for name in asked:
        result = fit(
            model, documents, TRAINERS[name], dev=dev, config=config, folder=folder / name, seed=seed,
            n_threads=n_threads,
        )  # fmt: skip
        model, accuracies, recalls = result.model, accuracies + result.accuracies, recalls + result.recalls
        per_second = result.mentions_per_second or per_second
    return replace(result, accuracies=accuracies, recalls=recalls, mentions_per_second=per_second)


def _look_for_checkpoints(session: Session, work: Path, asked: list[str], resume: bool | None) -> None:
    """Says that an earlier run goes on; makes room for a new one; refuses a folder of other things."""
    if not asked:
        return
    if work.is_dir() and not all(_is_ours(path) for path in work.iterdir()):
        raise ConfigError(f"The folder {work} holds other things than checkpoints. Choose another one with --work.")
    if resume is False:
        for name in asked:
            shutil.rmtree(work / name, ignore_errors=True)
        return
    # A round that is done has no checkpoint any more, but its encoder.
    kept = [f"{name}/{each}" for name in asked for each in ("**/checkpoint-*", "round-*/model")]
    has_checkpoint = any(next(work.glob(each), None) for each in kept)
    if resume and not has_checkpoint:
        raise ConfigError(
            f"There is no checkpoint in {work} to go on from. Leave --resume out, or name it with --work."
        )
    if has_checkpoint:
        session.note(f"Going on from the last checkpoint in {work}. (To begin again: --afresh)")


def _is_ours(path: Path) -> bool:
    """Whether a folder in that of the work was made by a training, or is empty."""
    is_named = path.name in (BI_ENCODER, RERANKER) and path.is_dir()
    return is_named and ((path / MARK).is_file() or not any(path.iterdir()))
