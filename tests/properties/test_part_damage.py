"""Every part that is stored by declaration: whatever becomes of its arrays, it is opened or refused as damaged."""

from __future__ import annotations

import ast
import importlib
import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import deixis
from deixis.candidates.sources.name_vectors import NameLanguages
from deixis.documents.reading import read_documents
from deixis.errors import StoreError
from deixis.kb.demo import demo_sentences_path, read_demo
from deixis.kb.edits import EntityEdits
from deixis.labelling.labeller import Labeller
from deixis.linker import Linker
from deixis.linking.model import Reader, TrainedReranker
from deixis.store.lazy_part import LazyPart
from deixis.store.part import Part
from deixis.training.kept_build import keeping_parts
from deixis.xmr.bag_encoder import BagEncoder
from deixis.xmr.cluster_graph import ClusterGraph
from deixis.xmr.learned_index import LearnedIndex, LearnedRanker
from deixis.xmr.one_vs_all import OneVsAllRanker
from deixis.xmr.score_tree import ScoreTree

SOURCES = Path(deixis.__file__).parent
ARCHIVES = Path(__file__).parents[1] / "data" / "format_1"
N_FLIPS = 12
EXTREMES: list[Any] = [0, -1, 2**31, 2**62, -(2**62), 0.5, -0.5, 1e300, "", "tree", True]

Sample = tuple[dict[str, np.ndarray], dict[str, Any]]
"""The arrays of a part under the prefix `part`, and what else its `from_arrays` is given."""


def part_classes() -> list[type[Part]]:
    """All classes of parts, found in the source; only their own modules are imported."""
    found = []
    for path in sorted(SOURCES.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if "deixis.store.part import" not in source and "(EntityColumns)" not in source:
            continue
        module = importlib.import_module(".".join(["deixis", *path.relative_to(SOURCES).with_suffix("").parts]))
        names = [node.name for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
        classes = (getattr(module, name) for name in names)
        found += [each for each in classes if isinstance(each, type) and issubclass(each, Part) and each is not Part]
    return [each for each in found if not each.__subclasses__()]


PARTS = part_classes()


@cache
def samples() -> dict[type[Part], Sample]:
    """One sample of each part: those of saved models as they are opened, the others made by hand."""
    opened: dict[type[Part], Sample] = {}
    plain = Part.from_arrays.__func__

    def noting(cls: type[Part], arrays: Any, prefix: str, **given: Any) -> Part:  # noqa: ANN401 - any part
        part = plain(cls, arrays, prefix, **given)
        opened.setdefault(cls, (part.to_arrays("part"), given))
        return part

    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(Part, "from_arrays", classmethod(noting))
        for name, kind in (("linker", Linker), ("labeller", Labeller)):
            with tarfile.open(ARCHIVES / f"{name}.tar.xz") as archive:
                archive.extractall(Path(folder) / name, filter="data")
            kind.load(Path(folder) / name / "model", n_threads=1)
        # Parts that the archive is too old to have.
        Linker.build(read_demo(), list(read_documents(demo_sentences_path())), n_threads=1).save(Path(folder) / "new")
        Linker.load(Path(folder) / "new", n_threads=1)
        # Parts that only a build keeps.
        with keeping_parts(Path(folder) / "kept", lambda: "1", read_demo, always=True) as kb:
            Linker.build(kb, n_threads=1)
    return opened | {type(part): (part.to_arrays("part"), given) for part, given in _made_by_hand()}


def _made_by_hand() -> Iterator[tuple[Part, dict[str, Any]]]:
    rng = np.random.default_rng(0)
    bag = BagEncoder(*(rng.random(shape, np.float32) for shape in ((6, 4), (4,), (4, 4), (4,))), 2.0)
    graph = ClusterGraph(np.array([0, 2, 3]), np.array([0, 1, 2], np.int32), np.full(3, 0.5, np.float32), 1.5, 3)
    rows = np.arange(3, dtype=np.int32)
    index = LearnedIndex(rng.random((2, 5), np.float32), graph, rng.random((3, 5), np.float32), rows, 3)
    yield from ((part, {}) for part in (bag, graph, index, LearnedRanker(bag, index)))
    yield OneVsAllRanker(bag, rng.random((3, 5), np.float32)), {}
    leaf, number = np.array([1, -1, -1], np.int32), np.array([0.2, 0.1, 0.5])
    yield ScoreTree(leaf, np.array([2, -1, -1], np.int32), np.zeros(3, np.int32), number, number), {}
    yield EntityEdits.of([{"id": "x", "title": "X"}, {"id": "y", "title": "Y"}], removed=["z"]), {}
    yield NameLanguages.of(["", "pt-BR", "de", "pt"]), {"n_names": 4}
    lazy = LazyPart({"x.y": np.ones(3)}, "x", lambda arrays, prefix: None)
    yield TrainedReranker(lazy), {"open_reranker": lambda arrays, prefix: None}
    yield Reader(lazy, np.zeros(6)), {"open_reader": lambda arrays, prefix: None}


def is_opened(part: type[Part], arrays: dict[str, np.ndarray], given: dict[str, Any]) -> bool:
    """Whether the part was taken; anything but a part or a StoreError fails the test."""
    try:
        return isinstance(part.from_arrays(arrays, "part", **given), part)
    except StoreError:
        return False


def test_there_is_a_sample_of_every_part() -> None:
    assert [part.__name__ for part in PARTS if part not in samples()] == []
    assert len(PARTS) > 20


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_a_part_that_is_stored_comes_back(part: type[Part]) -> None:
    arrays, given = samples()[part]
    once = part.from_arrays(arrays, "part", **given).to_arrays("part")
    twice = part.from_arrays(once, "part", **given).to_arrays("part")
    first, second = ({name: array.tobytes() for name, array in each.items()} for each in (once, twice))
    assert first == second and once.keys() == arrays.keys()


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_a_part_that_lacks_an_array_or_has_one_of_another_type_is_refused_or_opened(part: type[Part]) -> None:
    arrays, given = samples()[part]
    for name, array in arrays.items():
        is_opened(part, {key: each for key, each in arrays.items() if key != name}, given)
        for damaged in (array.astype(np.complex64) if array.dtype.kind != "U" else np.array(3), array.reshape(-1, 1)):
            assert not is_opened(part, arrays | {name: damaged}, given) or issubclass(part, (TrainedReranker, Reader))


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_any_bit_of_a_part_may_flip(part: type[Part]) -> None:
    arrays, given = samples()[part]
    rng = np.random.default_rng(0)
    for name, array in arrays.items():
        if array.ndim == 0:
            for extreme in EXTREMES:
                is_opened(part, arrays | {name: np.array(extreme)}, given)
            continue
        for damaged in (array[:-1], array[:0], np.concatenate([array, array[-1:]])):
            is_opened(part, arrays | {name: damaged}, given)
        for _ in range(N_FLIPS if array.size else 0):
            damaged = array.copy()
            flat = damaged.reshape(-1).view(np.uint8)
            flat[rng.integers(len(flat))] ^= np.uint8(1 << rng.integers(8))
            is_opened(part, arrays | {name: damaged}, given)
