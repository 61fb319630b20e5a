"""The request of `deixis eval`: its command line, checked before anything is loaded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

import click

from deixis.cli.files import check_files, has_documents, known_format
from deixis.cli.link_options import given_flags
from deixis.documents.formats import READERS
from deixis.documents.reading import read_documents
from deixis.errors import DataError
from deixis.evaluation.pairing import distinct
from deixis.evaluation.suites import STDIN, name_of, numbered, suite_names
from deixis.linking.options import LinkOptions
from deixis.types import Document


@dataclass(frozen=True)
class Request:
    """The command line, checked."""

    paths: tuple[str, ...]
    predictions: tuple[str, ...] = ()
    kb: str | None = None
    compare: tuple[str, ...] = ()
    end_to_end: bool = False
    both: bool = False
    format_: str | None = None
    predictions_format: str | None = None
    at: tuple[int, ...] | None = None
    is_all: bool = False
    output: str | None = None
    report: str | None = None
    n_examples: int = 20
    suite: str | None = None
    system: str = "deixis"
    skip_duplicates: bool = False
    options: LinkOptions = LinkOptions()
    skipped: dict[str, int] = field(default_factory=dict)
    """File -> how many of its documents were skipped, because their id came before."""

    @property
    def data(self) -> tuple[str, ...]:
        """The files of gold."""
        return self.paths if self.predictions else self.paths[1:]

    @property
    def suites(self) -> list[str]:
        """The name of the rows of each file, no two of them the same."""
        return suite_names(self.predictions or self.paths[0], self.data, self.suite)

    @property
    def other_name(self) -> str:
        """The name of the other system in the rows."""
        return numbered([self.system, name_of(self.compare[0])])[1] if self.compare else ""

    @property
    def compares_models(self) -> bool:
        """Whether the other system is a model."""
        return len(self.compare) == 1 and os.path.isdir(self.compare[0])

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", None if self.at is None else tuple(sorted(set(self.at))))

    def check(self) -> None:
        """Raises for words that do not go together and for files that are missing, before anything is loaded."""
        for problem in (*self._file_problems(), *self._problems()):
            raise click.UsageError(problem)
        for name in (self.format_, self.predictions_format):
            known_format(name, READERS)
        check_files((*self.data, *self.predictions, *self.compare, *([] if self.kb is None else [self.kb])))
        for path in self.data:
            if not has_documents(path, self.format_):
                raise DataError("has no gold: there is no document in it", path=path)
        for path in (*self.predictions, *(() if self.compares_models else self.compare)):
            has_documents(path, self.predictions_format)

    def _file_problems(self) -> Iterator[str]:
        read = [*self.paths, *self.predictions, *self.compare, *([] if self.kb is None else [self.kb])]
        written = [path for path in (self.output, self.report) if path is not None]
        if read.count(STDIN) > 1:
            yield "Standard input (-) can only be read once."
        if STDIN in self.data and self.compare:
            yield "To compare two runs the gold is read twice: give a file instead of -."
        if len({path if path == STDIN else os.path.realpath(path) for path in written}) < len(written):
            yield f"--output and --report are both {written[0]!r}: give each a file of its own."
        for path in written:
            if path != STDIN and os.path.realpath(path) in map(os.path.realpath, read):
                yield f"{path!r} is read and would be written over: give the results another name."

    def _problems(self) -> Iterator[str]:
        if self.at is not None and min(self.at, default=0) < 1:
            yield "Invalid value for '--at': give whole numbers from 1 up, such as 1,5,10."
        if not self.data:
            yield "Missing argument 'DATA...': annotated documents to measure on."
        if self.predictions and self.data and os.path.isdir(self.data[0]):
            yield (
                f"With --predictions all arguments are gold data, but {self.data[0]!r} is a folder. Give a model whose "
                f"knowledge base says which gold counts as: --kb {self.data[0]}"
            )
        if self.both and (self.end_to_end or self.predictions):
            yield "--both measures a model in both ways: leave out --end-to-end and --predictions."
        if self.both and STDIN in self.data:
            yield "With --both the gold is read twice: give a file instead of -."
        if self.kb is not None and not self.predictions:
            yield "--kb goes with --predictions; a model brings its own knowledge base."
        if self.predictions and given_flags(self.options):
            flags = ", ".join(given_flags(self.options))
            yield f"Leave out {flags}: a model links by that, and these predictions are made."
        compared = () if self.compares_models else self.compare
        for option, files in (("--predictions", self.predictions), ("--compare", compared)):
            if files and len(files) != len(self.data):
                yield (
                    f"{option} is given {len(files)} times for {len(self.data)} files of gold: give one for each, in "
                    "the same order."
                )

    def documents(self, path: str, format: str | None) -> Iterator[Document]:
        """The documents of a file, once each if duplicates are skipped."""
        documents = read_documents(path, format)
        return iter(distinct(documents, path, self.skipped) if self.skip_duplicates else documents)
