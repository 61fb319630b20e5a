"""A suite: a knowledge base, annotated documents, the systems to compare and the figures that should come out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from benchmarks.packages import bench_module
from benchmarks.systems import SYSTEMS
from deixis.config import check_settings, config_from_dict
from deixis.errors import ConfigError, DataError, ToolkitError, UnknownNameError

METRICS = ("recall@1", "recall@5", "recall@10", "recall@20", "recall@100")
SPLITS = ("dev", "test")
_SHA256 = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True)
class KbSource:
    """Where the entities come from; paths are relative to the data folder, or begin with `demo:` for shipped files.

    `lang` is the language of names and descriptions that tell none.
    """

    path: str
    format: Literal["kb", "melo", "wordnet", "geonames"] = "kb"
    lang: str = ""

    def __post_init__(self) -> None:
        check_settings(self)


@dataclass(frozen=True)
class Part:
    """Annotated documents that are scored together; of a set without splits, `half` takes those of one side.

    Of a set with questions of several kinds, `kind` takes those of one: their ids have it behind a `#`.
    """

    name: str
    path: str
    half: Literal["", "dev", "test"] = ""
    kind: str = ""

    def __post_init__(self) -> None:
        check_settings(self)


@dataclass(frozen=True)
class Expected:
    """A figure that came out once and should come out again."""

    part: str
    system: str
    metric: str
    value: float
    tolerance: float


@dataclass(frozen=True)
class Suite:
    """What `deixis bench NAME` runs. `mentions` are annotated documents for the systems that learn from some.

    With `all_annotated` its documents have all their mentions annotated, so that raw text can be measured, too. Systems
    that are `on_request` run only where they are named: they take an hour.

    Examples
    --------
    >>> suite = Suite.from_dict({
    ...     "name": "demo", "kb": {"path": "demo:entities.jsonl"},
    ...     "dev": [{"name": "dev", "path": "demo:sentences.jsonl"}],
    ...     "systems": ["exact"], "expected": {"dev": {"exact": {"recall@1": 0.5}}},
    ... })
    >>> suite.expected
    (Expected(part='dev', system='exact', metric='recall@1', value=0.5, tolerance=0.01),)
    """

    name: str
    kb: KbSource
    systems: tuple[str, ...]
    on_request: tuple[str, ...] = ()
    about: str = ""
    command: str = ""
    dev: tuple[Part, ...] = ()
    test: tuple[Part, ...] = ()
    mentions: str = ""
    all_annotated: bool = False
    metrics: tuple[str, ...] = METRICS
    max_mentions: int = 2000
    files: dict[str, str] = field(default_factory=dict)
    tolerance: float = 0.01
    expected: tuple[Expected, ...] = ()

    def __post_init__(self) -> None:
        for name in self.all_systems:
            if name not in SYSTEMS:
                raise UnknownNameError("system", name, known=SYSTEMS)
        for metric in self.metrics:
            if not re.fullmatch(r"recall@[1-9]\d*", metric):
                raise ConfigError(f"Unknown metric {metric!r}; allowed is recall@ and a whole number, as in recall@10.")
        for path, digest in self.files.items():
            if not isinstance(digest, str) or not _SHA256.fullmatch(digest):
                raise ConfigError(f"The sha256 of {path!r} must be 64 hexadecimal digits, got {digest!r}.")
        if self.max_mentions < 1:
            raise ConfigError(f"max_mentions must be at least 1, got {self.max_mentions}.")
        if not self.dev and not self.test:
            raise ConfigError("A suite needs documents: give 'dev' or 'test', a list of parts with name and path.")
        names = [part.name for part in (*self.dev, *self.test)]
        if len(set(names)) < len(names):
            raise ConfigError(f"Two parts have one name: {', '.join(sorted(names))}.")
        self._check_expected(names)

    def _check_expected(self, parts: list[str]) -> None:
        for figure in self.expected:
            for kind, name, known in (
                ("part", figure.part, parts),
                ("system", figure.system, self.all_systems),
                ("metric", figure.metric, self.metrics),
            ):
                if name not in known:
                    raise UnknownNameError(f"{kind} (in 'expected')", name, known=known)

    @property
    def all_systems(self) -> tuple[str, ...]:
        """The systems that run, and those that run on request."""
        return (*self.systems, *self.on_request)

    @property
    def depth(self) -> int:
        """How many candidates the metrics look at."""
        return max(int(metric.removeprefix("recall@")) for metric in self.metrics)

    def parts(self, split: str) -> tuple[Part, ...]:
        """The parts of a split."""
        if split not in SPLITS:
            raise UnknownNameError("split", split, known=SPLITS)
        return self.dev if split == "dev" else self.test

    def teaching(self, split: str) -> str:
        """The file of mentions to learn from, or nothing where the split scores on that very file."""
        return "" if self.mentions in {part.path for part in self.parts(split)} else self.mentions

    def expected_of(self, part: str, system: str, metric: str) -> Expected | None:
        """The figure expected there, if there is one."""
        wanted = (part, system, metric)
        return next((one for one in self.expected if (one.part, one.system, one.metric) == wanted), None)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Suite:
        """The suite of plain values; `expected` is a table part -> system -> metric -> value or value and tolerance."""
        table, tolerance = values.get("expected") or {}, values.get("tolerance", cls.tolerance)
        missing = [key for key in ("name", "kb", "systems") if not values.get(key)]
        if missing:
            raise ConfigError(f"A suite needs {', '.join(repr(key) for key in missing)}.")
        return config_from_dict(cls, {**values, "expected": list(_expected(table, tolerance))})


def read_suite(path: Path) -> Suite:
    """The suite of a YAML file, which bears its name."""
    yaml = bench_module("yaml", "Reading a suite")
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or str(error)
        raise DataError(f"not YAML: {reason}", path=path, line=mark.line + 1 if mark else None) from None
    except UnicodeDecodeError:
        raise DataError("not UTF-8 text; suites are written in YAML", path=path) from None
    if not isinstance(values, dict):
        raise DataError("a suite is a table of settings such as 'name: demo'", path=path)
    try:
        suite = Suite.from_dict(values)
    except ToolkitError as error:
        raise ConfigError(f"{path}: {error}") from None
    if suite.name != path.stem:
        raise DataError(
            f"the suite is named {suite.name!r}; name the file {suite.name}.yaml, or the other way", path=path
        )
    return suite


def _expected(table: object, tolerance: float) -> Iterator[dict[str, Any]]:
    for part, systems in _items(table, "expected"):
        for system, metrics in _items(systems, f"expected.{part}"):
            for metric, figure in _items(metrics, f"expected.{part}.{system}"):
                place = {"part": part, "system": system, "metric": metric}
                if isinstance(figure, Mapping):
                    yield {**place, "tolerance": tolerance, **figure}
                else:
                    yield {**place, "value": figure, "tolerance": tolerance}


def _items(table: object, where: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(table, Mapping):
        raise ConfigError(f"Setting {where!r} must be a table of settings, got {table!r}.")
    return iter(table.items())
