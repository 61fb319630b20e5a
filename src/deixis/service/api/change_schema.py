"""Schemas of requests that change the model, and of the changes."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from deixis.live import About as AboutChange
from deixis.service.api.link_options import Many, Name, Request, Text

MAX_COUNT = 2**63 - 1
MAX_GENERATION = 2**62
Id = Annotated[Text, Field(min_length=1, max_length=10_000)]
Generation = Annotated[int, Field(ge=1, le=MAX_GENERATION)]
Words = Annotated[Text, Field(max_length=1000)]


class About(Request):
    """What every change can have: who makes it and why, and whether it is only planned."""

    author: Words = Field("", description="Who, for the history.")
    reason: Words = Field("", description="Why, for the history.")
    dry_run: bool = Field(False, description="Only answer what would change.")

    def about(self) -> AboutChange:
        """The same for `LiveModel`."""
        return AboutChange(author=self.author, reason=self.reason, dry_run=self.dry_run)


class AliasIn(Request):
    """A name besides the title."""

    text: Name
    lang: Words = ""
    count: int = Field(0, ge=0, le=MAX_COUNT)


class EntityFields(Request):
    """Fields of an entity to replace; null empties a field."""

    title: Name | None = None
    aliases: Many[Name | AliasIn] | None = None
    description: Text | None = None
    descriptions: dict[Words, Text] | None = Field(None, description="Language -> description.")
    types: Many[Name] | None = None
    count: int | None = Field(None, ge=0, le=MAX_COUNT, description="How often it is spoken of.")
    url: Words | None = None
    alt_ids: Many[Id] | None = Field(None, description="Further ids of the same entity.")


class EntityIn(EntityFields):
    """A new entity."""

    id: Id
    title: Name


class AddRequest(About):
    """Entities to add."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"entities": [{"id": "Q5690", "title": "Sparta", "description": "city"}]}]}
    )
    entities: Many[EntityIn] = Field(min_length=1)


class EditRequest(About):
    """One of: fields to replace, a name to add, a name to remove."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"set": {"title": "Troy"}}, {"add_alias": "Ilion"}]})
    set: EntityFields | None = None
    add_alias: Name | AliasIn | None = None
    remove_alias: Name | None = None


class RemoveRequest(About):
    """Entities to remove, and corrections that name them."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ids": ["Q5690"], "dry_run": True}]})
    ids: Many[Id] = Field(min_length=1)


class UndoRequest(About):
    """Changes to take back: the last one in force, one by its generation, or all from `generation` to `last`."""

    model_config = ConfigDict(json_schema_extra={"examples": [{}, {"generation": 3}, {"generation": 3, "last": 5}]})
    generation: Generation | None = None
    last: Generation | None = None


class ItemOut(BaseModel):
    """A value that a change replaced: an entity, or what was said about a span."""

    kind: str
    key: str
    before: Any = None
    after: Any = None


class ChangeOut(BaseModel):
    """A change of the model; one that was only planned, or changed nothing, has no generation."""

    generation: int | None
    time: str
    author: str
    reason: str
    verb: str
    undoes: list[int] | None = Field(None, description="The first and the last change that it took back.")
    n_items: int
    items: list[ItemOut] = Field(description="At most 100 of them in the history.")
    undone: bool = Field(False, description="Whether a later change took it back.")


class Changes(BaseModel):
    """The history of the model, the newest change first."""

    generation: int
    changes: list[ChangeOut]


class Compacting(BaseModel):
    """Whether this request started the compaction, or one was under way."""

    started: bool
    generation: int
