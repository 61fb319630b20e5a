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
    "risky_alias": ("warning", "names that very many entities share"),
    "short_name": ("warning", "suspiciously short names"),
    "unfindable_name": ("warning", "names never looked for in texts: too short, too long or digits only"),
    "empty_alias": ("warning", "empty aliases, left out"),
    "mojibake": ("warning", "text that looks decoded with the wrong encoding, like 'Ã©' for 'é'"),
    "replacement_character": ("warning", "U+FFFD: text that was damaged before it came here"),
    "lone_surrogate": ("warning", "lone surrogates, read as U+FFFD"),
    "control_character": ("warning", "control characters, read as spaces"),
}

# kind -> what still works or can be done, where the meaning leaves that open.
ADVICE = {
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

    @property
    def meaning(self) -> str:
        """The kind, in words."""
        return KINDS[self.kind][1]

    @property
    def advice(self) -> str:
        """What still works or can be done; empty where the meaning says it."""
        return ADVICE.get(self.kind, "")


class FindingCollector:
    """Counts every finding and keeps the first few of each kind."""

    def __init__(self, max_examples: int) -> None:
        self._max_examples = max_examples
        self._counts: dict[str, int] = {}
        self._examples: dict[str, list[Example]] = {}

    def add(self, kind: str, example: Example) -> None:
        """Count one more of a kind."""
        self._counts[kind] = self._counts.get(kind, 0) + 1
        examples = self._examples.setdefault(kind, [])
        if len(examples) < self._max_examples:
            examples.append(example)

    def findings(self) -> tuple[Finding, ...]:
        """All findings, errors first, in the order of `KINDS`."""
        return tuple(
            Finding(kind, severity, self._counts[kind], tuple(self._examples[kind]))
            for kind, (severity, _) in KINDS.items()
            if kind in self._counts
        )
