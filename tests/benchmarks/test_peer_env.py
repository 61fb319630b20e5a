import sys
from pathlib import Path

import pytest

from benchmarks.speed import peer_env
from benchmarks.speed.peer_env import Peer, can_run, install, peer_python


@pytest.fixture
def calls(monkeypatch, tmp_path):
    """An environment is two files; what would be installed is only noted."""
    noted = []

    def create(folder, **options):
        (folder / "bin").mkdir(parents=True)
        (folder / "bin" / "python").symlink_to(sys.executable)

    monkeypatch.setattr(peer_env.venv, "create", create)
    monkeypatch.setattr(peer_env, "install", lambda python, name, arguments: noted.append(arguments))
    monkeypatch.setitem(peer_env.PEERS, "toy", Peer(("numpy==1",), ("toy==2",), check="import json"))
    return noted


def test_a_peer_is_installed_once_and_then_found(calls, tmp_path):
    first = peer_python("toy", tmp_path)
    assert first == tmp_path / ".venv-toy" / "bin" / "python"
    assert calls == [["numpy==1"], ["--no-deps", "toy==2"]]
    assert peer_python("toy", tmp_path) == first
    assert len(calls) == 2


def test_a_peer_that_does_not_import_after_all_is_a_clear_end(calls, tmp_path, monkeypatch):
    monkeypatch.setitem(peer_env.PEERS, "toy", Peer((), (), check="import no_such_module_here"))
    with pytest.raises(SystemExit, match="is complete but 'import no_such_module_here' fails"):
        peer_python("toy", tmp_path)


def test_what_pip_said_is_passed_on():
    with pytest.raises(SystemExit, match="Cannot install ./no/such/folder for the peer toy; pip said"):
        install(Path(sys.executable), "toy", ["./no/such/folder"])


def test_can_run_tells_good_code_from_bad():
    assert can_run(Path(sys.executable), "1 + 1")
    assert not can_run(Path(sys.executable), "1 / 0")
