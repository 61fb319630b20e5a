"""What a check can find, how bad each kind is, and the collecting of examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]

# kind -> (severity, what it means); errors are what stops a build that does not skip bad lines.
KINDS: dict[str, tuple[Severity, str]] = {
    "no_entities": ("error", "the file holds no entities"),
    "bad_json": ("error", "lines that are not JSON"),
    "bad_row": ("error", "rows that do not fit the header"),
    "encoding": ("error", "lines that are not UTF-8"),
    "missing_field": ("error", "records without an id, or with no fields that are known"),
    "wrong_type": ("error", "fields of the wrong type"),
    "bad_id": ("error", "ids with control characters or lone surrogates"),
    "empty_id": ("error", "empty ids"),
    "duplicate_id": ("error", "ids that are used more than once"),
    "empty_title": ("error", "missing or empty titles"),
    "bad_count": ("error", "counts that are not whole numbers from 0 up"),
    "several_names": ("warning", "names that seem to be several names in one"),
    "unused_aliases": ("warning", "columns that look like other names and are not used"),
    "unused_count": ("warning", "columns that look like counts and are not used"),
    "equal_name": ("warning", "names that come again in a list without ids, left out"),
    "indistinguishable": ("warning", "entities that nobody can tell apart: same names, same description"),
    "near_duplicate": ("warning", "titles that differ in case, accents or punctuation only"),
    "undescribed_namesake": ("warning", "entities that share a name with others and have no description"),
    "ordinary_word": ("warning", "names that are ordinary words"),
    "risky_alias": ("warning", "names that very many entities share"),
    "short_name": ("warning", "suspiciously short names"),
    "unfindable_name": ("warning", "names never looked for in texts: too short, too long or digits only"),
    "empty_alias": ("warning", "empty aliases, left out"),
    "mojibake": ("warning", "text that looks decoded with the wrong encoding, like 'Ã©' for 'é'"),
    "replacement_character": ("warning", "U+FFFD: text that was damaged before it came here"),
    "lone_surrogate": ("warning", "lone surrogates, read as U+FFFD"),
    "control_character": ("warning", "control characters, read as spaces"),
}

# kind -> what can be done, or what still works; {path} is the list, {hint} what was seen there.
ADVICE = {
    "several_names": 'deixis build {path} --alias-separator "{hint}" ...',
    "unused_aliases": 'deixis build {path} --columns "aliases={hint}" ...',
    "unused_count": 'deixis build {path} --columns "count={hint}" ...',
    "equal_name": "give entities that are different an id: deixis build {path} --columns id=COLUMN ...",
    "duplicate_id": "keep the first of each: deixis build {path} --skip-bad ...",
    "bad_json": "leave them out: deixis build {path} --skip-bad ...",
    "bad_row": "leave them out: deixis build {path} --skip-bad ...",
    "encoding": "name the encoding: deixis build {path} --encoding cp1252 ...",
    "mojibake": "name the encoding it was written in: deixis build {path} --encoding utf-8 ...",
    "indistinguishable": "give each a description or a name of its own, or remove all but one",
    "near_duplicate": "if they are the same, make one an alias of the other",
    "undescribed_namesake": "a short description of each is what tells namesakes apart",
    "ordinary_word": "they become links only where the text means them: deixis link MODEL --names sure ...",
    "risky_alias": "remove the name from entities that are hardly ever called so",
    "unfindable_name": "mentions you give are linked all the same, and an entity's other names are found",
}


@dataclass(frozen=True, slots=True)
class Example:
    """One place where something was found; line 0 is the whole file."""

    line: int
    detail: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of trouble: how often, and where it was seen first.

    Examples
    --------
    >>> finding = Finding("empty_title", "error", 3, (Example(7, "'title' is empty"),))
    >>> finding.meaning, finding.examples[0].line
    ('missing or empty titles', 7)
    """

    kind: str
    severity: Severity
    count: int
    examples: tuple[Example, ...]
    advice: str = ""
    """The command that mends it, what can be done, or what still works; empty where the meaning says it."""

    @property
    def meaning(self) -> str:
        """The kind, in words."""
        return KINDS[self.kind][1]


class FindingCollector:
    """Counts every finding and keeps the first few of each kind."""

    def __init__(self, max_examples: int, path: str = "LIST") -> None:
        self._max_examples = max_examples
        self._path = path
        self._hints: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._examples: dict[str, list[Example]] = {}

    def add(self, kind: str, example: Example, hint: str = "") -> None:
        """Count one more of a kind; the first `hint` goes into the advice."""
        self._hints.setdefault(kind, hint)
        self._counts[kind] = self._counts.get(kind, 0) + 1
        examples = self._examples.setdefault(kind, [])
        if len(examples) < self._max_examples:
            examples.append(example)

    def findings(self) -> tuple[Finding, ...]:
        """All findings, errors first, in the order of `KINDS`."""
        return tuple(
            Finding(kind, severity, self._counts[kind], tuple(self._examples[kind]), self._advice(kind))
            for kind, (severity, _) in KINDS.items()
            if kind in self._counts
        )

    def _advice(self, kind: str) -> str:
        return ADVICE.get(kind, "").format(path=self._path, hint=self._hints.get(kind, ""))
