"""`deixis xmr eval`: how often the labels that a model gives are right."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.cli.commands.xmr.filtering import LabelFilter, filter_option
from deixis.cli.commands.xmr.inputs import Reading, reading_options
from deixis.cli.commands.xmr.searching import search_options
from deixis.cli.commands.xmr.tables import print_deciles, print_mistakes
from deixis.cli.options import CommandWithSettings, comma_separated
from deixis.cli.output import output_stream
from deixis.cli.render import console_on
from deixis.cli.render_tables import print_dataset
from deixis.cli.session import Session, examples, session_options
from deixis.config import config_to_dict
from deixis.errors import DataError
from deixis.evaluation.labels.extreme import AT, ExtremeConfig, ExtremeResult, extreme_metrics
from deixis.evaluation.labels.frequencies import PROPENSITY_A, PROPENSITY_B
from deixis.evaluation.labels.mistakes import label_mistakes
from deixis.evaluation.labels.rankings import ranked_labels
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.evaluation.suites import name_of, suite_names, write_rows
from deixis.labelling.corpus.documents import LabelledRows, LabelledTexts
from deixis.labelling.label_filter import without_filtered
from deixis.labelling.labeller import Labeller
from deixis.progress import stage, track
from deixis.reports.label_figures import decile_chart
from deixis.store.strings import StringTable

BATCH_SIZE = 1024


@click.command(
    cls=CommandWithSettings,
    name="eval",
    epilog=examples(
        "deixis xmr eval model dev.jsonl.gz",
        "deixis xmr eval model dev.jsonl --at 1,5,10 --figure deciles.svg",
        "deixis xmr eval model test.txt              # rows of features",
        "deixis xmr eval model X.npz --label-matrix Y.npz",
        "deixis xmr eval model dev.jsonl --json > rows.jsonl",
        "deixis xmr eval model titles.jsonl --filter-labels own",
        "deixis xmr eval model amazon.jsonl --propensity-a 0.6 --propensity-b 2.6",
    ),
)
@click.argument("model", type=click.Path())
@click.argument("docs", nargs=-1, required=True, type=click.Path())
@click.option("--at", type=comma_separated(int), help=f"The k of each metric. [default: {','.join(map(str, AT))}]")
@reading_options(has_labels=True)
@filter_option
@search_options
@click.option("--propensity-a", type=float, default=PROPENSITY_A, show_default=True, help="A of the propensity scores.")
@click.option("--propensity-b", type=float, default=PROPENSITY_B, show_default=True, help="B of the same.")
@click.option(
    "--examples",
    "n_examples",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="Documents shown of which a label was missed.",
)
@click.option("--figure", metavar="FILE", help="Draw recall by label frequency as an SVG file.")
@click.option("-o", "--output", help="Write the rows to this file, as JSON lines.")
@click.option("--suite", help="Name of the suite in the rows. [default: MODEL/DOCS, after their files]")
@click.option("--system", default="deixis", show_default=True, help="Name of the system in the rows.")
@session_options("json", "threads", "seed", "verify")
def evaluate(
    session: Session,
    model: str,
    docs: tuple[str, ...],
    at: tuple[int, ...] | None,
    reading: Reading,
    filter_labels: str | None,
    beam: int | None,
    shortlist: int | None,
    propensity_a: float,
    propensity_b: float,
    n_examples: int,
    figure: str | None,
    output: str | None,
    suite: str | None,
    system: str,
) -> None:
    """Measure MODEL on labelled documents DOCS: precision, nDCG, recall and propensity-scored precision (psp) at k.

    Intervals are 95 %, by drawing documents anew. Documents without labels are left out and counted. The table by
    label frequency tells what is found of rare labels and of frequent ones: each decile holds a tenth of all
    occurrences in the documents that MODEL learned from. Labels that are filtered are neither ranked nor counted as
    true. What the figures mean is in docs/reference/metrics.md.
    """
    config = ExtremeConfig(tuple(sorted(set(at or AT))), propensity_a, propensity_b, session.seed)
    if figure is not None and output is not None and figure == output:
        raise click.UsageError(f"--figure and --output are both {figure!r}: give each a file of its own.")
    with session.watching(), ExitStack() as files:
        streams = [files.enter_context(output_stream(path)) if path else None for path in (output, figure)]
        labeller = Labeller.load(model, session.threads, verify=session.verify).with_search(beam, shortlist)
        label_filter = LabelFilter.of(filter_labels, labeller, reading)
        documents = _read(session, labeller, docs, reading)
        filtered = _filtered(session, label_filter, documents)
        if filtered is not None:
            documents = replace(documents, docs_by_labels=without_filtered(documents.docs_by_labels, filtered))
        if documents.docs_by_labels.nnz == 0:
            raise DataError("none of the documents has a label, so there is nothing to measure by", path=docs[0])
        answered = _Answered.by(labeller, documents, max(config.at), filtered)
        with stage("drawing documents anew"):
            result = extreme_metrics(documents.docs_by_labels, answered.ranked, labeller.frequencies, config)
        if result.n_without_labels:
            session.note(f"Note: {result.n_without_labels:,} documents have no label and are left out.")
        name = suite or suite_names(model, docs[:1])[0]
        settings = config_to_dict(labeller.config) | ({"filter_labels": filter_labels} if filter_labels else {})
        rows = _rows(result, answered.per_second, name, system, settings)
        recalls = [f"recall@{k}" for k in config.at]
        if streams[0] is not None:
            write_rows(rows, streams[0])
        if streams[1] is not None:
            title = f"What {name_of(model)} finds of rare and of frequent labels"
            streams[1].write(decile_chart(title, result.by_decile, recalls))
    if session.is_json and output is None:
        write_rows(rows, sys.stdout)
    elif not session.is_json and "-" not in (output, figure):
        console = console_on(sys.stdout)
        print_dataset(console, name, [row for row in rows if "_decile_" not in row.metric])
        print_deciles(console, labeller.frequencies, result.by_decile, recalls)
        mistakes = label_mistakes(documents.docs_by_labels, answered.ranked, n_examples, session.seed)
        print_mistakes(console, mistakes, _shown(documents), labeller.vocabulary, labeller.frequencies)
    if figure is not None:
        session.note(f"Figure: {figure}")


@dataclass(frozen=True)
class _Answered:
    """The labels that were given to each document, best first, -1 where there are no more; and how fast."""

    ranked: NDArray[np.int64]
    per_second: float

    @classmethod
    def by(
        cls,
        labeller: Labeller,
        documents: LabelledTexts | LabelledRows,
        k: int,
        filtered: sparse.csr_matrix | None,
    ) -> _Answered:
        parts, seconds = [], 0.0
        for begin in track(range(0, len(documents), BATCH_SIZE), "labelling"):
            rows = np.arange(begin, min(begin + BATCH_SIZE, len(documents)))
            unlabelled = _without_labels(documents, rows)
            started = time.perf_counter()
            left_out = None if filtered is None else filtered[rows]
            parts.append(ranked_labels(labeller.rank(unlabelled, k, filtered=left_out), k))
            seconds += time.perf_counter() - started
        return cls(np.concatenate(parts), len(documents) / max(seconds, 1e-9))


def _without_labels(
    documents: LabelledTexts | LabelledRows, rows: NDArray[np.int64]
) -> StringTable | sparse.csr_matrix:
    if isinstance(documents, LabelledTexts):
        return documents.texts.take(rows)
    return documents.docs_by_features[rows]


def _filtered(
    session: Session, label_filter: LabelFilter, documents: LabelledTexts | LabelledRows
) -> sparse.csr_matrix | None:
    """docs_by_labels that are neither to be ranked nor counted; how many they are is reported."""
    label_filter.check_rows(len(documents))
    texts = documents.texts if isinstance(documents, LabelledTexts) else None
    filtered = label_filter.labels_of(0, len(documents), texts)
    if filtered is not None:
        n_documents = np.count_nonzero(np.diff(filtered.indptr))
        session.note(f"Filtered: {filtered.nnz:,} labels of {n_documents:,} documents are neither ranked nor true.")
    return filtered


def _read(
    session: Session, labeller: Labeller, docs: tuple[str, ...], reading: Reading
) -> LabelledTexts | LabelledRows:
    if labeller.features is None:
        return reading.rows(docs, labeller.n_features, len(labeller.vocabulary))
    if reading.is_rows(docs):
        raise click.UsageError("MODEL reads texts, and DOCS hold rows of features. Give documents with texts.")
    return reading.texts(session, docs, labeller.vocabulary).documents


def _rows(
    result: ExtremeResult, per_second: float, suite: str, system: str, settings: dict[str, Any]
) -> list[ResultRow]:
    rows = metric_rows(result.metrics, suite, system, settings)
    for decile, metrics in result.by_decile.items():
        rows += [
            replace(row, metric=f"{row.metric}_decile_{decile}")
            for row in metric_rows(metrics, suite, system, settings)
        ]
    rows.append(ResultRow(suite, "documents_per_second", system, round(per_second, 1), "1/s", settings=settings))
    return rows


def _shown(documents: LabelledTexts | LabelledRows) -> Callable[[int], str]:
    """A function from a document's number to what to show of it."""

    def shown(row: int) -> str:
        return documents.texts[row] if isinstance(documents, LabelledTexts) else f"row {row} (counted from 0)"

    return shown
