"""What reading lists found, for people: how each was understood, its first entities, what was left out."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from deixis.kb.entity_batch import EntityFields

N_EXAMPLES = 3
_MAX_SKIPPED = 20
_MAX_SHOWN = 60


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A line that was left out, and why."""

    path: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class ListReport:
    r"""How one list was understood: its format, which column is which field, and its first entities.

    Examples
    --------
    >>> shown = ListReport("p.csv", "csv", "SKU -> id, Name -> title", {"id": ["SKU"]}, examples=("A-1: Pump",))
    >>> print("\n".join(shown.lines()))
    p.csv: csv
      SKU -> id, Name -> title
      such as A-1: Pump
    """

    path: str
    format: str
    mapping: str
    columns: dict[str, list[str]] = field(default_factory=dict)
    """Field -> the columns it is read from; `ignored` has the others."""
    separators: dict[str, str] = field(default_factory=dict)
    shape: str = ""
    encoding: str = "utf-8"
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.path}: {self.format}, {self.mapping}"

    def lines(self) -> list[str]:
        """A few lines for people."""
        how = ", ".join(
            [self.format, *filter(None, [self.shape]), *([] if self.encoding == "utf-8" else [self.encoding])]
        )
        if not self.mapping:
            return [f"{self.path}: {how}"]
        shown = [f"  {'such as' if number == 0 else '       '} {each}" for number, each in enumerate(self.examples)]
        return [f"{self.path}: {how}", f"  {self.mapping}", *shown]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


@dataclass(slots=True)
class ReadReport:
    """What reading found: how each list was understood, how many entities came in, what was skipped.

    Examples
    --------
    >>> report = ReadReport()
    >>> report.skip("kb.jsonl", 3, "no 'title'")
    >>> report.n_skipped, str(report.skipped[0])
    (1, "kb.jsonl, line 3: no 'title'")
    """

    lists: list[ListReport] = field(default_factory=list)
    n_entities: int = 0
    n_skipped: int = 0
    skipped: list[SkippedLine] = field(default_factory=list)

    def skip(self, path: object, line: int, reason: str) -> None:
        """Count a line that is left out; the first ones are kept as examples."""
        self.n_skipped += 1
        if len(self.skipped) < _MAX_SKIPPED:
            self.skipped.append(SkippedLine(str(path), line, reason))


def example_of(entity: EntityFields) -> str:
    """An entity in one line: `A-1: Pump (water pump | pump 1), for drinking water`.

    Examples
    --------
    >>> example_of(EntityFields("A-1", "Pump", [("water pump", "", 0)], [("", "for water")], ["tool"], 5, "", []))
    'A-1: Pump (water pump) [tool] x 5, for water'
    """
    names = [text for text, _, _ in entity.aliases if text != entity.title]
    parts = [f"{_short(entity.id)}: {_short(entity.title)}" if entity.id != entity.title else _short(entity.title)]
    if names:
        more = f" | {len(names) - 4} more" if len(names) > 4 else ""
        parts.append(f"({_short(' | '.join(names[:4]))}{more})")
    if entity.types:
        parts.append(f"[{_short(' | '.join(entity.types))}]")
    if entity.n_seen:
        parts.append(f"x {entity.n_seen}")
    described = f", {_short(entity.descriptions[0][1])}" if entity.descriptions else ""
    return " ".join(parts) + described


def _short(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"
