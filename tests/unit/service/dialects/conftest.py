"""A service on a port of this machine for real clients, with a knowledge base that tries to break pages."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.testclient import TestClient

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.service.app import create_app
from deixis.service.config import URI_PREFIX, Access, ServiceConfig
from deixis.service.state import ServiceState
from tests.unit.service.conftest import RECORDS, served

EVIL = "<script>alert(1)</script>"
MORE: list[dict[str, Any]] = [
    {
        "id": "Zürich & co", "title": "Zurich", "types": ["city"], "url": "https://example.org/Z?a=1&b=\u00fc",
        "count": 3, "aliases": [{"text": "Turicum", "lang": "la"}],
    },
    {
        "id": "evil|\"'><b>", "title": "Mallory", "description": EVIL, "types": [EVIL, "person"],
        "aliases": [EVIL, "\u202eyrollaM"], "url": "javascript:alert(1)",
    },
]  # fmt: skip
PREFIX = "https://kb.example/"
PREFIXES = (PREFIX, URI_PREFIX)
Ask = Callable[..., TestClient]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A linker's model with entities of all kinds of ids."""
    path = tmp_path_factory.mktemp("dialects") / "model"
    Linker.build(KnowledgeBase.from_records([*RECORDS, *MORE]), n_threads=1).save(path)
    return path


@pytest.fixture(scope="module")
def prefix() -> str:
    """What ids that are no URIs come after; modules whose answers have URIs try the default as well."""
    return PREFIX


@pytest.fixture(scope="module")
def client(folder: Path, prefix: str) -> Iterator[TestClient]:
    with served(ServiceConfig(folder, uri_prefix=prefix)) as client:
        yield client


@contextmanager
def on_a_port(config: ServiceConfig) -> Iterator[str]:
    """The address of a service that listens on this machine."""
    server = uvicorn.Server(uvicorn.Config(create_app(ServiceState(config)), port=0, log_config=None, ws="none"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the service did not start"
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)


@pytest.fixture(scope="module")
def address(folder: Path, prefix: str) -> Iterator[str]:
    """Where a linker listens."""
    with on_a_port(ServiceConfig(folder, access=Access(), uri_prefix=prefix)) as url:
        yield url


@pytest.fixture(scope="session")
def labeller_address(labeller_folder: Path) -> Iterator[str]:
    """Where a labeller listens."""
    with on_a_port(ServiceConfig(labeller_folder, uri_prefix=PREFIX)) as url:
        yield url
