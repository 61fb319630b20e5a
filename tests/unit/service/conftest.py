"""A service inside the test's process, on a small model."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.labelling.labeller import Labeller
from deixis.linker import Linker
from deixis.service.app import create_app
from deixis.service.config import Access, Limits, ServiceConfig
from deixis.service.state import ServiceState
from tests.library import books, library_vocabulary

TOKEN = "a-token-for-the-tests"
RECORDS: list[dict[str, Any]] = [
    {
        "id": "paris_city", "title": "Paris", "aliases": ["City of Light"], "types": ["city"], "count": 9,
        "description": "capital of France on the Seine",
    },
    {"id": "paris_trojan", "title": "Paris", "types": ["person"], "description": "prince of Troy, in love with Helen"},
    {"id": "http://example.org/troy", "title": "Troy", "types": ["city"], "description": "ancient city under siege"},
    {"id": "parma", "title": "Parma", "types": ["city"], "description": "city of ham"},
]  # fmt: skip
TEXT = "To save Troy, Paris had to be sacrificed."

Serve = Callable[..., TestClient]


@pytest.fixture(scope="session")
def linker_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A linker's model, built once; tests must not change it."""
    folder = tmp_path_factory.mktemp("service") / "model"
    Linker.build(KnowledgeBase.from_records(RECORDS), n_threads=1).save(folder)
    return folder


@pytest.fixture(scope="session")
def labeller_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("service") / "labeller"
    Labeller.build(books(60), library_vocabulary(), n_threads=1).save(folder)
    return folder


@contextmanager
def served(config: ServiceConfig) -> Iterator[TestClient]:
    """A client of a service of this config; `client.state` is the service's."""
    state = ServiceState(config)
    with TestClient(create_app(state), base_url="http://localhost", raise_server_exceptions=False) as client:
        client.state = state  # type: ignore[attr-defined]
        yield client
    del state.model  # its files are closed at once, not when the app is collected


@pytest.fixture
def serve(linker_folder: Path, tmp_path: Path) -> Iterator[Serve]:
    """Starts a service of the small linker; settings of limits and access as keywords."""
    with ExitStack() as stack:

        def start(model: Path | None = None, texts_logged: bool = False, **settings: Any) -> TestClient:  # noqa: ANN401
            own = {name: settings.pop(name) for name in list(settings) if name in Limits.__dataclass_fields__}
            access = replace(Access(token=TOKEN), **settings)
            if model is None:  # a copy: what is changed is kept beside the folder
                model = tmp_path / "served" / "model"
                if not model.exists():
                    shutil.copytree(linker_folder, model)
            config = ServiceConfig(model, Limits(**own), access, texts_logged)
            return stack.enter_context(served(config))

        yield start


@pytest.fixture
def client(serve: Serve) -> TestClient:
    return serve()


def bearer(token: str = TOKEN) -> dict[str, str]:
    """The header with a token."""
    return {"authorization": f"Bearer {token}"}
