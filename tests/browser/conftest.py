"""A real browser before a real service."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from tests.browser.hostile import RECORDS
from tests.processes import PATIENCE, wait_until

TOKEN = "a-token-for-tests"  # noqa: S105 - of a service that lives for a test
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("workbench") / "model"
    Linker.build(KnowledgeBase.from_records(RECORDS), n_threads=1).save(path)
    return path


@pytest.fixture(scope="module")
def address(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the workbench is served, by a service that has learned nothing yet."""
    own = tmp_path_factory.mktemp("served") / "model"
    shutil.copytree(model, own)
    yield from served_at(own)


def served_at(model: Path) -> Iterator[str]:
    """Serves a model; the workbench's address."""
    command = [sys.executable, "-m", "deixis.cli", "serve", str(model), "--port", "0"]
    log, environment = model.parent / "log", {**os.environ, "DEIXIS_TOKEN": TOKEN}
    with open(log, "wb") as stream:
        served = subprocess.Popen(command, env=environment, cwd=model.parent, stderr=stream)
    try:
        wait_until(lambda: b"Serving" in log.read_bytes() or served.poll() is not None, "the service answers")
        address = re.search(r"Serving .* on (http://\S+)\n", log.read_text())
        assert address, log.read_text()
        yield f"{address[1]}/workbench/"
    finally:
        served.terminate()
        served.wait(timeout=PATIENCE)


@pytest.fixture(scope="module")  # while it is open an event loop runs, in which others' cannot
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("there is no chromium on this machine; `make browser` installs it")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


def _is_ours(message: Any) -> bool:  # noqa: ANN401
    """Whether the page itself is at fault; that a request was refused Chromium tells too."""
    return message.type == "error" and not message.text.startswith("Failed to load resource")


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:  # noqa: ANN401 - of a library that may be missing
    """The workbench, opened, with the token; nothing may be complained of in its console."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    context.set_default_timeout(PATIENCE * 1000)
    opened = context.new_page()
    complaints: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("console", lambda message: complaints.append(message.text) if _is_ours(message) else None)
    opened.goto(address)
    opened.locator("#model", has_text="entities").wait_for()
    opened.evaluate(f"sessionStorage.setItem('deixis-token', '{TOKEN}')")
    opened.reload()
    opened.locator("#model", has_text="entities").wait_for()
    yield opened
    context.close()
    assert complaints == []
