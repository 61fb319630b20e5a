"""Parts of a model: frozen dataclasses whose `to_arrays` and `from_arrays` are made from their fields' annotations."""

from __future__ import annotations

import types
import typing
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from deixis.store.declared import (
    ArrayField,
    Arrays,
    Field,
    KindField,
    NestedField,
    OptionalField,
    SeriesField,
    Size,
    ValueField,
    WordsField,
)

GIVEN = object()
"""Marks a field that is not stored: `from_arrays` is given it by its name."""


def array(
    *,
    low: float | None = None,
    high: float | str | None = None,
    like: str | None = None,
    length: Size | None = None,
    rising: bool | Literal["or equal"] = False,
    indptr_of: str | None = None,
    ndim: int = 1,
    columns: int | None = None,
) -> ArrayField:
    """An array whose values are at least `low` and below `high`, as long as another field or a number says.

    `indptr_of` names what it cuts into rows; it is then one longer than `like` or `length` says. `columns` are those of
    a matrix. A size can be the name of a field or of an argument of `from_arrays`.
    """
    ndim = ndim if columns is None else 2
    return ArrayField(
        ndim=ndim, columns=columns, low=low, high=high, like=like, length=length, rising=rising, indptr_of=indptr_of
    )


def value(*, low: float | None = None, high: float | None = None, equals: Size | None = None) -> ValueField:
    """A number within `low` and `high`, both allowed, or a word; kept in the manifest, not in an array of one."""
    return ValueField(low=low, high=high, equals=equals)


def nested(part: type | None = None, *, like: Size | None = None, **needs: Any) -> NestedField:  # noqa: ANN401
    """A part whose `from_arrays` takes more: each a constant, or a word that names a field or something given.

    `part` is the class that reads it if that is not the field's own. `like` says how long it is, as for an array.
    """
    return NestedField(part, like, tuple(needs.items()))


def one_of(**kinds: Any) -> KindField:  # noqa: ANN401 - classes
    """A part of one of these classes, by the name of its kind."""
    return KindField(tuple((kind, NestedField(part)) for kind, part in kinds.items()))


@dataclass(frozen=True, eq=False)
class Part:
    """Base of frozen dataclasses that are stored as the arrays which their annotations declare.

    An array with nothing to check needs no more than its type; numbers and words go to the manifest; another part is
    stored under its field's name, one that may be None only if it is there, a tuple of them by their numbers.
    `check_parts` may be overridden for what no declaration says.

    Examples
    --------
    >>> @dataclass(frozen=True, eq=False)
    ... class Odds(Part):
    ...     keys: Annotated[NDArray[np.uint64], array(rising=True)]
    ...     odds: Annotated[NDArray[np.float32], array(low=-20, high=20, like="keys")]
    >>> arrays = Odds(np.array([3, 5], np.uint64), np.array([0.5, 21.0], np.float32)).to_arrays("seen")
    >>> sorted(arrays)
    ['seen.keys', 'seen.odds']
    >>> Odds.from_arrays(arrays, "seen")
    Traceback (most recent call last):
    deixis.errors.StoreError: The array 'seen.odds' must lie in [-20, 20), got 0.5..21.0. \
The model is damaged; run 'deixis doctor' or build it again.
    """

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Everything it holds as arrays under names that begin with `prefix`."""
        arrays: dict[str, NDArray[Any]] = {}
        for name, declared in declarations(type(self)).items():
            arrays |= declared.write(f"{prefix}.{name}", getattr(self, name))
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Arrays, prefix: str, **context: Any) -> Self:  # noqa: ANN401 - whatever it needs
        """What `to_arrays` gave, checked; arrays are used where they lie."""
        declared = declarations(cls)
        read: dict[str, Any] = {}
        for name, kind in declared.items():
            read[name] = kind.read(arrays, f"{prefix}.{name}", context | read)
        for name, kind in declared.items():
            kind.check(f"{prefix}.{name}", read[name], context | read)
        init_names = {each.name for each in fields(cls) if each.init}
        part = cls(**{name: each for name, each in (context | read).items() if name in init_names})
        part.check_parts(prefix)
        return part

    def check_parts(self, prefix: str) -> None:
        """Raises `StoreError` if what was read does not fit together in a way that no declaration says."""


_KNOWN: dict[type[Any], dict[str, Field]] = {}


def declarations(part: type[Any]) -> dict[str, Field]:
    """The stored fields of a part by name, in their order."""
    if part not in _KNOWN:
        hints = typing.get_type_hints(part, include_extras=True)
        stored = {each.name: _declared(hints[each.name]) for each in fields(part) if each.init}
        _KNOWN[part] = {name: declared for name, declared in stored.items() if declared is not None}
    return _KNOWN[part]


def _declared(hint: Any) -> Field | None:  # noqa: ANN401 - any annotation
    """How a field of this annotation is stored; None if it is not."""
    if typing.get_origin(hint) is Annotated:
        inner, *marks = typing.get_args(hint)
        if GIVEN in marks:
            return None
        return _of_type(inner, next((mark for mark in marks if isinstance(mark, _DECLARATIONS)), None))
    return _of_type(hint, None)


_DECLARATIONS = (ArrayField, ValueField, NestedField, KindField)


def _of_type(hint: Any, declared: Any) -> Field:  # noqa: ANN401 - any annotation
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType) and type(None) in arguments:
        others = [each for each in arguments if each is not type(None)]
        return OptionalField(declared if isinstance(declared, KindField) else _of_type(others[0], declared))
    if isinstance(declared, KindField) or (isinstance(declared, NestedField) and declared.part is not None):
        return declared
    if origin is tuple and arguments[-1] is Ellipsis:
        return WordsField() if arguments[0] is str else SeriesField(_of_type(arguments[0], declared))
    if origin is np.ndarray:
        dtype = np.dtype(typing.get_args(arguments[1])[0])
        return replace(declared or ArrayField(), dtype=dtype)
    if origin is Literal:
        return ValueField(str, choices=arguments)
    if hint in (int, float, str, bool):
        return replace(declared or ValueField(), type=hint)
    if hasattr(hint, "from_arrays"):
        return replace(declared or NestedField(), part=hint)
    raise TypeError(f"No way to store a field of type {hint!r}. Declare it with array, value, nested, one_of or GIVEN.")
