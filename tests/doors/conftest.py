"""The console command, run as a user runs it, and a small model to run it on."""

import io
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deixis.cli.main import main
from tests.processes import start, start_in_background

ENTITIES = """\
{"id": "paris_city", "title": "Paris", "aliases": ["City of Light"], "description": "capital of France on the Seine"}
{"id": "paris_trojan", "title": "Paris", "description": "prince of Troy who carried off Helen from Sparta"}
{"id": "troy", "title": "Troy", "description": "ancient city besieged by the Greeks for ten years"}
{"id": "london", "title": "London", "aliases": ["the Smoke"], "description": "capital of England on the Thames"}
"""
GOLD = """\
{"id": "g1", "text": "To save Troy, Paris had to go.", "mentions": [{"start": 8, "end": 12, "entity": "troy"}]}
{"id": "g2", "text": "London calling", "mentions": [{"start": 0, "end": 6, "entity": "london"}]}
{"id": "g3", "text": "Berlin waits", "mentions": [{"start": 0, "end": 6, "entity": "berlin"}]}
"""

INTERRUPTED = (130, -signal.SIGINT)  # the second if Python was making a class just when the signal came


class Deixis:
    """Runs `deixis` in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "NO_COLOR": "1", "PYTHONWARNINGS": "error"}
        self.environment.pop("DEIXIS_DEBUG", None)

    def command(self, *arguments: object) -> list[str]:
        return [sys.executable, "-m", "deixis.cli", *map(str, arguments)]

    def __call__(self, *arguments: object, stdin: str = "", code: int | None = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            self.command(*arguments),
            input=stdin,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        assert code is None or done.returncode == code, done.stderr
        assert "--debug" in arguments or "Traceback" not in done.stderr, done.stderr
        return done

    def start(self, *arguments: object, in_background: bool = False) -> subprocess.Popen[bytes]:
        begin, pipe = start_in_background if in_background else start, subprocess.PIPE
        return begin(
            self.command(*arguments), cwd=self.folder, env=self.environment, stdin=pipe, stdout=pipe, stderr=pipe
        )


class DeixisInside(Deixis):
    """The same, inside this process: quicker, for what needs no process of its own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        super().__init__(folder)
        self.capsys = capsys

    def __call__(self, *arguments: object, stdin: str = "", code: int | None = 0) -> subprocess.CompletedProcess[str]:
        self.capsys.readouterr()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
            returned = main([str(argument) for argument in arguments])
        out, err = self.capsys.readouterr()
        assert code is None or returned == code, err
        assert "--debug" in arguments or "Traceback" not in err, err
        return subprocess.CompletedProcess(arguments, returned, out, err)


@pytest.fixture
def deixis_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> DeixisInside:
    (tmp_path / "kb.jsonl").write_text(ENTITIES, encoding="utf-8")
    (tmp_path / "gold.jsonl").write_text(GOLD, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    return DeixisInside(tmp_path, capsys)


@pytest.fixture
def deixis(tmp_path: Path) -> Deixis:
    (tmp_path / "kb.jsonl").write_text(ENTITIES, encoding="utf-8")
    (tmp_path / "gold.jsonl").write_text(GOLD, encoding="utf-8")
    return Deixis(tmp_path)


@pytest.fixture(scope="session")
def shared_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of four entities, built once."""
    folder = tmp_path_factory.mktemp("shared-model")
    (folder / "kb.jsonl").write_text(ENTITIES, encoding="utf-8")
    Deixis(folder)("build", "kb.jsonl", "-o", "model")
    return folder / "model"


@pytest.fixture
def model(shared_model: Path) -> Iterator[Path]:
    """The shared model, which a test must not change: one that does fails, not those after it."""
    files = sorted(shared_model.parent.iterdir())
    yield shared_model
    new = [each for each in sorted(shared_model.parent.iterdir()) if each not in files]
    for each in new:
        each.unlink()
    assert not new, f"this test changed the shared model: {new}; give it a copy"


@pytest.fixture
def own_model(shared_model: Path, tmp_path: Path) -> Path:
    """A copy of the shared model that a test may change."""
    return Path(shutil.copytree(shared_model, tmp_path / "model"))
