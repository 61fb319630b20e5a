"""What linking says in every combination of its options, frozen: a change of structure must change none of it."""

import functools
import platform
from pathlib import Path

import pytest

from tests.golden import frozen, pipeline_cases
from tests.golden.pipeline_matrix import Case, cases

DATA = Path(__file__).parent / "data"
DIGITS = {"pipeline_links": 9, "pipeline_neural": 5, "pipeline_explanations": 7, "demo_arrays": 0}
"""The frozen files, and the digits of their numbers that must stay."""
IS_SAME_MACHINE = platform.machine() in ("x86_64", "AMD64")  # others round otherwise, and a checksum has no tolerance

CASES = {
    name: functools.partial(pipeline_cases.linked, case) for name, case in cases().items()
}  # name -> what makes the records of the cell
EXPLAINED = [
    Case("given", "rules"),
    Case("raw", "rules", "annotated"),
    Case("mixture", "learned"),
    Case("raw", "learned", "annotated"),
    Case("raw", "rules", "annotated", corrections="all", texts="corrected"),
    Case("given", "learned", "annotated", corrections="gold", texts="corrected"),
    Case("raw", "learned", "annotated", corrections="wrong", texts="corrected"),
    Case("raw", "learned", "annotated", corrections="not_an_entity", texts="corrected"),
    Case("raw", "learned", reader=True),
]
EXPLANATIONS = {case.name: functools.partial(pipeline_cases.explained, case) for case in EXPLAINED}
CONTENTS = ("descriptions", "contexts", "both")
VECTORS = {
    f"vectors, {contents}, {spans}": functools.partial(pipeline_cases.vectors_linked, contents, spans)
    for contents in CONTENTS
    for spans in ("given", "raw")
}
NEAREST = {
    f"vectors alone, {contents}": functools.partial(pipeline_cases.nearest_by_vectors, contents)
    for contents in CONTENTS
}
OTHERS = pipeline_cases.names_linked() | VECTORS | NEAREST | {"eval --json": pipeline_cases.evaluated}
NEURAL = {
    f"{part}, {spans}": functools.partial(pipeline_cases.neural_linked, part, spans)
    for part in ("reranker", "reader")
    for spans in ("given", "raw")
}
CELLS = {"pipeline_links": CASES | OTHERS, "pipeline_neural": NEURAL, "pipeline_explanations": EXPLANATIONS}


@pytest.fixture(scope="module", autouse=True)
def _models():
    yield
    pipeline_cases.forget()


@functools.cache
def frozen_cells(name, reason):
    """The cells of a frozen file, all of which are made anew if there is a reason to."""
    path = DATA / f"{name}.json"
    if reason is not None:
        records = {cell: make() for cell, make in CELLS[name].items()} if name in CELLS else arrays()
        frozen.write(path, reason, frozen.rounded(records, DIGITS[name]))
    return frozen.read(path)


@functools.cache
def arrays():
    return pipeline_cases.demo_arrays()


def assert_as_frozen(name, cell, reason):
    then = frozen_cells(name, reason)[cell]
    now = frozen.rounded(CELLS[name][cell](), DIGITS[name])
    assert now, "a cell without records shows nothing"
    differences = frozen.difference(now, then, 10.0 ** -DIGITS[name])
    assert not differences, f"{cell} is not as it was frozen:\n{differences}"


@pytest.mark.parametrize("cell", CASES)
def test_a_cell_is_linked_as_it_was(cell, golden_reason):
    assert_as_frozen("pipeline_links", cell, golden_reason)


@pytest.mark.parametrize("cell", OTHERS)
def test_names_vectors_and_figures_are_as_they_were(cell, golden_reason):
    assert_as_frozen("pipeline_links", cell, golden_reason)


@pytest.mark.parametrize("cell", EXPLANATIONS)
def test_every_mention_is_explained_as_it_was(cell, golden_reason):
    assert_as_frozen("pipeline_explanations", cell, golden_reason)


@pytest.mark.slow
@pytest.mark.parametrize("cell", NEURAL)
def test_a_real_reranker_and_a_real_reader_say_what_they_said(cell, golden_reason):
    pytest.importorskip("torch")
    assert_as_frozen("pipeline_neural", cell, golden_reason)


@pytest.mark.parametrize("name", CELLS)
def test_every_cell_is_frozen_and_no_frozen_cell_is_forgotten(name, golden_reason):
    if name == "pipeline_neural":
        pytest.importorskip("torch")
    assert set(frozen_cells(name, golden_reason)) == set(CELLS[name])


def test_a_saved_demo_model_has_the_arrays_that_it_had(golden_reason):
    then, now = frozen_cells("demo_arrays", golden_reason), arrays()
    assert list(now) == list(then)
    assert {name: array["dtype"] for name, array in now.items()} == {name: each["dtype"] for name, each in then.items()}
    others = [name for name in then if now[name] != then[name]]
    assert not IS_SAME_MACHINE or not others, f"other contents than when frozen: {others}"
