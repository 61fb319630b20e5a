"""`deixis xmr train`: labelled documents in, a model folder out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args, get_type_hints

import click
import numpy as np

from deixis.cli.commands.xmr.inputs import Reading, reading_options
from deixis.cli.examples import examples
from deixis.cli.files import read_kb
from deixis.cli.options import CommandWithSettings, options_from, with_settings
from deixis.cli.places import check_files, check_place, read_toml
from deixis.cli.session import Session, session_options
from deixis.cli.timing import folder_size, format_bytes, model_summary
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.labelling.config import LabellerConfig
from deixis.labelling.corpus.documents import LabelledRows, LabelledTexts
from deixis.labelling.corpus.rows import read_matrix
from deixis.labelling.engines import ENGINES
from deixis.labelling.engines.average import engine_class
from deixis.labelling.labeller import Labeller
from deixis.xmr.label_augmentation import AugmentationConfig

AUGMENTATIONS = get_args(get_type_hints(AugmentationConfig)["kind"])
OWN_OPTIONS = ("engine", "n_engines", "tree.n_trees", "augmentation.kind")
"""Settings that have a short option of their own."""
ENGINE_OF = {"tree": "tree", "elias": "elias", "one_vs_all": "one-vs-all"}
"""Which engine reads which settings; those with ++ read `combined`, too."""


@click.command(
    cls=CommandWithSettings,
    epilog=examples(
        "deixis xmr train train.jsonl.gz --labels subjects.tsv -o model",
        "deixis xmr train books.tsv --labels yso.ttl --label-language en -o m",
        "deixis xmr train titles.jsonl --labels tags.jsonl -o m --augment soft",
        "deixis xmr train a.jsonl --labels tags.csv -o m --engine tree++ --trees 3",
        "deixis xmr train train.jsonl -o model       # labels are those it has",
        "deixis xmr train train.txt -o model         # Extreme Classification rows",
        "deixis xmr train X.npz --label-matrix Y.npz -o model",
    ),
)
@click.argument("docs", nargs=-1, required=True, type=click.Path())
@click.option("--labels", "vocabulary", metavar="VOCAB", help="The vocabulary: labels with ids and names.")
@click.option("--label-language", metavar="LANG", help="Call labels by their names in this language, if they have one.")
@click.option("-o", "--output", required=True, metavar="MODEL", help="The model folder to write, whole or not at all.")
@click.option("--engine", metavar="NAME", help=f"What ranks labels: {', '.join(ENGINES)}. [default: tree]")
@click.option("--engines", type=click.IntRange(min=1), help="Engines of other seeds, averaged. [default: 1]")
@click.option("--trees", type=click.IntRange(min=1), help="Trees whose scores are averaged. [default: 1]")
@click.option(
    "--augment",
    type=click.Choice(AUGMENTATIONS),
    help="Learn from names of labels, too: as texts of their own label (self), or of related ones as well (soft). "
    "[default: auto, which is self if labels have names]",
)
@reading_options(has_labels=True)
@click.option(
    "--label-features", metavar="FILE", help="What labels are called, as rows of the same features; for --augment."
)
@click.option("--config", "config_file", metavar="FILE", help="A TOML file of settings; options go before it.")
@options_from(LabellerConfig, "typed", skip=OWN_OPTIONS)
@session_options("json", "threads", "seed")
def train(
    session: Session,
    docs: tuple[str, ...],
    vocabulary: str | None,
    label_language: str | None,
    output: str,
    engine: str | None,
    engines: int | None,
    trees: int | None,
    augment: str | None,
    reading: Reading,
    label_features: str | None,
    config_file: str | None,
    typed: dict[str, Any],
) -> None:
    """Learn from labelled documents DOCS which labels fit a text.

    DOCS are JSON lines ({"id", "text", "labels": ["p1", "p2"]}), Annif's tables (text, tab, URIs) or folders,
    compressed or not; or rows of features (Extreme Classification repository, SVMLight, or two .npz). VOCAB is any
    file that deixis build takes: JSON lines, CSV, TSV, Annif's or SKOS. A label that is not in it is an error that
    names the line. Names of labels are learned from, too, so that labels are found that no document has;
    --augment none turns that off.
    """
    short = {"engine": engine, "n_engines": engines, "tree": {"n_trees": trees}, "augmentation": {"kind": augment}}
    config = chosen_config(config_file, typed, short)
    engine_class(config)(config).check_extras()  # what is not there is told before anything is read
    _check_settings([*typed, *(["tree"] if trees is not None else [])], config.engine)
    check_place(Path(output))
    check_files(path for path in (*docs, vocabulary, reading.label_matrix, label_features) if path is not None)
    with session.watching():
        documents, labels = _read(session, docs, vocabulary, label_language, reading)
        names = None
        if label_features is not None:
            if isinstance(documents, LabelledTexts):
                raise click.UsageError("--label-features goes with rows of features; texts make their own.")
            names = read_matrix(label_features, n_columns=documents.docs_by_features.shape[1])
        n_seen = np.count_nonzero(np.bincount(documents.docs_by_labels.indices))
        session.note(f"{len(documents):,} documents with {n_seen:,} of {documents.docs_by_labels.shape[1]:,} labels.")
        labeller = Labeller.build(documents, labels, config, session.seed, session.threads, names)
        labeller.save(output)
        session.note(f"Model written to {output} ({format_bytes(folder_size(Path(output)))}).")
        if labeller.features is not None:
            session.note(f'Try it: echo "some text" | deixis xmr predict {output} --pretty')
    if session.is_json:
        counts = {
            "documents": len(documents),
            "labels": len(labeller.vocabulary),
            "labels_learned": labeller.engine.n_labels,
            "features": labeller.n_features,
        }
        click.echo(json.dumps(model_summary(output, session.started, **counts)))


def _check_settings(sections: Sequence[str], engine: str) -> None:
    """An error for an option that the engine would not hear of."""
    for section, name in ENGINE_OF.items():
        if section in sections and engine.removesuffix("++") != name:
            options = "--trees and --tree-..." if name == "tree" else f"--{name}-..."
            raise click.UsageError(f"Settings {options} go with --engine {name} or {name}++, not with {engine}.")
    if "combined" in sections and not engine.endswith("++"):
        raise click.UsageError(f"Settings --combined-... go with --engine {engine}++, not with {engine}.")


def chosen_config(config_file: str | None, typed: dict[str, Any], short: dict[str, Any]) -> LabellerConfig:
    """The settings of the file, with those of the options laid over them; in `short` None is what was not typed."""
    from_file = {} if config_file is None else read_toml(Path(config_file))
    return with_settings(LabellerConfig(), from_file, typed, _without_none(short))


def _without_none(values: dict[str, Any]) -> dict[str, Any]:
    inner = {key: _without_none(value) if isinstance(value, dict) else value for key, value in values.items()}
    return {key: value for key, value in inner.items() if value is not None and value != {}}


def _read(
    session: Session, docs: tuple[str, ...], vocabulary: str | None, language: str | None, reading: Reading
) -> tuple[LabelledTexts | LabelledRows, KnowledgeBase | None]:
    labels = None if vocabulary is None else read_kb(session, (vocabulary,), reading.skip_bad)
    if language is not None:
        if labels is None:
            raise click.UsageError("--label-language chooses names of a vocabulary: give one with --labels.")
        labels = labels.with_title_language(language)
    if reading.is_rows(docs):
        return reading.rows(docs, None, None if labels is None else len(labels)), labels
    corpus = reading.texts(session, docs, labels)
    return corpus.documents, corpus.vocabulary
