"""`deixis xmr predict`: documents in, their labels out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TextIO

import click
from scipy import sparse

from deixis.cli.commands.xmr.filtering import LabelFilter, filter_option
from deixis.cli.commands.xmr.inputs import Reading, is_matrix, reading_options
from deixis.cli.commands.xmr.searching import search_options
from deixis.cli.options import CommandWithSettings
from deixis.cli.output import output_path, output_stream, printable
from deixis.cli.render import bar, console_on
from deixis.cli.session import Session, examples, session_options
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.labelling.corpus.npz import write_npz
from deixis.labelling.corpus.rows import read_matrix
from deixis.labelling.corpus.rows_out import write_matrix_lines
from deixis.labelling.corpus.writing import PREDICTION_WRITERS, predictions, write_predictions
from deixis.labelling.labeller import Labeller
from deixis.progress import track

BATCH_SIZE = 1024
MATRICES = ("xc", "npz")
N_SHOWN = 200  # letters of a text


@click.command(
    cls=CommandWithSettings,
    heading="Input and output",
    epilog=examples(
        'echo "Baking bread at home" | deixis xmr predict model -k 5 --pretty',
        "deixis xmr predict model new.jsonl.gz -k 10 -o labels.jsonl",
        "deixis xmr predict model titles.txt --threshold 0.3   # a title a line",
        "deixis xmr predict model texts/ --to annif    # a folder, as Annif has it",
        "deixis xmr predict model test.jsonl -k 100 --to npz -o scores.npz",
        "deixis xmr predict model products.txt --filter-labels own",
    ),
)
@click.argument("model", type=click.Path())
@click.argument("docs", nargs=-1, type=click.Path())
@click.option("-k", "k", type=click.IntRange(min=1), default=10, show_default=True, help="Labels for each document.")
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Leave out labels whose score is lower.",
)
@filter_option
@search_options
@click.option("-o", "--output", help="Write to this file instead of stdout; .gz, .bz2, .xz and .zst compress.")
@click.option(
    "--to",
    type=click.Choice([*PREDICTION_WRITERS, *MATRICES]),
    default="jsonl",
    show_default=True,
    help="JSON lines; Annif's suggestions; or a matrix of scores, as the Extreme Classification repository's or .npz.",
)
@click.option("--pretty", is_flag=True, help="For people: each text and its labels with bars.")
@reading_options(has_labels=False)
@session_options("threads", "verify")
def predict(
    session: Session,
    model: str,
    docs: tuple[str, ...],
    k: int,
    threshold: float,
    filter_labels: str | None,
    beam: int | None,
    shortlist: int | None,
    output: str | None,
    to: str,
    pretty: bool,
    reading: Reading,
) -> None:
    """Give each of the documents DOCS the labels of MODEL that fit it best, with scores from 0 to 1.

    DOCS hold JSON lines with a "text", Annif's tables or folders, or plain text with a document a line; without a
    file, or with -, stdin is read. Labels that documents have already are passed over. A document without a word that
    MODEL knows gets none. In a matrix, row by row, documents that --skip-bad leaves out have a row without labels.
    """
    if pretty and to != "jsonl":
        raise click.UsageError(f"--pretty and --to {to} contradict each other.")
    if to == "npz" and not str(output).lower().endswith(".npz"):
        raise click.UsageError(f"--to npz writes a file: name it with -o, ending in .npz; got {output!r}.")
    with session.watching():
        labeller = Labeller.load(model, session.threads, verify=session.verify).with_search(beam, shortlist)
        is_dialogue = not docs and sys.stdin.isatty()
        size = 1 if is_dialogue else BATCH_SIZE
        label_filter = LabelFilter.of(filter_labels, labeller, reading)
        batches = _batches(session, labeller, docs or ("-",), reading, size, has_gaps=to in MATRICES)
        labelled = _labelled(labeller, batches, k, threshold, label_filter)
        if to in MATRICES:
            _write_whole(output, to, labelled, labeller.vocabulary)
            return
        with output_stream(output) as stream:
            for each in labelled:
                if pretty:
                    _print_pretty(each, labeller.vocabulary, stream)
                else:
                    write_predictions(each.docs_by_labels, labeller.vocabulary, stream, to, ids=each.ids)
                stream.flush()


@dataclass(frozen=True)
class _Labelled:
    """Some documents and their labels."""

    ids: list[str]
    texts: list[str]
    docs_by_labels: sparse.csr_matrix


@dataclass(frozen=True)
class _Batch:
    """Some documents to be labelled together; rows have no texts."""

    ids: list[str]
    texts: list[str]
    rows: sparse.csr_matrix | None = None


def _labelled(
    labeller: Labeller, batches: Iterator[_Batch], k: int, threshold: float, label_filter: LabelFilter
) -> Iterator[_Labelled]:
    n_before = 0
    for batch in batches:
        filtered = label_filter.labels_of(n_before, len(batch.ids), batch.texts)
        documents = batch.texts if batch.rows is None else batch.rows
        yield _Labelled(batch.ids, batch.texts, labeller.rank(documents, k, threshold, filtered))
        n_before += len(batch.ids)
    label_filter.check_rows(n_before)


def _batches(
    session: Session, labeller: Labeller, docs: tuple[str, ...], reading: Reading, size: int, has_gaps: bool
) -> Iterator[_Batch]:
    if labeller.features is None:
        rows = _feature_rows(docs, reading, labeller.n_features)
        for begin in track(range(0, rows.shape[0], size), "labelling"):
            part = rows[begin : begin + size]
            ids = [str(begin + number) for number in range(part.shape[0])]
            yield _Batch(ids, [""] * len(ids), part)
        return
    if reading.is_rows(docs):
        raise click.UsageError("MODEL reads texts, and DOCS hold rows of features. Give documents with texts.")
    texts = track(reading.bare_texts(session, docs, has_gaps), "labelling")
    while batch := list(islice(texts, size)):
        yield _Batch([id_ for id_, _ in batch], [text for _, text in batch])


def _feature_rows(docs: tuple[str, ...], reading: Reading, n_features: int) -> sparse.csr_matrix:
    """Rows of features alone, or with labels beside them, which are passed over."""
    if len(docs) == 1 and reading.format is None and is_matrix(docs[0]):
        return read_matrix(docs[0], n_columns=n_features)
    return reading.rows(docs, n_features, None).docs_by_features


def _write_whole(path: str | None, to: str, labelled: Iterator[_Labelled], vocabulary: KnowledgeBase) -> None:
    """One matrix of all documents; its size stands at its beginning, so that all are labelled first."""
    nothing = sparse.csr_matrix(([], [], [0]), shape=(0, len(vocabulary)), dtype="float32")
    with output_path(path) if to == "npz" and path is not None else output_stream(path) as target:
        parts = [each.docs_by_labels for each in labelled]
        matrix = sparse.csr_matrix(sparse.vstack([nothing, *parts], format="csr"))
        if isinstance(target, Path):
            write_npz(matrix, target)
        else:
            write_matrix_lines(matrix, target)


def _print_pretty(labelled: _Labelled, vocabulary: KnowledgeBase, stream: TextIO) -> None:
    console = console_on(stream)
    for id_, text, labels in predictions(labelled.docs_by_labels, vocabulary, labelled.ids, labelled.texts):
        words = " ".join((text or f"row {id_}").split())
        console.print(printable(words if len(words) <= N_SHOWN else words[:N_SHOWN] + "..."), style="bold")
        for label in labels:
            console.print(f"  {bar(label.score)} {label.score:.2f}  {printable(label.title)}  {printable(label.id)}")
        if not labels:
            console.print("  no label: none of its words is known, or none of the labels is sure enough")
        console.print()
