"""`deixis fit weights | reranker | encoder | reader`: a model and annotated documents in, a better model out.

The group also has `name-encoder`, whose input is a list.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from deixis.cli.expectations import report_expectation
from deixis.cli.files import check_files, check_target, read_all
from deixis.cli.lazy_group import CommandEntry, LazyGroup
from deixis.cli.options import CommandWithSettings, GivenSettings, settings_from
from deixis.cli.render_tables import print_shares, shares
from deixis.cli.session import Session, examples, session_options
from deixis.cli.timing import cpu_seconds, peak_memory
from deixis.errors import ConfigError
from deixis.linker import Linker
from deixis.progress import track
from deixis.training.config import TrainingConfig
from deixis.training.fit import fit as train
from deixis.training.result import TrainingResult

MARK = "training.json"  # stands in every folder of checkpoints
KEPT = ("checkpoint-*", "round-*/checkpoint-*", "round-*/model")  # a round that is done has no checkpoint any more

COMMANDS = {
    "weights": CommandEntry("deixis.cli.commands.fit:weights", "Fit feature weights and probabilities; seconds."),
    "reranker": CommandEntry("deixis.cli.commands.fit:reranker", "Train a cross-encoder for --rerank; hours."),
    "encoder": CommandEntry("deixis.cli.commands.fit:encoder", "Train an encoder for candidates by vectors; hours."),
    "reader": CommandEntry("deixis.cli.commands.fit:reader", "Train a reader for raw text; minutes."),
    "name-encoder": CommandEntry(
        "deixis.cli.commands.fit_name_encoder:name_encoder", "Fit an encoder to a list in several languages; a minute."
    ),
}

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


@click.group(
    cls=LazyGroup,
    entries=COMMANDS,
    epilog=examples(
        "deixis fit weights model --mentions train.jsonl",
        "deixis fit reranker model --mentions train.jsonl -o better",
    ),
)
def fit() -> None:
    """Train a part of a model on annotated documents, or an encoder on a list.

    Train an encoder before a re-ranker, and a reader last: each learns from the candidates that the model has.
    Mistakes that people found in links are for: deixis correct
    """


def _trainer(name: str, has_checkpoints: bool = False) -> Decorator:
    """Adds what every trainer has (the model, documents, where the result goes) and its own settings."""
    own: list[Decorator] = [
        click.argument("model", type=click.Path()),
        click.option("--mentions", multiple=True, required=True, metavar="FILE", help="Annotated documents."),
        click.option(
            "--dev", multiple=True, metavar="FILE", help="Documents to measure on. [default: some are held out]"
        ),
        click.option("--format", "format_", metavar="NAME", help="Format of both. [default: guessed]"),
        click.option("-o", "--output", metavar="MODEL", help="Model folder to write. [default: in place]"),
    ]
    if has_checkpoints:
        words = "Insist on a checkpoint, or discard it. [default: use one]"
        own += [
            click.option("--work", metavar="FOLDER", help="Where checkpoints are kept. [default: beside the model]"),
            click.option("--resume/--afresh", default=None, help=words),
        ]
    own.append(settings_from(TrainingConfig, skip=[other for other in COMMANDS if other != name]))

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        decorated = session_options("json", "threads", "seed", "verify")(command)
        for each in reversed(own):
            decorated = each(decorated)
        return decorated

    return decorate


@click.command(
    cls=CommandWithSettings,
    epilog=examples(
        "deixis fit weights model --mentions train.jsonl",
        "deixis fit weights model --mentions train.jsonl --dev dev.jsonl -o better",
    ),
)
@_trainer("weights")
def weights(session: Session, **words: Any) -> None:  # noqa: ANN401 - the fields of _Training
    """Fit what each ranking feature weighs, and what probability a score stands for.

    Takes seconds. Weights stay as they are with fewer than 300 mentions, or if new ones do worse on --dev.
    """
    _Training(trainer="weights", **words).run(session)


@click.command(
    cls=CommandWithSettings,
    epilog=examples(
        "deixis fit reranker model --mentions train.jsonl",
        "deixis fit reranker model --mentions train.jsonl --max-mentions 2000",
        "deixis link model news.jsonl --rerank",
    ),
)
@_trainer("reranker", has_checkpoints=True)
def reranker(session: Session, **words: Any) -> None:  # noqa: ANN401 - the fields of _Training
    """Train a cross-encoder that reads each mention beside its best candidates.

    Takes about an hour for 30,000 pairs of mention and candidate on one processor. Stopped, the same command resumes.
    Needs the extra 'neural'; using the re-ranker (deixis link --rerank) needs 'onnx'.
    """
    _Training(trainer="reranker", **words).run(session)


@click.command(
    cls=CommandWithSettings,
    epilog=examples(
        "deixis fit encoder model --mentions train.jsonl",
        "deixis fit encoder model --mentions train.jsonl --rounds 1 -o better",
    ),
)
@_trainer("encoder", has_checkpoints=True)
def encoder(session: Session, **words: Any) -> None:  # noqa: ANN401 - the fields of _Training
    """Train a bi-encoder, and add candidates by its vectors.

    Takes about an hour a round on one processor, and all entities are encoded before each (85 a second with MiniLM).
    Stopped, the same command resumes. Needs the extra 'neural'.
    """
    _Training(trainer="encoder", **words).run(session)


@click.command(
    cls=CommandWithSettings,
    epilog=examples(
        "deixis fit reader model --mentions train.jsonl",
        "deixis fit reader model --mentions train.jsonl --steps 300 -o better",
    ),
)
@_trainer("reader", has_checkpoints=True)
def reader(session: Session, **words: Any) -> None:  # noqa: ANN401 - the fields of _Training
    """Train a reader that helps to decide which spans of raw text are mentions.

    Takes about five minutes. All mentions of the documents must be annotated: what is not counts as wrong. Stopped,
    the same command resumes. Needs the extra 'neural'.
    """
    _Training(trainer="reader", **words).run(session)


@dataclass(frozen=True)
class _Training:
    """One training: the words of the command line."""

    trainer: str
    model: str
    mentions: tuple[str, ...]
    dev: tuple[str, ...]
    format_: str | None
    output: str | None
    settings: GivenSettings[TrainingConfig]
    work: str | None = None
    resume: bool | None = None

    @property
    def target(self) -> str:
        """The model folder to write."""
        return self.output or self.model

    @property
    def folder(self) -> Path:
        """Where checkpoints are kept."""
        return Path(self.work or f"{self.target.rstrip('/')}.{self.trainer}-checkpoints")

    def run(self, session: Session) -> None:
        """Trains, writes the model, and reports how it did on documents it had not seen."""
        if self.output is not None:
            check_target(Path(self.output))
        check_files((*self.mentions, *self.dev))
        self._look_for_checkpoints(session)
        try:
            with session.watching():
                linker = Linker.load(self.model, n_threads=session.threads, verify=session.verify)
                check_target(Path(self.target))
                documents = list(track(read_all(self.mentions, self.format_), "reading mentions"))
                dev = list(track(read_all(self.dev, self.format_), "reading dev")) if self.dev else None
                result = train(
                    linker.model, documents, self.trainer, dev=dev, config=self.settings.config, folder=self.folder,
                    seed=session.seed, n_threads=session.threads,
                )  # fmt: skip
                Linker(result.model).save(self.target)
        except KeyboardInterrupt:
            if (self.folder / MARK).exists():
                session.note(f"{self.target} is as it was. The same command resumes from {self.folder}.")
            raise
        if self.work is None:
            shutil.rmtree(self.folder, ignore_errors=True)
        self._report(session, result)

    def _look_for_checkpoints(self, session: Session) -> None:
        """Says that an earlier run goes on; makes room for a new one; refuses a folder of other things."""
        folder = self.folder
        if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).is_file():
            raise ConfigError(f"The folder {folder} holds other things than checkpoints. Choose another with --work.")
        if self.resume is False:
            shutil.rmtree(folder, ignore_errors=True)
        has_checkpoint = any(next(folder.glob(each), None) for each in KEPT)
        if self.resume and not has_checkpoint:
            raise ConfigError(f"There is no checkpoint in {folder} to resume from. Leave out --resume, or give --work.")
        if has_checkpoint:
            session.note(f"Resuming from the last checkpoint in {folder}. (To begin again: --afresh)")

    def _report(self, session: Session, result: TrainingResult) -> None:
        is_reranker = self.trainer == "reranker"
        decision = (result.model.decisions.reranked if is_reranker else None) or result.model.decisions.given
        if session.is_json:
            summary = {
                "model": self.target,
                "trainer": self.trainer,
                "mentions": result.n_train,
                "accuracies": shares(result.accuracies),
                "encoder_recall@10": shares(result.recalls),
                "f1_from_text": shares(result.f1s),
                "mentions_per_second": result.mentions_per_second,
                "characters_per_second": result.characters_per_second,
                "threshold": decision.threshold,
                "seconds": round(time.perf_counter() - session.started, 3),
                "cpu_seconds": round(cpu_seconds(), 3),
                "peak_memory_bytes": peak_memory(),
            }
            click.echo(json.dumps(summary))
        else:
            title = f"trained on {result.n_train:,} mentions"
            print_shares(title, "accuracy on held-out mentions", result.accuracies)
            print_shares(title, "F1 from text to links, held-out documents", result.f1s)
            print_shares("", "encoder alone, recall@10", result.recalls)
        if result.mentions_per_second is not None:
            session.note(f"With --rerank it links {result.mentions_per_second:,.1f} mentions a second here.")
        if result.characters_per_second is not None:
            session.note(f"With its reader it links {result.characters_per_second:,.0f} characters a second here.")
        report_expectation(session, decision, is_reranker)
        use = f" Use it: deixis link {self.target} --rerank" if is_reranker else ""
        session.note(f"Model written to {self.target}.{use}")
