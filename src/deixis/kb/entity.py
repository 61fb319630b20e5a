"""One entity as a value, for looking at; the knowledge base itself keeps columns, not these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Alias:
    """Another name; `lang` is empty and `count` zero when unknown."""

    text: str
    lang: str = ""
    count: int = 0


@dataclass(frozen=True, slots=True)
class Entity:
    """Everything known about one entity; `descriptions` maps a language (or `""`) to a text, `count` 0 is unknown.

    Examples
    --------
    >>> paris = Entity("Q90", "Paris", aliases=(Alias("Parigi", "it"),), descriptions={"en": "capital of France"})
    >>> paris.to_record()["aliases"]
    [{'text': 'Parigi', 'lang': 'it'}]
    """

    id: str
    title: str
    aliases: tuple[Alias, ...] = ()
    descriptions: Mapping[str, str] = field(default_factory=dict)
    types: tuple[str, ...] = ()
    count: int = 0
    url: str = ""
    alt_ids: tuple[str, ...] = ()

    @property
    def gloss(self) -> str:
        """A description, in English if there is one; for want of any, the types."""
        described = self.descriptions.get("en") or self.descriptions.get("")
        return described or next(iter(self.descriptions.values()), "") or ", ".join(self.types)

    def to_record(self) -> dict[str, Any]:
        """The native record, empty fields left out."""
        record = {
            "id": self.id,
            "title": self.title,
            "aliases": [_alias_record(alias) for alias in self.aliases],
            "description": self.descriptions.get("", ""),
            "descriptions": {lang: text for lang, text in self.descriptions.items() if lang},
            "types": list(self.types),
            "count": self.count,
            "url": self.url,
            "alt_ids": list(self.alt_ids),
        }
        return {key: value for key, value in record.items() if value or key in ("id", "title")}


def _alias_record(alias: Alias) -> str | dict[str, Any]:
    if not alias.lang and not alias.count:
        return alias.text
    record: dict[str, Any] = {"text": alias.text}
    if alias.lang:
        record["lang"] = alias.lang
    if alias.count:
        record["count"] = alias.count
    return record
