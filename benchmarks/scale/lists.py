"""Lists of any size made of real names and descriptions: what `scale.build_curve` builds models from.

The first entities are those of wiki468k in a seeded order, so that a smaller list is the beginning of a larger one.
Beyond them names are real but descriptions are borrowed: first the names of geonames, then those of fast1m, and when
these are used up, names whose first half is that of one title and whose second half that of another. Each has the
description of some entity of wiki468k, in which its title stands in place of the other's.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.suites.data import DataFolder

SEED = 0
Record = dict[str, Any]
FIRST = "wiki468k/kb.jsonl.gz"
FURTHER = ("geonames/kb.jsonl.gz", "fast1m/kb.jsonl.gz")
MAX_ALIASES = 4  # of a place: some have hundreds, which no other list has


def write_list(path: Path, n_entities: int, data: DataFolder) -> Path:
    """The list of so many entities as JSON lines; one that is there is kept."""
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    with partial.open("w", encoding="utf-8") as opened:
        for record in entities(n_entities, data):
            opened.write(json.dumps(record, ensure_ascii=False) + "\n")
    partial.replace(path)
    return path


def entities(n_entities: int, data: DataFolder) -> Iterator[Record]:
    """So many entities: the same first ones whatever their number."""
    first = read_records(data.find(FIRST))
    rng = np.random.default_rng(SEED)
    first = [first[row] for row in rng.permutation(len(first)).tolist()]
    yield from first[:n_entities]
    n_left = n_entities - len(first)
    if n_left <= 0:
        return
    real = [record for name in FURTHER for record in read_records(data.find(name))]
    described = [record for record in first if record.get("description")]
    for number, (title, aliases) in enumerate(names(real, rng)):
        if number == n_left:
            return
        description = borrowed(described[int(rng.integers(len(described)))], title)
        yield {"id": f"x{number}", "title": title, "aliases": aliases, "description": description}


def names(real: list[Record], rng: np.random.Generator) -> Iterator[tuple[str, list[str]]]:
    """Titles with their aliases: first those of the records, then recombined ones without end."""
    for record in real:
        aliases = [each if isinstance(each, str) else each["text"] for each in record.get("aliases") or ()]
        yield record["title"], aliases[:MAX_ALIASES]
    while True:
        one, other = rng.integers(len(real), size=2).tolist()
        yield recombined(real[one]["title"], real[other]["title"]), []


def recombined(one: str, other: str) -> str:
    """The first half of one name's words and the second half of the other's.

    Examples
    --------
    >>> recombined("New York City", "Lake Garda")
    'New York Garda'
    """
    first, second = one.split(), other.split()
    return " ".join(first[: (len(first) + 1) // 2] + second[len(second) // 2 :])


def borrowed(record: Record, title: str) -> str:
    """An entity's description, of which the title is another.

    Examples
    --------
    >>> borrowed({"title": "Paris", "description": "Paris is a city."}, "Troy")
    'Troy is a city.'
    """
    description: str = record["description"]
    return description.replace(record["title"], title)


def read_records(path: Path) -> list[Record]:
    """The records of a compressed list."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
