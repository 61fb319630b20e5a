"""Which entities of a dump are taken: by language, by type, by how often they are linked or have pages."""

from __future__ import annotations

import re
from dataclasses import dataclass

from deixis.errors import ConfigError

_FIELDS = ("languages", "types", "count")
_EXAMPLE = "languages=en,de,types=Q5,Q515,count=10"


@dataclass(frozen=True, slots=True)
class DumpQuery:
    """What is taken from a dump; empty takes everything.

    Examples
    --------
    >>> query = DumpQuery.of("languages=en,de,types=Q5,-Q4167410,count=10")
    >>> sorted(query.languages), query.types, query.types_left_out, query.min_count
    (['de', 'en'], frozenset({'Q5'}), frozenset({'Q4167410'}), 10)
    >>> DumpQuery.of("language=en")
    Traceback (most recent call last):
    deixis.errors.ConfigError: What is taken from a dump is given as languages=en,de,types=Q5,Q515,count=10, got 'language=en'.
    """  # noqa: E501

    languages: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    types_left_out: frozenset[str] = frozenset()
    min_count: int = 0

    @classmethod
    def of(cls, text: str | None) -> DumpQuery:
        """The query of text such as `languages=en,de,types=Q5,-Q4167410,count=10`."""
        field_to_values: dict[str, list[str]] = {}
        values: list[str] | None = None
        for part in (text or "").split(",") if text else []:
            name, equals, value = (each.strip() for each in part.rpartition("="))
            if equals and name in _FIELDS and name not in field_to_values:
                values = field_to_values[name] = []
            elif equals or values is None:
                raise _error(text)
            if value:
                values.append(value)
        count = field_to_values.get("count", ["0"])
        if len(count) != 1 or not re.fullmatch(r"[0-9]{1,18}", count[0]):
            raise _error(text)
        types = field_to_values.get("types", [])
        return cls(
            frozenset(field_to_values.get("languages", [])),
            frozenset(each for each in types if not each.startswith("-")),
            frozenset(each[1:] for each in types if each.startswith("-")),
            int(count[0]),
        )

    def has_language(self, language: str) -> bool:
        """Whether names in this language are taken."""
        return not self.languages or language in self.languages

    def has_types(self, types: list[str]) -> bool:
        """Whether an entity of these types is taken."""
        is_one = not self.types or not self.types.isdisjoint(types)
        return is_one and self.types_left_out.isdisjoint(types)


def _error(text: object) -> ConfigError:
    return ConfigError(f"What is taken from a dump is given as {_EXAMPLE}, got {text!r}.")
