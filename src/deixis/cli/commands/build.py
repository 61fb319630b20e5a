"""`deixis build`: a knowledge base in, a model folder out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from deixis.cli.examples import examples
from deixis.cli.files import read_all, read_kb
from deixis.cli.models import tell_expectation
from deixis.cli.options import CommandWithSettings, options_from, with_settings
from deixis.cli.places import check_files, check_place, read_toml
from deixis.cli.session import Session, session_options
from deixis.cli.timing import folder_size, format_bytes, model_summary
from deixis.documents.formats import READERS
from deixis.errors import ConfigError
from deixis.kb.demo import read_demo
from deixis.kb.language_choice import ALL
from deixis.linker import Linker
from deixis.linking.build_settings import ThresholdConfig
from deixis.linking.config import LinkerConfig
from deixis.progress import track
from deixis.types import Document

HELD_OUT_HINT = (
    "Give them with --calibrate-on, give so many --mentions that enough of them can be held back (--held-out-share, "
    "--ranking-min-mentions), or make do with mentions made from the knowledge base: --rehearsal-use always."
)
N_EXAMPLES = 100  # titles tried for a sentence to show


@click.command(
    cls=CommandWithSettings,
    epilog=examples(
        "deixis build entities.jsonl -o model",
        "deixis build products.csv.gz -o model --mentions annotated.jsonl",
        "deixis build mesh.jsonl -o m --mentions cdr.tsv --mentions-format pubtator",
        "deixis build kb.jsonl -o m --calibrate-on dev.jsonl --target-precision .95",
        "deixis build kb.jsonl -o m --encoder static  # candidates by meaning, too",
        "deixis build --demo -o demo-model            # the shipped knowledge base",
        "deixis build entities.jsonl -o model --preset xmred --config mine.toml",
    ),
)
@click.argument("kb_files", metavar="[KB]...", nargs=-1, type=click.Path())
@click.option("-o", "--output", required=True, metavar="MODEL", help="The model folder to write, whole or not at all.")
@click.option("--demo", "is_demo", is_flag=True, help="Use the shipped demo knowledge base.")
@click.option("--mentions", multiple=True, metavar="FILE", help="Annotated documents to learn from; may be repeated.")
@click.option(
    "--mentions-format", metavar="FORMAT", help=f"Their format: {', '.join(READERS)}. [default: the file tells]"
)
@click.option(
    "--description-language",
    metavar="LANG",
    default=ALL,
    show_default=True,
    help="Keep one description of each entity: in this language (or another where it has none); 'mentions': in the one "
    "it is mentioned in most. 'all' keeps and joins them.",
)
@click.option(
    "--encoder",
    metavar="NAME",
    help="Find candidates by vectors of texts, too, made by this encoder: static, minilm, chars, a folder of a "
    "SentenceTransformer, or its name on the hub.",
)
@click.option(
    "--calibrate-on",
    multiple=True,
    metavar="FILE",
    help="Annotated documents, others than --mentions, that tell how far scores can be believed; may be repeated.",
)
@click.option(
    "--target-precision",
    type=click.FloatRange(0, 1, min_open=True),
    help="Share of links to be right; calibration chooses the threshold.",
)
@click.option("--preset", metavar="NAME", help="A named set of settings; 'xmred' is the paper's recipe to the letter.")
@click.option("--config", "config_file", metavar="FILE", help="A TOML file of settings, laid over the preset.")
@click.option("--skip-bad", is_flag=True, help="Skip and count lines of the knowledge base that cannot be read.")
@options_from(LinkerConfig, "typed")
@session_options("json", "threads", "seed")
def build(
    session: Session,
    kb_files: tuple[str, ...],
    output: str,
    is_demo: bool,
    mentions: tuple[str, ...],
    mentions_format: str | None,
    description_language: str,
    encoder: str | None,
    calibrate_on: tuple[str, ...],
    target_precision: float | None,
    preset: str | None,
    config_file: str | None,
    skip_bad: bool,
    typed: dict[str, Any],
) -> None:
    """Build a model from a knowledge base: titles, aliases and descriptions are enough.

    KB files are JSON lines, CSV or TSV, compressed or not; - reads stdin. Annotated documents (--mentions) make it
    better where you have them. Settings are taken from the preset, then the --config file, then the options.
    """
    if is_demo == bool(kb_files):
        raise click.UsageError("Give knowledge base files, or --demo, and not both.")
    config = chosen_config(preset, config_file, typed)
    if encoder is not None:
        config = replace(config, candidates=config.candidates.with_encoder(encoder))
    if target_precision is not None:
        config = replace(config, nil=ThresholdConfig(target_precision=target_precision))
    if calibrate_on:
        config = replace(config, rehearsal=replace(config.rehearsal, use="never"))
    is_calibrated = calibrate_on or (mentions and config.held_out_share) or config.rehearsal.use == "always"
    if config.nil.target_precision is not None and not is_calibrated:
        raise click.UsageError(
            f"--target-precision needs annotated documents to choose a threshold on. {HELD_OUT_HINT}"
        )
    check_place(Path(output))
    check_files((*mentions, *calibrate_on))
    annotated_documents: Iterable[Document] = read_all(mentions, mentions_format)
    with session.watching():
        kb = read_demo() if is_demo else read_kb(session, kb_files, skip_bad)
        if description_language != ALL:
            annotated_documents = list(annotated_documents)  # they are needed twice, and may come from stdin
            kb = kb.with_description_language(description_language, annotated_documents)
        session.note(f"Knowledge base: {len(kb):,} entities.")
        annotated = track(annotated_documents, "reading annotated mentions") if mentions else None
        linker = Linker.build(kb, annotated, config, seed=session.seed, n_threads=session.threads)
        if calibrate_on:
            nil, held_out = config.nil, read_all(calibrate_on, mentions_format)
            linker = linker.calibrate(held_out, threshold=nil.threshold, target_precision=nil.target_precision)
        if config.nil.target_precision is not None and linker.model.decisions.given.curve is None:
            raise ConfigError(
                f"A precision of {config.nil.target_precision} cannot be promised: --mentions has too few to hold "
                f"{config.ranking.min_mentions} back to choose a threshold on. {HELD_OUT_HINT}"
            )
        linker.save(output)
        tell_expectation(session, linker.model.decisions.given)
        size = folder_size(Path(output))
        session.note(f"Model written to {output} ({format_bytes(size)}). Try it:")
        session.note(f'  echo "{_example_text(linker)}" | deixis link {output} --pretty')
    if session.is_json:
        click.echo(json.dumps(model_summary(output, session.started, entities=len(kb))))


def chosen_config(preset: str | None, config_file: str | None, typed: dict[str, Any]) -> LinkerConfig:
    """The preset's settings with the file's and then the typed ones laid over them; a file may name its preset."""
    from_file = {} if config_file is None else read_toml(Path(config_file))
    named = from_file.pop("preset", None)
    name = preset or named
    config = LinkerConfig() if name is None else LinkerConfig.preset(str(name))
    return with_settings(config, from_file, typed)


def _example_text(linker: Linker) -> str:
    """A sentence in which the linker finds something; names like !!! or X are passed over."""
    titles = (linker.kb.title(row) for row in range(min(len(linker.kb), N_EXAMPLES)))
    texts = [f"Tell me about {_in_quotes(title)}." for title in titles]
    spans_of_texts = linker.model.detector.names.detect(texts)
    return next((text for text, spans in zip(texts, spans_of_texts, strict=True) if spans), texts[0])


def _in_quotes(title: str) -> str:
    return title.replace('"', "").replace("$", "").replace("`", "")
