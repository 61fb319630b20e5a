"""Where in the user's files something stands, for errors that say so."""

from __future__ import annotations

from dataclasses import dataclass

from deixis.errors import DataError


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the user's files something stands."""

    path: str
    line: int

    def error(self, message: str) -> DataError:
        """The error that names this place."""
        return DataError(message, path=self.path, line=self.line)
