"""A few hundred records of a list at a time, and the entities they are."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from deixis.kb.entity_batch import EntityBatch
from deixis.kb.record_mapping import ParsedRecords, RecordMapping
from deixis.kb.records import BadRecord

Record = Mapping[str, Any] | BadRecord
_N_RECORDS = 256


@dataclass(frozen=True, slots=True)
class ListBatch:
    """Some records with their lines, the entities of those that are right, and by row what is wrong with the others."""

    lines: list[int]
    records: list[Any]
    entities: EntityBatch
    problems: dict[int, BadRecord]
    key_orders: list[tuple[str, ...]]
    """The keys of the records that are right, in each order they came in."""

    @classmethod
    def of(cls, lines: list[int], records: list[Any], mapping: RecordMapping | BadRecord) -> ListBatch:
        """The records as a mapping understands them; without one, the reason is a problem of every record."""
        problems: dict[int, BadRecord] = {}
        if any(issubclass(kind, BadRecord) for kind in set(map(type, records))):
            problems = {row: bad for row, bad in enumerate(records) if isinstance(bad, BadRecord)}
        rows = [row for row in range(len(records)) if row not in problems]
        if isinstance(mapping, BadRecord):
            parsed = ParsedRecords(EntityBatch([], []), dict.fromkeys(range(len(rows)), mapping), [])
        else:
            parsed = mapping.parse_batch([records[row] for row in rows] if problems else records)
        problems |= {rows[position]: problem for position, problem in parsed.problems.items()}
        return cls(lines, records, parsed.entities, dict(sorted(problems.items())), parsed.key_orders)

    @property
    def entity_lines(self) -> list[int]:
        """The line of each entity."""
        return (
            [line for row, line in enumerate(self.lines) if row not in self.problems] if self.problems else self.lines
        )


def in_batches(records: Iterator[tuple[int, Record]]) -> Iterator[tuple[list[int], list[Record]]]:
    """Lines and records, some at a time; those before an error come before it."""
    failure: Exception | None = None
    while failure is None:
        lines: list[int] = []
        records_read: list[Record] = []
        try:
            for line, record in itertools.islice(records, _N_RECORDS):
                lines.append(line)
                records_read.append(record)
        except Exception as error:  # raised again when the records before it are worked on
            failure = error
        if lines:
            yield lines, records_read
        elif failure is None:
            return
    raise failure
