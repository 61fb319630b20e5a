"""Options of requests, generated from the fields of `LinkOptions`."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection
from dataclasses import Field as DataclassField
from dataclasses import fields
from typing import Annotated, Any, TypeVar, get_type_hints

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, create_model, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from deixis.decision.type_thresholds import TypeThresholds
from deixis.documents.spans import without_surrogates
from deixis.errors import ConfigError
from deixis.linking.options import LinkOptions

MAX_TOP_K = 1000
ONLY_SHOWN = frozenset({"top_k"})
"""Options that change no decision; explanations do not take them."""
DEPRECATED = {"subset": "ids", "read": "reader"}
"""Former option names -> current names. The former names are accepted for one more release."""
HIGHEST = {"top_k": MAX_TOP_K}
MAX_SUGGESTED = 20  # unknown keys that are compared with known ones

T = TypeVar("T")
M = TypeVar("M", bound="OptionsIn")
Text = Annotated[str, AfterValidator(without_surrogates)]
Name = Annotated[Text, Field(min_length=1, max_length=1000)]
Many = Annotated[list[T], Field(fail_fast=True)]
"""A list in a request; only the first invalid item is reported."""
Names = Annotated[Many[Name], Field(min_length=1, max_length=100_000)]
ThresholdsOfTypes = Annotated[dict[Name, Annotated[float, Field(ge=0, le=1)]], Field(min_length=1, max_length=1000)]


class Request(BaseModel):
    """A request's body. An unknown key is refused with a suggestion."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _suggest(cls, body: Any) -> Any:  # noqa: ANN401 - whatever was sent
        unknown = [key for key in body if key not in cls.model_fields] if isinstance(body, dict) else []
        errors = []
        for key in unknown[:MAX_SUGGESTED]:
            close = difflib.get_close_matches(str(key)[:100], cls.model_fields, n=1)
            if close:
                words = "Extra inputs are not permitted (did you mean '{close}'?)"
                error = PydanticCustomError("extra_forbidden", words, {"close": close[0]})
                errors.append(InitErrorDetails(type=error, loc=(key,), input=None))
        if errors:
            raise ValidationError.from_exception_data(cls.__name__, errors)
        return body


class OptionsIn(Request):
    """Link options; `with_link_options` adds the fields of `LinkOptions`."""

    def options(self) -> LinkOptions:
        """The options as `LinkOptions`; contradictory options are an error."""
        values = {each.name: getattr(self, each.name, None) for each in fields(LinkOptions)}
        for old, new in DEPRECATED.items():
            value = getattr(self, old, None)
            if value is not None and values[new] is not None:
                raise ConfigError(f"{old!r} is the former name of {new!r}: give {new!r} only.")
            values[new] = values[new] if value is None else value
        return LinkOptions().with_changes(**values)


def with_link_options(without: Collection[str] = ()) -> Callable[[type[M]], type[M]]:
    """Adds the fields of `LinkOptions` to a request, and their former names; those in `without` are left out."""

    def add(request: type[M]) -> type[M]:
        added = {name: field for name, field in _option_fields().items() if DEPRECATED.get(name, name) not in without}
        return create_model(
            request.__name__, __base__=request, __module__=request.__module__, __doc__=request.__doc__, **added
        )

    return add


def _option_fields() -> dict[str, Any]:
    """Option name -> its pydantic type and field."""
    types = get_type_hints(LinkOptions)
    made = {each.name: _option_field(each, types[each.name]) for each in fields(LinkOptions)}
    for old, new in DEPRECATED.items():
        more: dict[str, Any] = {"deprecated": True}
        made[old] = made[new][0], Field(None, description=f"Deprecated: use `{new}`.", json_schema_extra=more)
    return made


def _option_field(option: DataclassField[Any], hint: Any) -> tuple[Any, Any]:  # noqa: ANN401 - a type
    bounds = {"ge": option.metadata["low"], "le": HIGHEST.get(option.name, option.metadata["high"])}
    is_names = hint == tuple[str, ...]
    default, kind = (None, Names | None) if is_names else (option.default, hint)
    if hint == TypeThresholds:
        default, kind = None, ThresholdsOfTypes | None
    known = {name: bound for name, bound in bounds.items() if bound is not None}
    return kind, Field(default, description=option.metadata["help"], **known)
