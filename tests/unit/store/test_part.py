"""Parts: what is declared is stored, checked and read back."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from deixis.errors import StoreError
from deixis.store.part import GIVEN, Part, array, nested, one_of, value
from deixis.store.strings import StringTable


@dataclass(frozen=True, eq=False)
class Odds(Part):
    keys: Annotated[NDArray[np.uint64], array(rising=True)]
    values: Annotated[NDArray[np.float32], array(low=-20, high=20, like="keys")]


@dataclass(frozen=True, eq=False)
class Rows(Part):
    """Rows of items, for each of some entities that are given."""

    indptr: Annotated[NDArray[np.int64], array(indptr_of="items", length="n_entities")]
    items: Annotated[NDArray[np.int32], array(low=0, high="words")]
    words: tuple[str, ...]
    facts: Annotated[NDArray[np.float16], array(columns=2, length="n_entities")]


@dataclass(frozen=True, eq=False)
class Model(Part):
    names: Annotated[StringTable, nested(like="is_exact")]
    rows: Annotated[Rows, nested(n_entities="n_entities")]
    scorer: Annotated[object, one_of(odds=Odds)]
    n_entities: Annotated[int, value(low=1, equals="is_exact")]
    is_exact: NDArray[np.bool_]
    n_threads: Annotated[int, GIVEN] = 0
    method: Literal["exact", "near"] = "exact"
    scale: Annotated[float, value(low=0, high=2)] = 1.0
    threshold: Annotated[float | None, value(low=0, high=1)] = None
    further: Odds | None = None
    levels: tuple[NDArray[np.int64], ...] = field(default=())


ODDS = Odds(np.array([3, 5], np.uint64), np.array([0.5, -1], np.float32))
ROWS = Rows(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), ("a", "ä"), np.zeros((2, 2), np.float16))
MODEL = Model(
    StringTable.from_strings(["Paris", "Troy"]), ROWS, ODDS, 2, np.array([True, False]), 4, "near", 0.5, None, ODDS,
    (np.arange(2), np.arange(3)),
)  # fmt: skip


def opened(**changes):
    """The model from its arrays, some of them changed; None takes one away."""
    arrays = MODEL.to_arrays("m") | {f"m.{name.replace('__', '.')}": each for name, each in changes.items()}
    given = {"n_threads": 4, "n_entities": 2}
    return Model.from_arrays({name: each for name, each in arrays.items() if each is not None}, "m", **given)


def test_what_is_stored_comes_back():
    again = opened()
    assert (again.n_entities, again.method, again.scale, again.threshold, again.n_threads) == (2, "near", 0.5, None, 4)
    assert list(again.names) == ["Paris", "Troy"] and again.rows.words == ("a", "ä")
    assert again.is_exact.dtype == bool and again.is_exact.tolist() == [True, False]
    assert [level.tolist() for level in again.levels] == [[0, 1], [0, 1, 2]]
    assert again.further.values.tolist() == [0.5, -1] and isinstance(again.scorer, Odds)
    assert sorted(again.to_arrays("m")) == sorted(MODEL.to_arrays("m"))


def test_numbers_and_words_are_values_and_what_is_given_is_not_stored():
    arrays = MODEL.to_arrays("m")
    values = {name: array.item() for name, array in arrays.items() if array.ndim == 0}
    assert values == {"m.method": "near", "m.n_entities": 2, "m.scale": 0.5, "m.scorer.kind": "odds"}
    assert not [name for name in arrays if "n_threads" in name or "threshold" in name]


def test_what_may_be_missing_may_be_missing():
    again = opened(further__keys=None, further__values=None, levels__0=None, levels__1=None)
    assert again.further is None and again.levels == ()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scorer__keys": np.array([5, 3], np.uint64)}, r"'m\.scorer\.keys' must rise"),
        ({"scorer__values": np.array([1, 20], np.float32)}, r"'m\.scorer\.values' must lie in \[-20, 20\), got 1\.0"),
        ({"scorer__values": np.zeros(3, np.float32)}, r"'m\.scorer\.values' has 3 rows where 2 are expected"),
        ({"scorer__keys": np.array([3, 5])}, r"'m\.scorer\.keys' must be uint64 .* got int64"),
        ({"scorer__keys": None}, r"no array 'm\.scorer\.keys'"),
        ({"scorer__kind": np.array("tree")}, r"'m\.scorer\.kind' is 'tree'; it must be one of odds"),
        ({"rows__indptr": np.array([0, 1, 2])}, r"'m\.rows\.indptr' must run from 0 to 3, got 0\.\.2"),
        ({"rows__indptr": np.array([0, 3])}, r"'m\.rows\.indptr' has 2 rows where 3 are expected"),
        ({"rows__items": np.array([0, 1, 2], np.int32)}, r"'m\.rows\.items' must lie in \[0, 2\)"),
        ({"rows__facts": np.zeros((2, 3), np.float16)}, r"'m\.rows\.facts' has 3 columns where 2 are expected"),
        ({"n_entities": np.array(3)}, r"'m\.n_entities' is 3, but is_exact is 2"),
        ({"n_entities": None}, r"no value 'm\.n_entities'"),
        ({"n_entities": np.array([2])}, r"'m\.n_entities' must be of type int, got ndarray"),
        ({"method": np.array("far")}, r"'m\.method' is 'far'; it must be one of exact, near"),
        ({"scale": np.array(2.5)}, r"'m\.scale' must lie in 0\.\.2, got 2\.5"),
        ({"threshold": np.array("high")}, r"'m\.threshold' must be of type float, got str"),
        ({"names__data": np.zeros(3, np.uint8)}, r"'m\.names\.offsets' must run from 0 to 3"),
    ],
)
def test_what_does_not_fit_is_named_with_what_is_allowed_and_a_way_out(changes, message):
    with pytest.raises(StoreError, match=message) as caught:
        opened(**changes)
    assert "build it again" in str(caught.value)


def test_a_class_that_is_no_kind_cannot_be_stored():
    with pytest.raises(StoreError, match="A StringTable cannot be stored as 'm.scorer'; only odds"):
        Model(MODEL.names, ROWS, MODEL.names, 2, MODEL.is_exact).to_arrays("m")


def test_a_field_that_nobody_can_store_is_an_error_of_the_programmer():
    @dataclass(frozen=True, eq=False)
    class Odd(Part):
        when: Annotated[complex, "never"]

    with pytest.raises(TypeError, match="No way to store a field of type .*complex"):
        Odd(1j).to_arrays("m")


def test_what_no_declaration_says_is_checked_by_the_part_itself():
    @dataclass(frozen=True, eq=False)
    class Even(Part):
        rows: NDArray[np.int64]

        def check_parts(self, prefix):
            if len(self.rows) % 2:
                raise StoreError(f"{prefix}.rows is odd; build it again.")

    assert len(Even.from_arrays({"e.rows": np.arange(4)}, "e").rows) == 4
    with pytest.raises(StoreError, match=r"e\.rows is odd"):
        Even.from_arrays({"e.rows": np.arange(3)}, "e")
