"""The options that say which entities may be linked to, for every command that links."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import click

from deixis.candidates.filters import EntityFilter
from deixis.detection.recognizers import Recognize
from deixis.errors import DataError
from deixis.linking.finding import Overlaps
from deixis.linking.linker import Linker
from deixis.store.files import open_lines
from deixis.types import Document


def filter_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --type, --subset and --language; the command receives them as `only`, an `EntityFilter`."""

    @functools.wraps(command)
    def with_filter(
        *arguments: Any,  # noqa: ANN401 - whatever the command takes and returns
        only_types: tuple[str, ...],
        only_subset: str | None,
        only_languages: tuple[str, ...],
        **values: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        ids = () if only_subset is None else read_ids(only_subset)
        return command(*arguments, only=EntityFilter(only_types, ids, only_languages), **values)

    decorated: Callable[..., Any] = with_filter
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


_OPTIONS = (
    click.option(
        "--type", "only_types", multiple=True, metavar="TYPE", help="Link to entities of this type, or these."
    ),
    click.option(
        "--subset", "only_subset", type=click.Path(), metavar="FILE", help="Link to the ids in FILE, one a line."
    ),
    click.option(
        "--language",
        "only_languages",
        multiple=True,
        metavar="LANG",
        help="Link to entities with an alias or description in this language (or these), or with none in any.",
    ),
)


def read_ids(path: str) -> tuple[str, ...]:
    """The ids in a file, one on a line; a file without any is an error."""
    ids = tuple(line.strip() for _, line in open_lines(path) if line.strip())
    if not ids:
        raise DataError("has no ids: write one on each line, as they stand in the knowledge base", path=path)
    return ids


def link_only(
    linker: Linker,
    documents: Sequence[Document],
    only: EntityFilter,
    rerank: bool = False,
    overlaps: Overlaps = "drop",
    recognize: Recognize | None = None,
    read: bool | None = None,
) -> list[Document]:
    """The documents linked to the entities that pass."""
    return linker.link(
        documents,
        types=only.types or None,
        subset=only.ids or None,
        languages=only.languages or None,
        rerank=rerank,
        overlaps=overlaps,
        recognize=recognize,
        read=read,
    )
