"""A build that keeps its finished parts beside the model: it holds less in memory and can be resumed."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from typing import Any

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.store.build_folder import building_in, parts_of, stored_part

MIN_ENTITIES = 50_000
"""Entities of a list whose build keeps its parts unasked: smaller ones take seconds and little memory."""
LIST = "kb"
_CHUNK = 1 << 20


@contextmanager
def keeping_parts(
    model: str | os.PathLike[str],
    digest: Callable[[], str],
    read: Callable[[], KnowledgeBase],
    *,
    resumes: bool = False,
    always: bool = False,
) -> Iterator[KnowledgeBase]:
    """The list that `read` gives; within the block the build of a large one keeps its parts beside `model`.

    With `always` a small one does, too, for several processes to share. With `resumes`
    the parts of an earlier build with the same digest are used, the list among them.
    """
    with ExitStack() as opened:
        parts, read_lists = None, list[KnowledgeBase]()
        if resumes:
            parts = opened.enter_context(parts_of(model, digest(), resumes=True))
        if parts is None or not parts.has(LIST):
            read_lists.append(read())
        if parts is None:
            if len(read_lists[0]) < MIN_ENTITIES and not always:
                yield read_lists[0]
                return
            parts = opened.enter_context(parts_of(model, digest(), resumes=False))
        opened.enter_context(building_in(parts))
        # Popped, so that the list is not in memory beside its file.
        yield stored_part(read_lists.pop, LIST, KnowledgeBase)


def digest_of(files: Iterable[str | os.PathLike[str]], settings: Mapping[str, Any]) -> str:
    """A digest of everything that a model is made of: what is in the files, the settings, the version of Deixis.

    With stdin among the files it is a new one every time.
    """
    digest = hashlib.sha256(version("deixis").encode())
    digest.update(json.dumps(settings, sort_keys=True, default=repr).encode())
    for path in files:
        if path == "-":  # nobody can say whether it would be the same again
            return secrets.token_hex()
        own = hashlib.sha256()
        with open(path, "rb") as stream:
            while chunk := stream.read(_CHUNK):
                own.update(chunk)
        digest.update(own.digest())
    return digest.hexdigest()
