"""How one field of a `Part` is stored, checked and read back: an array, a value, another part, several of them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from deixis.errors import StoreError
from deixis.store.checks import (
    check_indptr,
    check_length,
    check_range,
    check_rising,
    require,
    require_narrow,
    require_value,
)
from deixis.store.strings import StringTable

Arrays = Mapping[str, NDArray[Any]]
Known = Mapping[str, Any]
"""What is known while a part is read: what the caller gave, and the fields that were read before."""
Size = int | str
"""A number, or the name of a field or of something given: a number itself, or whatever has a length."""


class Field(Protocol):
    """One kind of field: to arrays under a name, and back."""

    def write(self, name: str, value: Any) -> dict[str, NDArray[Any]]:  # noqa: ANN401 - of any type
        """The arrays that hold the value."""

    def read(self, arrays: Arrays, name: str, known: Known) -> Any:  # noqa: ANN401 - of any type
        """The value that `write` was given; what does not fit its declaration is a `StoreError`."""

    def check(self, name: str, value: Any, known: Known) -> None:  # noqa: ANN401 - of any type
        """Refuses a value that does not fit the other fields, all of which are known by now."""


@dataclass(frozen=True, slots=True)
class ArrayField:
    """An array of numbers: what each may be, and how many there are."""

    dtype: np.dtype[Any] = np.dtype(np.float64)
    ndim: int = 1
    columns: int | None = None
    low: float | None = None
    high: float | str | None = None
    like: str | None = None
    length: Size | None = None
    rising: bool | Literal["or equal"] = False
    indptr_of: str | None = None

    def write(self, name: str, value: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """The array itself; truth values as bytes."""
        return {name: value.astype(np.uint8) if self.dtype == np.bool_ else value}

    def read(self, arrays: Arrays, name: str, known: Known) -> NDArray[Any]:
        """The array, of the declared type and number of dimensions."""
        if self.dtype == np.bool_:
            is_true: NDArray[np.bool_] = require(arrays, name, np.uint8, self.ndim) != 0
            return is_true
        if self.dtype == np.uint32:
            return require_narrow(arrays, name, self.ndim)
        return require(arrays, name, self.dtype, self.ndim)

    def check(self, name: str, value: NDArray[Any], known: Known) -> None:
        """Length, range and order."""
        length = self.like if self.length is None else self.length
        if length is not None:
            check_length(name, value, size(length, known) + (self.indptr_of is not None))
        if self.columns is not None and value.shape[1] != self.columns:
            raise StoreError(
                f"The array {name!r} has {value.shape[1]} columns where {self.columns} are expected. The model is "
                "damaged; run 'deixis doctor' or build it again."
            )
        if self.indptr_of is not None:
            check_indptr(name, value, size(self.indptr_of, known))
        if self.low is not None or self.high is not None:
            high = size(self.high, known) if isinstance(self.high, str) else self.high
            check_range(name, value, -np.inf if self.low is None else self.low, np.inf if high is None else high)
        if self.rising:
            check_rising(name, value, may_be_equal=self.rising == "or equal")


@dataclass(frozen=True, slots=True)
class ValueField:
    """A number, a word or a truth value, kept in the manifest; as an array it has no dimensions."""

    type: type = float
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    equals: Size | None = None

    def write(self, name: str, value: float | str) -> dict[str, NDArray[Any]]:
        """An array without dimensions."""
        return {name: np.array(self.type(value))}

    def read(self, arrays: Arrays, name: str, known: Known) -> float | str:
        """The value, of the declared type and within its range."""
        value: float | str = require_value(arrays, name, self.type, self.low, self.high)
        if self.choices and value not in self.choices:
            raise _damaged(name, f"is {value!r}; it must be one of {', '.join(self.choices)}")
        return value

    def check(self, name: str, value: float | str, known: Known) -> None:
        """That it is the number which something else has."""
        if self.equals is not None and value != size(self.equals, known):
            raise _damaged(name, f"is {value}, but {self.equals} is {size(self.equals, known)}")


@dataclass(frozen=True, slots=True)
class NestedField:
    """Another part, or any class with `to_arrays` and `from_arrays`; `needs` is what the latter takes besides."""

    part: Any = None
    like: Size | None = None
    needs: tuple[tuple[str, Any], ...] = ()

    def write(self, name: str, value: Any) -> dict[str, NDArray[Any]]:  # noqa: ANN401 - a part
        """Its arrays under names that begin with `name`."""
        arrays: dict[str, NDArray[Any]] = value.to_arrays(name)
        return arrays

    def read(self, arrays: Arrays, name: str, known: Known) -> Any:  # noqa: ANN401 - a part
        """The part, given what it is declared to need."""
        needed = {key: known[each] if isinstance(each, str) else each for key, each in self.needs}
        return self.part.from_arrays(arrays, name, **needed)

    def check(self, name: str, value: Any, known: Known) -> None:  # noqa: ANN401 - a part
        """Its length; a part checks everything else itself."""
        if self.like is not None:
            check_length(name, value, size(self.like, known))


@dataclass(frozen=True, slots=True)
class WordsField:
    """A tuple of words."""

    def write(self, name: str, value: tuple[str, ...]) -> dict[str, NDArray[Any]]:
        """The two arrays of a string table."""
        return StringTable.from_strings(value).to_arrays(name)

    def read(self, arrays: Arrays, name: str, known: Known) -> tuple[str, ...]:
        """The words."""
        return tuple(StringTable.from_arrays(arrays, name))

    def check(self, name: str, value: tuple[str, ...], known: Known) -> None:
        """Nothing."""


@dataclass(frozen=True, slots=True)
class OptionalField:
    """Something that may be missing."""

    inner: Field

    def write(self, name: str, value: Any) -> dict[str, NDArray[Any]]:  # noqa: ANN401 - of any type
        """Nothing for None."""
        return {} if value is None else self.inner.write(name, value)

    def read(self, arrays: Arrays, name: str, known: Known) -> Any:  # noqa: ANN401 - of any type
        """None if no array has the name or begins with it."""
        return self.inner.read(arrays, name, known) if is_stored(arrays, name) else None

    def check(self, name: str, value: Any, known: Known) -> None:  # noqa: ANN401 - of any type
        """What there is is checked as if it could not be missing."""
        if value is not None:
            self.inner.check(name, value, known)


@dataclass(frozen=True, slots=True)
class SeriesField:
    """A tuple of arrays or parts, stored under their numbers."""

    inner: Field

    def write(self, name: str, value: tuple[Any, ...]) -> dict[str, NDArray[Any]]:
        """Each under its number."""
        arrays: dict[str, NDArray[Any]] = {}
        for number, each in enumerate(value):
            arrays |= self.inner.write(f"{name}.{number}", each)
        return arrays

    def read(self, arrays: Arrays, name: str, known: Known) -> tuple[Any, ...]:
        """As many as there are, from 0 up."""
        return tuple(self.inner.read(arrays, f"{name}.{number}", known) for number in range(n_stored(arrays, name)))

    def check(self, name: str, value: tuple[Any, ...], known: Known) -> None:
        """Each of them."""
        for number, each in enumerate(value):
            self.inner.check(f"{name}.{number}", each, known)


@dataclass(frozen=True, slots=True)
class KindField:
    """One of several classes of parts, by the name of its kind."""

    kinds: tuple[tuple[str, NestedField], ...]

    def write(self, name: str, value: Any) -> dict[str, NDArray[Any]]:  # noqa: ANN401 - a part
        """Its arrays and its kind."""
        for kind, inner in self.kinds:
            if isinstance(value, inner.part):
                return inner.write(name, value) | {f"{name}.kind": np.array(kind)}
        raise StoreError(f"A {type(value).__name__} cannot be stored as {name!r}; only {', '.join(dict(self.kinds))}.")

    def read(self, arrays: Arrays, name: str, known: Known) -> Any:  # noqa: ANN401 - a part
        """The part, by the class of its kind."""
        kind = ValueField(str, choices=tuple(dict(self.kinds))).read(arrays, f"{name}.kind", known)
        return dict(self.kinds)[str(kind)].read(arrays, name, known)

    def check(self, name: str, value: Any, known: Known) -> None:  # noqa: ANN401 - a part
        """Nothing: a part checks itself."""


def size(declared: Size, known: Known) -> int:
    """The number that a declaration means."""
    value = known[declared] if isinstance(declared, str) else declared
    return int(value) if isinstance(value, (int, np.integer)) else len(value)


def is_stored(arrays: Arrays, name: str) -> bool:
    """Whether there is an array of that name, or one that belongs to a part of that name."""
    return name in arrays or any(each.startswith(f"{name}.") for each in arrays)


def n_stored(arrays: Arrays, name: str) -> int:
    """How many arrays or parts are stored under the name's numbers, from 0 up.

    Examples
    --------
    >>> n_stored(dict.fromkeys(["tree.0.sizes", "tree.1.sizes", "tree.3.sizes"], np.zeros(1)), "tree")
    2
    """
    start = f"{name}."
    stored = {each.removeprefix(start).partition(".")[0] for each in arrays if each.startswith(start)}
    return next(number for number in itertools.count() if str(number) not in stored)


def _damaged(name: str, problem: str) -> StoreError:
    return StoreError(f"The value {name!r} {problem}. The model is damaged; run 'deixis doctor' or build it again.")
