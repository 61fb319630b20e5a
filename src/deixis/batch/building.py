"""A model built by several processes: the parts of its build as tasks, whoever does them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from deixis.batch.run import Runner
from deixis.candidates.annotated import annotated_documents
from deixis.config import config_from_dict, config_to_dict
from deixis.documents.reading import read_documents
from deixis.documents.writing import write_documents
from deixis.errors import StoreError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.config import LinkerConfig
from deixis.processes.pool import Failed, Pool
from deixis.progress import steps
from deixis.store.build_folder import BuildFolder, build_folder, building_in, stored_part
from deixis.training.build import HELD_OUT, held_out
from deixis.training.build_parts import N_WAVES, BuildParts
from deixis.training.kept_build import LIST
from deixis.types import Document


@dataclass(frozen=True)
class PartBuilder:
    """What a process does with tasks: makes the part that a task names, in the folder of the build."""

    path: str
    digest: str
    config: LinkerConfig
    seed: int
    _opened: dict[str, BuildParts] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_json(cls, argument: dict[str, Any]) -> PartBuilder:
        """The builder of a JSON value, as `build_parts` sends it."""
        config = config_from_dict(LinkerConfig, json.loads(argument["config"]))
        return cls(argument["path"], argument["digest"], config, argument["seed"])

    def __call__(self, task: dict[str, Any], advance: Callable[[int], None]) -> dict[str, Any]:
        """Makes the part; it is in the folder then."""
        prefix, documents = task["prefix"], task["documents"]
        with building_in(BuildFolder(Path(self.path), self.digest, prefix)):
            self.parts(documents).make(task["part"])
        advance(1)
        return {}

    def parts(self, documents: str) -> BuildParts:
        """The parts of the model of the list and of the documents of a file, if there are any."""
        if documents not in self._opened:
            with building_in(BuildFolder(Path(self.path), self.digest)):
                kb = stored_part(_not_there, LIST, KnowledgeBase)
            annotated = list(read_documents(documents)) if documents else []
            self._opened[documents] = BuildParts(kb, annotated, self.config, self.seed)
        return self._opened[documents]


def _not_there() -> KnowledgeBase:
    raise StoreError("The list of the build is not in its folder. Build again without --resume.")


def build_parts(
    kb: KnowledgeBase,
    documents: Sequence[Document] | None,
    config: LinkerConfig,
    *,
    seed: int = 0,
    n_workers: int = 2,
    runner: Runner | None = None,
) -> None:
    """Makes the parts of a build within `keeping_parts` by several processes; `Linker.build` then finds them there.

    `runner` does the tasks in place of processes of this machine; all its processes must see the folder of the build.
    """
    folder = build_folder()
    if folder is None:
        raise StoreError("Only a build that keeps its parts can be shared by processes; begin it with keeping_parts.")
    if documents is not None:
        documents = annotated_documents(documents)
    models: list[tuple[str, Sequence[Document] | None]] = [("", documents)]
    if documents is not None and held_out(kb, documents, config, seed)[1]:
        models.insert(0, (HELD_OUT, held_out(kb, documents, config, seed)[0]))
    argument = {
        "path": str(folder.path), "digest": folder.digest, "config": json.dumps(config_to_dict(config)), "seed": seed,
    }  # fmt: skip
    builder = PartBuilder.from_json(argument)
    files = {
        prefix: "" if own is None else _written(folder.path / f".{prefix}documents.jsonl", own)
        for prefix, own in models
    }
    function = f"{__name__}:{PartBuilder.__name__}.from_json"
    for number in range(N_WAVES):
        tasks = []
        for prefix, path in files.items():
            with building_in(BuildFolder(folder.path, folder.digest, prefix)):
                names = builder.parts(path).wave(number)
            tasks += [(name, {"prefix": prefix, "documents": path, "part": name}) for name in names]
        with steps(f"building parts, wave {number + 1} of {N_WAVES}", len(tasks)) as advance:
            pool, progress = runner or Pool(n_workers), partial(_advanced, advance)
            with closing(pool.run(function, argument, tasks, progress)) as outcomes:
                for name, outcome in outcomes:
                    if isinstance(outcome, Failed):
                        raise StoreError(f"The part {name!r} of the model could not be built: {outcome.reason}")


def _advanced(advance: Callable[[int, str], None], n: int) -> None:
    advance(n, "")


def _written(path: Path, documents: Sequence[Document]) -> str:
    with path.open("w", encoding="utf-8") as stream:
        write_documents(documents, stream)
    return str(path)
