"""What `deixis eval` was asked: who answers on which data, held against whom, and which gold counts as known."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from deixis.cli.files import known_format
from deixis.cli.known_entities import KnownEntities
from deixis.cli.link_options import given_flags
from deixis.cli.measuring import LinkerUnderTest, PredictionsUnderTest, UnderTest
from deixis.cli.session import Session
from deixis.documents.formats import READERS
from deixis.evaluation.linking.figures import RECALL_AT
from deixis.linking.options import LinkOptions

STDIN = "-"


@dataclass(frozen=True)
class Asked:
    """The words on the command line that say who is evaluated on what, and how."""

    paths: tuple[str, ...]
    predictions: tuple[str, ...] = ()
    predictions_format: str | None = None
    compare: tuple[str, ...] = ()
    kb: str | None = None
    is_end_to_end: bool = False
    is_skipping: bool = False
    written: tuple[str, ...] = ()
    format: str | None = None
    at: tuple[int, ...] = ()
    n_examples: int = 0
    suite: str | None = None
    system: str = "deixis"
    seed: int = 0
    options: LinkOptions = LinkOptions()

    @property
    def model(self) -> str | None:
        """The model's folder; None if predictions are scored."""
        return None if self.predictions else self.paths[0]

    @property
    def data(self) -> tuple[str, ...]:
        """The files of gold."""
        return self.paths if self.predictions else self.paths[1:]

    @property
    def depth(self) -> int:
        """How many candidates must be looked at."""
        return max(self.at or RECALL_AT)

    @property
    def suites(self) -> list[str]:
        """The name of the rows of each file, no two of them the same."""
        if self.suite is not None:
            return [self.suite] if len(self.data) == 1 else numbered(f"{self.suite}/{data_name(d)}" for d in self.data)
        answering = self.predictions if self.model is None else [self.model] * len(self.data)
        return numbered(map(suite_name, answering, self.data))

    def check(self) -> None:
        """Raises a usage error for words that do not go together, before anything is loaded."""
        if self.at and min(self.at) < 1:
            raise click.BadParameter("give whole numbers from 1 up, such as 1,5,10", param_hint="--at")
        self.check_files()
        if not self.data:
            words = "the gold to score them with" if self.predictions else "what MODEL is measured on"
            raise click.UsageError(f"Missing argument 'DATA...': {words}.")
        if self.predictions and os.path.isdir(self.data[0]):
            raise click.UsageError(
                f"With --predictions all arguments are gold data, but {self.data[0]!r} is a folder. Give a model whose "
                f"knowledge base says which gold counts as: --kb {self.data[0]}"
            )
        if self.kb is not None and not self.predictions:
            raise click.UsageError("--kb goes with --predictions; a model brings its own knowledge base.")
        if self.predictions and given_flags(self.options):
            flags = ", ".join(given_flags(self.options))
            raise click.UsageError(f"Leave out {flags}: a model links by that, and these predictions are made.")
        for option, given in (("--predictions", self.predictions), ("--compare", self._compared_files())):
            if given and len(given) != len(self.data):
                raise click.UsageError(
                    f"{option} is given {len(given)} times for {len(self.data)} files of gold: give one for each, in "
                    "the same order."
                )

    def check_files(self) -> None:
        """Raises for a format that there is not, and for files that cannot be read or written as asked."""
        for name in (self.format, self.predictions_format):
            known_format(name, READERS)
        self._check_stdin()
        self._check_written()

    def _check_stdin(self) -> None:
        if [*self.paths, *self.predictions, *self.compare].count(STDIN) > 1:
            raise click.UsageError("Standard input (-) can only be read once.")
        if STDIN in self.data and self.compare:
            raise click.UsageError("To compare two runs the gold is read twice: give a file instead of -.")

    def _check_written(self) -> None:
        """No file may be written over what is read, or over the other one that is written."""
        places = [path if path == STDIN else os.path.realpath(path) for path in self.written]
        if len(set(places)) < len(places):
            raise click.UsageError(f"--output and --report are both {self.written[0]!r}: give each a file of its own.")
        read = {os.path.realpath(path) for path in (*self.paths, *self.predictions, *self.compare, self.kb or STDIN)}
        for path in self.written:
            if path != STDIN and os.path.realpath(path) in read:
                raise click.UsageError(f"{path!r} is read and would be written over: give the results another name.")

    def _compared_files(self) -> tuple[str, ...]:
        return () if _is_one_model(self.compare) else self.compare


@dataclass(frozen=True)
class Plan:
    """Who answers on each file of gold, who is held against them (or nobody), and what is known."""

    tested: Sequence[UnderTest]
    others: Sequence[UnderTest | None]
    known: KnownEntities
    other_name: str = ""
    skipped: dict[str, int] | None = None
    """File -> how many of its documents had the id of an earlier one and were left out; None if none may be."""

    @classmethod
    def of(cls, asked: Asked, session: Session) -> Plan:
        """The plan with its models loaded."""
        n = len(asked.data)
        others: Sequence[UnderTest | None] = [None] * n
        skipped: dict[str, int] | None = {} if asked.is_skipping else None
        if _is_one_model(asked.compare):
            filtered = LinkOptions(types=asked.options.types, ids=asked.options.ids, languages=asked.options.languages)
            other = LinkerUnderTest.load(asked.compare[0], session, asked.depth, asked.is_end_to_end, filtered)
            others = [other] * n
        elif asked.compare:
            others = [_predictions(path, asked, skipped) for path in asked.compare]
        other_name = numbered([asked.system, name_of(asked.compare[0])])[1] if asked.compare else ""
        if asked.model is None:
            known = KnownEntities.every() if asked.kb is None else KnownEntities.load(asked.kb, name_of(asked.kb))
            tested = [_predictions(path, asked, skipped) for path in asked.predictions]
            return cls(tested, others, known, other_name, skipped)
        linker = LinkerUnderTest.load(asked.model, session, asked.depth, asked.is_end_to_end, asked.options)
        known = KnownEntities.of(linker.linker.kb, name_of(asked.model), linker.mask)
        return cls([linker] * n, others, known, other_name, skipped)


def _is_one_model(compare: Sequence[str]) -> bool:
    return len(compare) == 1 and os.path.isdir(compare[0])


def _predictions(path: str, asked: Asked, skipped: dict[str, int] | None) -> PredictionsUnderTest:
    return PredictionsUnderTest(path, asked.predictions_format, skipped=skipped)


def name_of(path: str) -> str:
    """A short name for a model or a file.

    Examples
    --------
    >>> name_of("models/wiki468k/"), name_of("runs/mine.jsonl.gz"), name_of("-")
    ('wiki468k', 'mine', 'stdin')
    """
    return "stdin" if path == STDIN else _last_word(Path(path)).split(".")[0]


def suite_name(model: str, data: str) -> str:
    """A name for the rows out of the files' own names.

    Examples
    --------
    >>> suite_name("models/wiki468k/", "../data/aida/testa.jsonl.gz")
    'wiki468k/aida-testa'
    """
    return f"{_last_word(Path(model)) if os.path.isdir(model) else name_of(model)}/{data_name(data)}"


def numbered(names: Iterable[str]) -> list[str]:
    """The names, with a number behind one that came before.

    Examples
    --------
    >>> numbered(["news", "web", "news"])
    ['news', 'web', 'news-2']
    """
    taken: dict[str, None] = {}
    for name in names:
        tries = itertools.chain([name], (f"{name}-{number}" for number in itertools.count(2)))
        taken[next(each for each in tries if each not in taken)] = None
    return list(taken)


def data_name(data: str) -> str:
    """A name for a file of gold, with that of its folder: many folders have a `test.jsonl`."""
    return "stdin" if data == STDIN else f"{_last_word(Path(data).absolute().parent)}-{name_of(data)}"


def _last_word(path: Path) -> str:
    """The last part of a path, as text that can be written: bytes that are no UTF-8 become U+FFFD."""
    return os.fsencode(path.absolute().name).decode("utf-8", "replace")
