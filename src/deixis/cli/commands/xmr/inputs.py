"""What the commands of `deixis xmr` read: labelled texts in any format, or rows of features and their labels."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from deixis.cli.session import Session
from deixis.errors import DataError, UnknownNameError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.kb.list_report import SkippedLine
from deixis.labelling.corpus.documents import LabelledRows
from deixis.labelling.corpus.formats import READERS
from deixis.labelling.corpus.reading import LabelledCorpus, LabelledReport, read_labelled_texts, read_records
from deixis.labelling.corpus.rows import ROW_FORMATS, SvmlightConfig, read_labelled_rows
from deixis.store.files import STDIN, content_suffix, open_byte_lines

FORMATS = (*READERS, *ROW_FORMATS)
SVMLIGHT_SUFFIXES = (".svm", ".svmlight", ".libsvm")
N_SHOWN = 3  # lines that were left out


@dataclass(frozen=True)
class Reading:
    """How DOCS are to be read."""

    format: str | None = None
    label_matrix: str | None = None
    first_feature: int | None = None
    first_label: int | None = None
    skip_unknown: bool = False
    skip_bad: bool = False

    def is_rows(self, files: Sequence[str]) -> bool:
        """Whether the files hold rows of features: by the options, by their names, or by their first line."""
        return (
            self.label_matrix is not None
            or self.format in ROW_FORMATS
            or (self.format is None and any(map(_looks_like_rows, files)))
        )

    def rows(self, files: Sequence[str], n_features: int | None, n_labels: int | None) -> LabelledRows:
        """The rows of one file, or of two that hold a matrix each; sizes are those of a model or vocabulary."""
        if len(files) != 1:
            raise click.UsageError(f"Rows of features are read from one file; got {len(files)}.")
        if self.label_matrix is None and content_suffix(files[0]) == ".npz":
            raise click.UsageError(f"{files[0]} holds features only. Give the labels' matrix with --label-matrix.")
        return read_labelled_rows(
            files[0],
            self.label_matrix,
            format=self.format,
            svmlight=self._svmlight(),
            n_features=n_features,
            n_labels=n_labels,
        )

    def _svmlight(self) -> SvmlightConfig | None:
        """The options of svmlight rows, or None if none was given."""
        options = {"first_feature": self.first_feature, "first_label": self.first_label}
        chosen = {name: value for name, value in options.items() if value is not None}
        return SvmlightConfig(**chosen) if chosen else None

    def _check_texts(self) -> None:
        if self._svmlight() is not None:
            raise click.UsageError("--first-feature and --first-label go with svmlight rows, and DOCS hold texts.")

    def texts(self, session: Session, files: Sequence[str], vocabulary: KnowledgeBase | None) -> LabelledCorpus:
        """The labelled texts of all files; how they were understood and what was left out is reported."""
        self._check_texts()
        try:
            corpus = read_labelled_texts(
                files,
                vocabulary,
                format=self.format,
                unknown="skip" if self.skip_unknown else "error",
                skip_bad=self.skip_bad,
            )
        except DataError as error:
            if error.line is None or self.skip_bad:
                raise
            hint = "(--skip-unknown leaves unknown labels out, --skip-bad bad documents)"
            raise DataError(f"{error.reason} {hint}", path=error.path, line=error.line) from None
        _report(session, corpus.report)
        return corpus

    def bare_texts(self, session: Session, files: Sequence[str], has_gaps: bool = False) -> Iterator[tuple[str, str]]:
        """Id and text of each document as they come; labels are passed over, ids that lack are numbers.

        What was left out is reported at the end; if it `has_gaps`, an empty text stands in its place.
        """
        self._check_texts()
        number, report = 0, LabelledReport()
        for path in files:
            for record in read_records(path, self.format, otherwise="lines"):
                if not isinstance(record, DataError):
                    number += 1
                    yield record.id or str(number), record.text
                    continue
                if not self.skip_bad:
                    hint = "(--skip-bad leaves bad documents out)"
                    raise DataError(f"{record.reason} {hint}", path=record.path, line=record.line)
                report.skip(record)
                if has_gaps:
                    number += 1
                    yield str(number), ""
        _report(session, report)


def reading_options(*, has_labels: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds the options of `Reading`, which the command gets as `reading`; those on labels only if they are read."""
    options = [
        click.option("--format", metavar="FORMAT", help=f"{', '.join(FORMATS)}. [default: detected]"),
        click.option(
            "--first-feature", metavar="0|1", type=click.IntRange(0, 1), help="First feature in svmlight rows."
        ),
        click.option("--skip-bad", is_flag=True, help="Leave out documents that cannot be read."),
    ]
    if has_labels:
        options += [
            click.option("--label-matrix", metavar="FILE", help="Labels of the rows of DOCS, which is a matrix, too."),
            click.option(
                "--first-label", metavar="0|1", type=click.IntRange(0, 1), help="First label in svmlight rows."
            ),
            click.option("--skip-unknown", is_flag=True, help="Leave out labels that the vocabulary does not have."),
        ]
    names = ["format", "first_feature", "skip_bad"] + ["label_matrix", "first_label", "skip_unknown"] * has_labels

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def with_reading(*arguments: Any, **values: Any) -> Any:  # noqa: ANN401 - whatever the command takes
            options = {name: values.pop(name) for name in names}
            reading = Reading(**{name: value for name, value in options.items() if value is not None})
            if reading.format is not None and reading.format not in FORMATS:
                raise UnknownNameError("format of labelled documents", reading.format, known=FORMATS)
            return command(*arguments, reading=reading, **values)

        decorated: Callable[..., Any] = with_reading
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


def is_matrix(path: str) -> bool:
    """Whether a file holds features alone: an .npz, or text that begins with two whole numbers, rows and columns."""
    return content_suffix(path) == ".npz" or _n_sizes(path) == 2


def _looks_like_rows(path: str) -> bool:
    return content_suffix(path) in (".npz", *SVMLIGHT_SUFFIXES) or _n_sizes(path) > 0


def _n_sizes(path: str) -> int:
    """How many whole numbers, two or three, the first line of a file has and nothing else; 0 if it is no such line."""
    if path == STDIN or Path(path).is_dir():
        return 0
    words = next((line for _, line in open_byte_lines(path)), b"").split()
    return len(words) if len(words) in (2, 3) and all(word.isdigit() for word in words) else 0


def _report(session: Session, report: LabelledReport) -> None:
    for line in report.files:
        session.note(line)
    _report_left_out(session, "Documents left out", report.n_skipped, report.skipped)
    _report_left_out(session, "Labels left out", report.n_unknown, report.unknown)


def _report_left_out(session: Session, what: str, n: int, examples: Sequence[SkippedLine]) -> None:
    if n:
        session.note(f"{what}: {n:,}")
        for each in examples[:N_SHOWN]:
            session.note(f"  {each}")
