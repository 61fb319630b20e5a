"""`deixis xmr train`: labelled documents in, a model folder out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click
import numpy as np

from deixis.cli.commands.xmr.inputs import Reading, reading_options
from deixis.cli.files import check_files, check_target, read_kb
from deixis.cli.options import CommandWithSettings, GivenSettings, settings_from
from deixis.cli.session import Session, examples, session_options
from deixis.cli.timing import folder_size, format_bytes, model_summary
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.kb.read_options import ReadOptions
from deixis.labelling.config import LabellerConfig
from deixis.labelling.corpus.documents import LabelledRows, LabelledTexts
from deixis.labelling.corpus.rows import read_matrix
from deixis.labelling.engines.average import engine_class
from deixis.labelling.held_out import HeldOutQuality, build_and_measure
from deixis.labelling.labeller import Labeller
from deixis.xmr.label_augmentation import MIN_NAMED_FRACTION

ENGINE_OF = {"tree": "tree", "elias": "elias", "one_vs_all": "one-vs-all"}
"""Which engine reads which settings; those with ++ read `combined`, too."""

SOFT_NOTE = (
    "names are learned from for related labels, too (--augment soft; self turns it off).\n"
    "Predict and measure with --filter-labels own: the best label of such a text is itself otherwise."
)


@click.command(
    cls=CommandWithSettings,
    heading="Input and output",
    epilog=examples(
        "deixis xmr train train.jsonl --labels subjects.tsv -o model",
        "deixis xmr train a.jsonl --labels tags.csv -o m --engine tree++ --trees 3",
        "deixis xmr train X.npz --label-matrix Y.npz -o model",
    ),
)
@click.argument("docs", nargs=-1, required=True, type=click.Path())
@click.option("--labels", "vocabulary", metavar="VOCAB", help="The vocabulary: labels with ids and names.")
@click.option("--label-language", metavar="LANG", help="Use the names of labels in this language.")
@click.option("-o", "--output", required=True, metavar="MODEL", help="The model folder to write.")
@reading_options(has_labels=True)
@click.option("--label-features", metavar="FILE", help="Names of labels as rows of the same features, for --augment.")
@settings_from(LabellerConfig)
@session_options("json", "threads", "seed")
def train(
    session: Session,
    docs: tuple[str, ...],
    vocabulary: str | None,
    label_language: str | None,
    output: str,
    reading: Reading,
    label_features: str | None,
    settings: GivenSettings[LabellerConfig],
) -> None:
    """Learn from labelled documents DOCS which labels fit a text.

    DOCS are JSON lines ({"id", "text", "labels": ["p1", "p2"]}), Annif's tables or folders, or rows of features
    (Extreme Classification repository, SVMLight, two .npz). VOCAB is any file that deixis build takes; a label that is
    not in it is an error. Names of labels are learned from, too: --augment none turns that off.
    """
    config = settings.config
    engine_class(config)(config).check_extras()  # a missing extra is reported before anything is read
    _check_settings(settings.typed, config.engine)
    check_target(Path(output))
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
        labeller, qualities = build_and_measure(documents, labels, config, session.seed, session.threads, names)
        if isinstance(documents, LabelledTexts) and (config.augmentation.kind, kind_of(labeller)) == ("auto", "soft"):
            fraction = f"{MIN_NAMED_FRACTION:.0%}"
            session.note(f"At least {fraction} of the texts are names of labels that they do not have, so {SOFT_NOTE}")
        labeller.save(output)
        session.note(f"Model written to {output} ({format_bytes(folder_size(Path(output)))}).")
        _note_quality(session, qualities)
        if labeller.features is not None:
            session.note(f'Try it: echo "some text" | deixis xmr predict {output} --pretty')
    if session.is_json:
        counts = {
            "documents": len(documents),
            "labels": len(labeller.vocabulary),
            "labels_learned": labeller.engine.n_labels,
            "features": labeller.n_features,
        }
        held_out = {"held_out": [asdict(quality) for quality in qualities]}
        click.echo(json.dumps(model_summary(output, session.started, **counts) | held_out))


def kind_of(labeller: Labeller) -> str:
    """What the model has learned from names of labels: none, self or soft."""
    return labeller.config.augmentation.kind


def _note_quality(session: Session, qualities: Sequence[HeldOutQuality]) -> None:
    """Notes how good the model is on held-out documents, and when the simplest engine is as good."""
    if not qualities:
        return
    own, *simpler = qualities
    filtered = ", measured with --filter-labels own" if own.leaves_out_own else ""
    session.note(f"On {own.n_documents:,} documents held out{filtered}, {own}.")
    for other in simpler:
        session.note(f"The simplest engine in its place, {other}; {other.seconds:.0f} s against {own.seconds:.0f} s.")
        if other.first >= own.first:
            session.note(f"It is at least as good here: --engine {other.engine}")


def _check_settings(typed: Sequence[str], engine: str) -> None:
    """An error for a setting that the engine would not read."""
    for key in typed:
        table = key.partition(".")[0]
        name = ENGINE_OF.get(table)
        if name is not None and engine.removesuffix("++") != name:
            raise click.UsageError(f"{key} is a setting of --engine {name} or {name}++, not of {engine}.")
        if table == "combined" and not engine.endswith("++"):
            raise click.UsageError(f"{key} is a setting of --engine {engine}++, not of {engine}.")


def _read(
    session: Session, docs: tuple[str, ...], vocabulary: str | None, language: str | None, reading: Reading
) -> tuple[LabelledTexts | LabelledRows, KnowledgeBase | None]:
    # In a vocabulary that is a plain list of names, the number of a line is the label's, as in a matrix.
    numbered = ReadOptions(names_format="label-lines")
    labels = None if vocabulary is None else read_kb(session, (vocabulary,), reading.skip_bad, numbered)
    if language is not None:
        if labels is None:
            raise click.UsageError("--label-language chooses names of a vocabulary: give one with --labels.")
        labels = labels.with_title_language(language)
    if reading.is_rows(docs):
        return reading.rows(docs, None, None if labels is None else len(labels)), labels
    corpus = reading.texts(session, docs, labels)
    return corpus.documents, corpus.vocabulary
