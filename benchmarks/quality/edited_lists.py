"""Lists before and after edits, and models built from them: what `quality.edits` and `speed.bench_edits` compare.

The entities that are held back or edited are the first of one seeded permutation: those of 1 % are among those of 5 %.
Models are built once and kept in `build/edits`.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.suites.data import DataFolder
from benchmarks.suites.suite import Suite, read_suite
from deixis.kb.edits import EntityEdits
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker

CACHE = Path("build/edits")
SUITE = "wiki468k-aida"
QUALITY = Path(__file__).resolve().parent
SEED = 0
WHOLE = "whole"


def suite_and_data(name: str = SUITE) -> tuple[Suite, DataFolder]:
    """The suite whose list is edited, and where its files are."""
    return read_suite(QUALITY / f"{name}.yaml"), DataFolder.choose(None, QUALITY.parents[1])


def chosen_rows(n_entities: int, percent: int, seed: int = SEED) -> NDArray[np.int64]:
    """The rows of the entities that are added, removed or edited.

    Examples
    --------
    >>> set(chosen_rows(1000, 1)) < set(chosen_rows(1000, 5)), len(chosen_rows(1000, 5))
    (True, 50)
    """
    n = n_entities * percent // 100
    rows: NDArray[np.int64] = np.sort(np.random.default_rng(seed).permutation(n_entities)[:n])
    return rows


def others(n_entities: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows of all other entities."""
    return np.setdiff1d(np.arange(n_entities), rows)


def added(kb: KnowledgeBase, rows: NDArray[np.int64]) -> EntityEdits:
    """Edits that add these entities, or give them the fields that they have in this list."""
    return EntityEdits.of(kb.take(rows).entities())


def removed(kb: KnowledgeBase, rows: NDArray[np.int64]) -> EntityEdits:
    """Edits that remove these entities."""
    return EntityEdits.of(removed=kb.take(rows).ids)


def with_titles_only(kb: KnowledgeBase, rows: NDArray[np.int64]) -> KnowledgeBase:
    """The list in which these entities have neither aliases nor descriptions yet."""
    bare = set(rows.tolist())
    records = []
    for row, entity in enumerate(kb.entities()):
        record = entity.to_record()
        records.append(record | {"aliases": [], "description": "", "descriptions": {}} if row in bare else record)
    return KnowledgeBase.from_records(records)


def model_folder(kb: KnowledgeBase, name: str, suite: str = SUITE, cache: Path = CACHE) -> Path:
    """The model of a list: `whole`, `without-5` (5 % of it held back) or `titles-5` (5 % with their titles only)."""
    folder = cache / suite / name
    if folder.exists():
        return folder
    how, _, percent = name.partition("-")
    edited = kb
    if how == "without":
        edited = kb.take(others(len(kb), chosen_rows(len(kb), int(percent))))
    elif how == "titles":
        edited = with_titles_only(kb, chosen_rows(len(kb), int(percent)))
    folder.parent.mkdir(parents=True, exist_ok=True)
    Linker.build(edited, n_threads=1).save(folder)
    return folder


def model_of(kb: KnowledgeBase, name: str, suite: str = SUITE, cache: Path = CACHE) -> Linker:
    """The same, loaded."""
    return Linker.load(model_folder(kb, name, suite, cache), n_threads=1)
