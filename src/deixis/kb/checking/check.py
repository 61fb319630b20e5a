"""Looks a knowledge base file over before it is built: counts, coverage, and everything suspicious, with line numbers.

Goes on after bad lines. Keeps a few bytes per entity and per name, never the descriptions.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.config import Config, setting
from deixis.kb.checking.findings import Example, Finding, FindingCollector
from deixis.kb.checking.suspicions import text_suspicions
from deixis.kb.formats import open_records
from deixis.kb.id_index import repeated_ids
from deixis.kb.reading import FilePath
from deixis.kb.records import BadRecord, EntityFields, RecordMapping
from deixis.progress import track
from deixis.store.string_hashes import hash_strings
from deixis.store.strings import StringTableBuilder

RISKY_ALIAS_ENTITIES = 50  # a name of more entities is hardly ever linked right
SHORT_NAME = 1  # characters of a name that is probably a slip


@dataclass(frozen=True, slots=True)
class CheckConfig(Config):
    """When something is worth telling, and how much of it is shown."""

    max_examples: int = setting(5, "Lines shown per finding.", low=0, cli="--examples")


DEFAULT_CHECK = CheckConfig()


@dataclass(frozen=True, slots=True)
class KbReport:
    """What a knowledge base file holds and what is wrong with it; `ok` when it can be built as it is.

    Examples
    --------
    >>> report = KbReport("kb.jsonl", "jsonl", "native records", 2, 2, 0, {"description": 0.5}, {}, ())
    >>> report.ok, report.to_dict()["coverage"]
    (True, {'description': 0.5})
    """

    path: str
    format: str
    mapping: str
    n_lines: int
    n_entities: int
    n_aliases: int
    coverage: dict[str, float]
    languages: dict[str, dict[str, int]]
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing found would stop a build."""
        return not any(finding.severity == "error" for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self) | {"ok": self.ok}


def check_file(
    path: FilePath,
    config: CheckConfig = DEFAULT_CHECK,
    *,
    format: str | None = None,
    is_findable: Callable[[str], bool] | None = None,
) -> KbReport:
    """The report on a file of entities; `is_findable` says which names the detector in use could find in a text."""
    format, records = open_records(path, format)
    check = _Check(config, is_findable)
    for line, record in track(records, "checking entities"):
        check.n_lines += 1
        try:
            if isinstance(record, BadRecord):
                raise record
            if check.mapping is None:
                check.mapping = RecordMapping.choose(record)
            fields = check.mapping.parse(record)
        except BadRecord as error:
            check.collector.add(error.kind, Example(line, error.reason))
            continue
        check.keys.update(record)
        check.entity(line, fields, record)
    return check.report(str(path), format)


class _Check:
    """Everything counted so far."""

    def __init__(self, config: CheckConfig, is_findable: Callable[[str], bool] | None) -> None:
        self.config = config
        self.is_findable = is_findable
        self.mapping: RecordMapping | None = None
        self.keys: set[str] = set()
        self.collector = FindingCollector(config.max_examples)
        self.n_lines = 0
        self.parts: tuple[array[int], ...] = tuple(array("B") for _ in _COVERED)
        self.languages: dict[str, Counter[str]] = {}
        self.ids, self.lines, self.n_aliases = StringTableBuilder(), array("q"), array("q")
        self.names, self.name_rows = StringTableBuilder(), array("q")

    def entity(self, line: int, fields: EntityFields, record: dict[str, Any]) -> None:
        row = len(self.lines)
        self.lines.append(line)
        self.ids.append(fields.id)
        self.n_aliases.append(len(fields.aliases))
        self._coverage(fields)
        spellings = {name.casefold(): name for name in (*(text for text, _, _ in fields.aliases), fields.title)}
        for name in sorted(spellings):
            self.names.append(name)
            self.name_rows.append(row)
            kind = self._suspicion(name)
            if kind is not None:
                self.collector.add(kind, Example(line, f"{fields.id!r} has the name {spellings[name]!r}"))
        for kind, detail in text_suspicions(record):
            self.collector.add(kind, Example(line, detail))

    def report(self, path: str, format: str) -> KbReport:
        if not self.lines:
            self.collector.add("no_entities", Example(0, f"lines read: {self.n_lines:,}, no entity among them"))
        is_kept = self._first_of_each_id()
        self._risky_names(is_kept)
        n_entities = int(is_kept.sum())
        covered = (int(np.asarray(has)[is_kept].sum()) for has in self.parts)
        return KbReport(
            path=path,
            format=format,
            mapping=self.mapping.describe(self.keys) if self.mapping else "",
            n_lines=self.n_lines,
            n_entities=n_entities,
            n_aliases=int(np.asarray(self.n_aliases)[is_kept].sum()),
            coverage={kind: n_having / max(n_entities, 1) for kind, n_having in zip(_COVERED, covered, strict=True)},
            languages={lang: dict(counts) for lang, counts in sorted(self.languages.items())},
            findings=self.collector.findings(),
        )

    def _coverage(self, fields: EntityFields) -> None:
        parts = (fields.aliases, fields.descriptions, fields.types, fields.n_seen, fields.url, fields.alt_ids)
        for has, part in zip(self.parts, parts, strict=True):
            has.append(bool(part))
        self._count_languages("aliases", (lang for _, lang, _ in fields.aliases))
        self._count_languages("descriptions", (lang for lang, _ in fields.descriptions))

    def _count_languages(self, kind: str, langs: Iterable[str]) -> None:
        for lang in set(langs):
            if lang:
                self.languages.setdefault(lang, Counter())[kind] += 1

    def _suspicion(self, name: str) -> str | None:
        if self.is_findable is not None and not self.is_findable(name):
            return "unfindable_name"
        is_short = len(name) <= SHORT_NAME and not _is_ideographic(name)
        return "short_name" if is_short else None

    def _first_of_each_id(self) -> NDArray[np.bool_]:
        """Which rows a build would keep; the others are reported."""
        ids = self.ids.build()
        is_kept = np.ones(len(ids), dtype=bool)
        for row, first in zip(*(rows.tolist() for rows in repeated_ids(ids)), strict=True):
            is_kept[row] = False
            detail = f"the id {ids[row]!r} was used before, in line {self.lines[first]}"
            self.collector.add("duplicate_id", Example(self.lines[row], detail))
        return is_kept

    def _risky_names(self, is_kept: NDArray[np.bool_]) -> None:
        names = self.names.build()
        hashes = hash_strings(names)
        order = np.argsort(hashes, kind="stable")
        order = order[is_kept[np.asarray(self.name_rows, dtype=np.int64)[order]]]
        starts = np.flatnonzero(np.r_[True, hashes[order][1:] != hashes[order][:-1]]) if len(order) else order
        sizes = np.diff(np.r_[starts, len(order)])
        risky = np.flatnonzero(sizes > RISKY_ALIAS_ENTITIES)
        # The most shared first; every name occurs once per entity, so a group's size is its number of entities.
        for group in risky[np.argsort(-sizes[risky], kind="stable")].tolist():
            first = int(order[starts[group]])
            detail = f"{names[first]!r} is a name of {sizes[group]} entities"
            self.collector.add("risky_alias", Example(self.lines[self.name_rows[first]], detail))


_COVERED = ("aliases", "description", "types", "count", "url", "alt_ids")


def _is_ideographic(name: str) -> bool:
    """Whether a single character can be a whole word: Chinese, Japanese and Korean writing."""
    return any("\u2e80" <= character <= "\U0003ffff" and not "\ue000" <= character <= "\uffff" for character in name)
