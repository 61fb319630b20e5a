"""Looks a list over before it is built: how it is understood, what it holds, and what is suspicious, with line numbers.

Goes on after bad lines. Keeps a few bytes per entity and per name, never the descriptions.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.config import Config, setting
from deixis.kb.checking.findings import Example, Finding, FindingCollector
from deixis.kb.checking.suspicions import plain_title, text_suspicions, unused_columns
from deixis.kb.entity_batch import EntityFields
from deixis.kb.id_index import repeated_ids
from deixis.kb.list_reader import FilePath, ListReader
from deixis.kb.list_report import ListReport
from deixis.kb.read_options import ReadOptions
from deixis.kb.records import BadRecord
from deixis.kb.value_guess import SEPARATORS
from deixis.progress import track
from deixis.store.string_hashes import hash_string, hash_strings
from deixis.store.strings import StringTable, StringTableBuilder

RISKY_ALIAS_ENTITIES = 50  # a name of more entities is hardly ever linked right
SHORT_NAME = 1  # characters of a name that is probably a slip


@dataclass(frozen=True, slots=True)
class CheckConfig(Config):
    """When something is worth telling, and how much of it is shown."""

    max_examples: int = setting(3, "Lines shown per finding.", low=0, cli="--examples")


DEFAULT_CHECK = CheckConfig()


@dataclass(frozen=True, slots=True)
class KbReport:
    """What a list holds, how it was understood and what is wrong with it; `ok` when it can be built as it is.

    Examples
    --------
    >>> understood = ListReport("kb.jsonl", "jsonl", "native records")
    >>> report = KbReport(understood, 2, 2, 0, {"description": 0.5}, {}, ())
    >>> report.ok, report.to_dict()["coverage"]
    (True, {'description': 0.5})
    """

    understood: ListReport
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
        values = asdict(self)
        understood: dict[str, Any] = values.pop("understood")
        return understood | values | {"ok": self.ok}


def check_file(
    path: FilePath,
    config: CheckConfig = DEFAULT_CHECK,
    options: ReadOptions | None = None,
    *,
    is_findable: Callable[[str], bool] | None = None,
    is_ordinary: Callable[[str], bool] | None = None,
) -> KbReport:
    """The report on a list; the caller says which names can be found in texts, and which are ordinary words."""
    reader = ListReader(path, options)
    check = _Check(config, str(path), is_findable, is_ordinary)
    for line, fields, record in track(reader, "checking entities"):
        check.n_lines += 1
        if isinstance(fields, BadRecord):
            check.collector.add(fields.kind, Example(line, fields.reason))
        else:
            check.entity(line, fields, record)
    has_ids = reader.mapping is None or reader.mapping.id is not None
    for kind, detail, hint in unused_columns(reader.mapping, reader.sample):
        check.collector.add(kind, Example(0, detail), hint)
    return check.report(reader.report(), has_ids)


class _Check:
    """Everything counted so far."""

    def __init__(
        self,
        config: CheckConfig,
        path: str,
        is_findable: Callable[[str], bool] | None,
        is_ordinary: Callable[[str], bool] | None,
    ) -> None:
        self.config = config
        self.is_findable, self.is_ordinary = is_findable, is_ordinary
        self.collector = FindingCollector(config.max_examples, path)
        self.n_lines = 0
        self.parts: tuple[array[int], ...] = tuple(array("B") for _ in _COVERED)
        self.languages: dict[str, Counter[str]] = {}
        self.ids, self.lines, self.n_aliases = StringTableBuilder(), array("q"), array("q")
        self.names, self.name_rows = StringTableBuilder(), array("q")
        self.titles, self.contents = StringTableBuilder(), array("Q")

    def entity(self, line: int, fields: EntityFields, record: Mapping[str, Any]) -> None:
        row = len(self.lines)
        self.lines.append(line)
        self.ids.append(fields.id)
        self.n_aliases.append(len(fields.aliases))
        self._coverage(fields)
        spellings = {name.casefold(): name for name in (*(text for text, _, _ in fields.aliases), fields.title)}
        self.titles.append(fields.title)
        self.contents.append(hash_string(repr((sorted(spellings), sorted(fields.descriptions), sorted(fields.types)))))
        for name in sorted(spellings):
            self.names.append(name)
            self.name_rows.append(row)
            kind = self._suspicion(name)
            if kind is not None:
                self.collector.add(kind, Example(line, f"{fields.id!r} has the name {spellings[name]!r}"))
        for text, _, _ in fields.aliases:
            mark = next((mark for mark in SEPARATORS if mark in text), None)
            if mark is not None:
                detail = f"{fields.id!r} has the one name {text!r}"
                self.collector.add("several_names", Example(line, detail), mark)
        for kind, detail in text_suspicions(record):
            self.collector.add(kind, Example(line, detail))

    def report(self, understood: ListReport, has_ids: bool) -> KbReport:
        if not self.lines:
            self.collector.add("no_entities", Example(0, f"lines read: {self.n_lines:,}, no entity among them"))
        is_kept = self._first_of_each_id(has_ids)
        self._shared_names(is_kept)
        self._same_entities(is_kept)
        n_entities = int(is_kept.sum())
        covered = (int(np.asarray(has)[is_kept].sum()) for has in self.parts)
        return KbReport(
            understood=understood,
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
        if self.is_ordinary is not None and self.is_ordinary(name):
            return "ordinary_word"
        is_short = len(name) <= SHORT_NAME and not _is_ideographic(name)
        return "short_name" if is_short else None

    def _first_of_each_id(self, has_ids: bool) -> NDArray[np.bool_]:
        """Which rows a build would keep; the others are reported."""
        ids = self.ids.build()
        is_kept = np.ones(len(ids), dtype=bool)
        kind, what = ("duplicate_id", "the id") if has_ids else ("equal_name", "the name")
        for row, first in zip(*(rows.tolist() for rows in repeated_ids(ids)), strict=True):
            is_kept[row] = False
            detail = f"{what} {ids[row]!r} was used before, in line {self.lines[first]}"
            self.collector.add(kind, Example(self.lines[row], detail))
        return is_kept

    def _shared_names(self, is_kept: NDArray[np.bool_]) -> None:
        """Names of very many entities, and of several of which some have no description."""
        names, rows = self.names.build(), np.asarray(self.name_rows, dtype=np.int64)
        first_rows = np.flatnonzero(is_kept[rows]) if len(rows) else rows
        groups = _equal_groups(hash_strings(names)[first_rows]) if len(first_rows) else []
        undescribed: set[int] = set()
        ids = self.ids.build()
        has_description = self.parts[_COVERED.index("description")]
        # The most shared first; every name occurs once per entity, so a group's size is its number of entities.
        for group in groups:
            of_name = rows[first_rows[group]].tolist()
            first = int(first_rows[group[0]])
            if len(of_name) > RISKY_ALIAS_ENTITIES:
                detail = f"{names[first]!r} is a name of {len(of_name)} entities"
                self.collector.add("risky_alias", Example(self.lines[of_name[0]], detail))
                continue
            for row in of_name:
                if not has_description[row] and row not in undescribed:
                    undescribed.add(row)
                    detail = f"{ids[row]!r} is one of {len(of_name)} called {names[first]!r}"
                    self.collector.add("undescribed_namesake", Example(self.lines[row], detail))

    def _same_entities(self, is_kept: NDArray[np.bool_]) -> None:
        """Entities with the same names and texts, and titles that are nearly the same."""
        titles, first_rows = self.titles.build(), np.flatnonzero(is_kept)
        if not len(first_rows):
            return
        for group in _equal_groups(np.asarray(self.contents, dtype=np.uint64)[first_rows]):
            rows = first_rows[group].tolist()
            detail = f"{titles[rows[0]]!r} in lines {', '.join(str(self.lines[row]) for row in rows[:3])}"
            self.collector.add("indistinguishable", Example(self.lines[rows[1]], detail))
        plain = StringTable.from_strings(plain_title(title) for title in titles)
        for group in _equal_groups(hash_strings(plain)[first_rows]):
            rows = first_rows[group].tolist()
            others = [row for row in rows if titles[row] != titles[rows[0]]]
            if plain[rows[0]] and others:
                detail = f"{titles[rows[0]]!r} in line {self.lines[rows[0]]}, {titles[others[0]]!r}"
                self.collector.add("near_duplicate", Example(self.lines[others[0]], detail))


def _equal_groups(hashes: NDArray[np.uint64]) -> list[NDArray[np.int64]]:
    """Positions of each hash that occurs more than once, the largest group first, then the one that begins first."""
    order = np.argsort(hashes, kind="stable")
    starts = np.flatnonzero(np.r_[True, hashes[order][1:] != hashes[order][:-1]])
    sizes = np.diff(np.r_[starts, len(order)])
    several = np.flatnonzero(sizes > 1)
    several = several[np.lexsort((order[starts[several]], -sizes[several]))]
    return [order[starts[group] : starts[group] + sizes[group]] for group in several.tolist()]


_COVERED = ("aliases", "description", "types", "count", "url", "alt_ids")


def _is_ideographic(name: str) -> bool:
    """Whether a single character can be a whole word: Chinese, Japanese and Korean writing."""
    return any("\u2e80" <= character <= "\U0003ffff" and not "\ue000" <= character <= "\uffff" for character in name)
