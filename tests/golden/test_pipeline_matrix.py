"""What linking says in every combination of its options, frozen: a change of structure must change none of it."""

import functools
import platform
from pathlib import Path

import pytest

from tests.golden import frozen, pipeline_cases
from tests.golden.pipeline_matrix import Case, cases

DATA = Path(__file__).parent / "data"
EXACT, NEURAL = 1e-9, 1e-5  # how far scores may be from the frozen ones
EXPLAINED = 1e-7
CASES = cases()
TO_EXPLAIN = [
    Case("given", "rules"), Case("raw", "rules", "annotated"), Case("mixture", "learned"),
    Case("raw", "learned", "annotated"), Case("raw", "rules", "annotated", "all", "corrected"),
    Case("given", "learned", "annotated", "gold", "corrected"), Case("raw", "learned", "annotated", "wrong", "corrected"),
    Case("raw", "learned", "annotated", "not_an_entity", "corrected"), Case("raw", "learned", reader=True),
]  # fmt: skip
CONTENTS = ("descriptions", "contexts", "both")
VECTORS = {
    f"vectors, {contents}, {spans}": functools.partial(pipeline_cases.vectors_linked, contents, spans)
    for contents in CONTENTS
    for spans in ("given", "raw")
} | {
    f"vectors alone, {contents}": functools.partial(pipeline_cases.nearest_by_vectors, contents)
    for contents in CONTENTS
}
OTHERS = pipeline_cases.names_linked() | VECTORS
NEURAL_PARTS = [(part, spans) for part in ("reranker", "reader") for spans in ("given", "raw")]


@functools.cache
def frozen_cells(name, reason):
    """The cells of a frozen file, which is made anew if there is a reason to."""
    path = DATA / f"{name}.json"
    if reason is not None:
        frozen.write(path, reason, MAKERS[name]())
    return frozen.read(path)


def links():
    found = {name: pipeline_cases.linked(case) for name, case in CASES.items()}
    return frozen.rounded(found | {name: make() for name, make in OTHERS.items()}, 9)


def explanations():
    return frozen.rounded({case.name: pipeline_cases.explained(case) for case in TO_EXPLAIN}, 7)


MAKERS = {"pipeline_links": links, "pipeline_explanations": explanations}


def assert_same(now, then, tolerance):
    differences = frozen.difference(now, then, tolerance)
    assert not differences, f"not as frozen:\n{differences}"


@pytest.mark.parametrize("name", CASES)
def test_a_cell_is_linked_as_it_was(name, golden_reason):
    now = frozen.rounded(pipeline_cases.linked(CASES[name]), 9)
    assert_same(now, frozen_cells("pipeline_links", golden_reason)[name], EXACT)


@pytest.mark.parametrize("name", OTHERS)
def test_names_and_vectors_are_linked_as_they_were(name, golden_reason):
    now = frozen.rounded(OTHERS[name](), 9)
    assert_same(now, frozen_cells("pipeline_links", golden_reason)[name], EXACT)


def test_no_frozen_cell_is_forgotten(golden_reason):
    assert set(frozen_cells("pipeline_links", golden_reason)) == {*CASES, *OTHERS}
    assert set(frozen_cells("pipeline_explanations", golden_reason)) == {case.name for case in TO_EXPLAIN}


@pytest.mark.parametrize("case", TO_EXPLAIN, ids=lambda case: case.name)
def test_a_mention_is_explained_as_it_was(case, golden_reason):
    now = frozen.rounded(pipeline_cases.explained(case), 7)
    assert now
    assert_same(now, frozen_cells("pipeline_explanations", golden_reason)[case.name], EXPLAINED)
