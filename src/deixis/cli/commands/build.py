"""`deixis build`: a knowledge base in, a model folder out."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from deixis.batch.building import build_parts
from deixis.batch.run import Runner
from deixis.cli.expectations import report_expectation
from deixis.cli.files import check_files, check_target, read_all, read_kb
from deixis.cli.list_options import list_options
from deixis.cli.options import CommandWithSettings, GivenSettings, SettingOption, settings_from
from deixis.cli.session import Session, examples, session_options
from deixis.cli.timing import folder_size, format_bytes, model_summary
from deixis.config import config_to_dict
from deixis.errors import ConfigError, StoreError
from deixis.kb.demo import read_demo
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.kb.language_choice import ALL
from deixis.kb.read_options import ReadOptions
from deixis.linker import Linker
from deixis.linking.config import PRESETS, LinkerConfig
from deixis.processes.pool import Pool
from deixis.progress import track
from deixis.store.manifest import MANIFEST_NAME
from deixis.store.model_folder import open_model
from deixis.store.origin import check_replaceable
from deixis.training.kept_build import digest_of, keeping_parts
from deixis.types import Document

HELD_OUT_HINT = (
    "Give them with --calibrate-on, or give so many --mentions that enough of them can be held back (--held-out, "
    "--set ranking.min_mentions=N)."
)
TARGET_PRECISION = "nil.target_precision"
NO_OPTION = (
    "candidates.label_tree.augmentation",
    "candidates.vectors.encoder",
    "candidates.name_vectors",
    "calibration",
)
"""Settings that have an option elsewhere (`xmr train`, `calibrate`), or another one here."""
N_EXAMPLES = 100  # titles tried for a sentence to show


def build_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of every command that builds a model; it gives them on to `write_model`."""
    decorators: tuple[Callable[..., Any], ...] = (
        click.argument("kb_files", metavar="[KB]...", nargs=-1, type=click.Path()),
        click.option("-o", "--output", required=True, metavar="MODEL", help="The model folder to write."),
        click.option("--demo", "is_demo", is_flag=True, help="Build from the shipped demo knowledge base."),
        click.option(
            "--mentions", multiple=True, metavar="FILE", help="Annotated documents to learn from; may be repeated."
        ),
        click.option(
            "--calibrate-on",
            multiple=True,
            metavar="FILE",
            help="Other annotated documents, to calibrate on; may be repeated.",
        ),
        click.option("--mentions-format", metavar="FORMAT", help="Format of annotated documents. [default: detected]"),
        click.option(
            "--description-language",
            metavar="LANG",
            default=ALL,
            show_default=True,
            help="Keep descriptions in this language; 'mentions': as most mentions.",
        ),
        click.option("--skip-bad", is_flag=True, help="Skip and count lines of KB that cannot be read."),
        click.option("--discard-changes", is_flag=True, help="Replace a model that was changed or corrected since."),
        click.option("--resume", is_flag=True, help="Go on with an interrupted build of the same list."),
        click.option(
            "--encoder",
            cls=SettingOption,
            metavar="NAME",
            help="Add candidates by vectors: static, minilm, a folder, a hub name.",
        ),
        list_options(is_in_line=True),
        settings_from(LinkerConfig, PRESETS, skip=NO_OPTION),
        session_options("json", "threads", "seed"),
    )
    for decorate in reversed(decorators):
        command = decorate(command)
    return command


@click.command(
    cls=CommandWithSettings,
    heading="Input and output",
    epilog=examples(
        'deixis build products.csv -o model --columns "id=SKU,title=Product Name"',
        "deixis build kb.jsonl -o m --mentions train.jsonl --target-precision .95",
    ),
)
@build_options
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Build with N processes, to the same bytes.")
def build(session: Session, workers: int | None, **values: Any) -> None:  # noqa: ANN401 - those of `write_model`
    """Build a model from one or several lists; names are enough, descriptions help.

    KB is a table, JSON, a list of names, SKOS or WordNet, compressed or not; - reads stdin. Annotated documents
    (--mentions) make the model better. Options go before --set, --set before --config, and that before --preset.
    """
    write_model(session, nullcontext(None if workers is None else Pool(workers)), **values)


def write_model(
    session: Session,
    workers: AbstractContextManager[Runner | None],
    *,
    kb_files: tuple[str, ...],
    output: str,
    is_demo: bool,
    mentions: tuple[str, ...],
    calibrate_on: tuple[str, ...],
    mentions_format: str | None,
    description_language: str,
    skip_bad: bool,
    discard_changes: bool,
    resume: bool,
    encoder: str | None,
    reading: ReadOptions,
    settings: GivenSettings[LinkerConfig],
) -> None:
    """Builds a model from lists; its parts are made by this process alone, or by the workers, if there are any."""
    _check_lists(kb_files, mentions, is_demo, resume)
    config = settings.config
    if encoder is not None:
        config = replace(config, candidates=config.candidates.with_encoder(encoder))
    if TARGET_PRECISION in settings.typed:
        config = replace(config, nil=replace(config.nil, threshold=None))
    is_calibrated = calibrate_on or (mentions and config.held_out_share)
    if config.nil.target_precision is not None and not is_calibrated:
        raise click.UsageError(
            f"--target-precision needs annotated documents to choose a threshold on. {HELD_OUT_HINT}"
        )
    check_target(Path(output))
    _check_changes(output, discard_changes)
    check_files((*mentions, *calibrate_on))
    annotated_documents: Iterable[Document] = read_all(mentions, mentions_format)
    if description_language != ALL:
        annotated_documents = list(annotated_documents)  # they are needed twice, and may come from stdin

    def read() -> KnowledgeBase:
        kb = read_demo() if is_demo else read_kb(session, kb_files, skip_bad, reading)
        return (
            kb
            if description_language == ALL
            else kb.with_description_language(description_language, annotated_documents)
        )

    def digest() -> str:
        other = {"seed": session.seed, "lang": description_language, "skip_bad": skip_bad, "reading": reading}
        return digest_of((*kb_files, *mentions), {"config": config_to_dict(config), **other})

    with (
        session.watching(),
        workers as runner,
        keeping_parts(output, digest, read, resumes=resume, always=runner is not None) as kb,
    ):
        session.note(f"Knowledge base: {len(kb):,} entities.")
        annotated = list(track(annotated_documents, "reading annotated mentions")) if mentions else None
        if runner is not None:
            build_parts(kb, annotated, config, seed=session.seed, runner=runner)
        linker = Linker.build(kb, annotated, config, seed=session.seed, n_threads=session.threads)
        if calibrate_on:
            nil, held_out = config.nil, read_all(calibrate_on, mentions_format)
            linker = linker.calibrate(held_out, threshold=nil.threshold, target_precision=nil.target_precision)
        if config.nil.target_precision is not None and linker.model.decisions.given.curve is None:
            raise ConfigError(
                f"A precision of {config.nil.target_precision} cannot be promised: --mentions has too few to hold "
                f"{config.ranking.min_mentions} back to choose a threshold on. {HELD_OUT_HINT}"
            )
        linker.save(output, discard_changes=discard_changes)
        report_expectation(session, linker.model.decisions.given)
        size = folder_size(Path(output))
        session.note(f"Model written to {output} ({format_bytes(size)}). Try it:")
        session.note(f"  echo {shlex.quote(_example_text(linker))} | deixis link {shlex.quote(output)} --pretty")
    if session.is_json:
        click.echo(json.dumps(model_summary(output, session.started, entities=len(kb))))


def _check_lists(kb_files: tuple[str, ...], mentions: tuple[str, ...], is_demo: bool, resumes: bool) -> None:
    """That there is a list, and that an interrupted build of it can be gone on with if it shall be."""
    if resumes and "-" in (*kb_files, *mentions):
        raise click.UsageError("A build that reads stdin cannot be resumed; give files, or leave out --resume.")
    if is_demo == bool(kb_files):
        raise click.UsageError("Give knowledge base files, or --demo, and not both.")


def _check_changes(output: str, is_discarding: bool) -> None:
    """Says before the work that the model in its place has changes or corrections that a list does not give back."""
    check_replaceable(output, None, discard_changes=is_discarding)
    if is_discarding or not Path(output, MANIFEST_NAME).exists():
        return
    corrected = open_model(output).arrays.get("corrections.entities.offsets")
    if corrected is not None:
        raise StoreError(
            f"The model {output} has {len(corrected) - 1:,} corrections, which would be lost. To keep them: deixis "
            f"correct {output} --list > corrections.jsonl, build with --discard-changes, then deixis correct {output} "
            f"corrections.jsonl. To bring only the list up to date: deixis kb sync {output} LIST."
        )


def _example_text(linker: Linker) -> str:
    """A sentence about a popular entity that the linker finds in it; names like !!! or X are passed over."""
    popular = np.argsort(-linker.kb.counts, kind="stable")[:N_EXAMPLES].tolist()
    texts = [f"Tell me about {_on_one_line(linker.kb.title(row))}." for row in popular]
    with_names = set(linker.model.detector.detect(texts, min_probability=0.5).documents.tolist())
    return next((text for number, text in enumerate(texts) if number in with_names), texts[0])


def _on_one_line(title: str) -> str:
    return " ".join("".join(each if each.isprintable() else " " for each in title).split())
