"""`--verify`: a model whose files are not what was saved is refused before it is used; `serve` looks by default."""

import logging
import os
import shutil
import sys

import pytest

from deixis.labelling.labeller import Labeller
from deixis.service.config import ServiceConfig
from deixis.service.process import supervisor
from deixis.store.model_folder import open_model, save_model
from tests.doors.test_serve import serving
from tests.library import books, library_vocabulary

unix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs FIFOs")
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux, and signals are Unix's")
COMMANDS = [
    ["link", "model", "gold.jsonl"],
    ["explain", "model", "gold.jsonl"],
    ["eval", "model", "gold.jsonl"],
    ["eval", "--kb", "model", "gold.jsonl", "--predictions", "gold.jsonl"],
    ["calibrate", "model", "gold.jsonl", "-o", "new"],
    ["correct", "model", "--list"],
    ["correct", "model", "corrections.jsonl", "-o", "new"],
    ["fit", "weights", "model", "--mentions", "gold.jsonl", "-o", "new"],
    ["kb", "coverage", "model", "gold.jsonl"],
    ["xmr", "predict", "labeller", "books.txt"],
    ["xmr", "eval", "labeller", "labelled.jsonl"],
]


def damage(folder):
    """Changes a byte between two arrays: nothing that is used differs, so only who compares hashes notices."""
    entries = open_model(folder).manifest.arrays.values()
    places = sorted((entry.offset, entry.offset + entry.size) for entry in entries if entry.offset is not None)
    gap = next(end for (_, end), (start, _) in zip(places, places[1:], strict=False) if end < start)
    raw = bytearray((folder / "small.bin").read_bytes())
    raw[gap] = 1
    (folder / "small.bin").write_bytes(raw)


@pytest.fixture
def damaged(model, tmp_path):
    shutil.copytree(model, tmp_path / "model")
    damage(tmp_path / "model")
    return tmp_path / "model"


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2]))
def test_a_command_that_loads_a_model_verifies_it_if_told_to(deixis_inside, damaged, command):
    folder = deixis_inside.folder
    if "labeller" in command:
        Labeller.build(books(60), library_vocabulary(), n_threads=1).save(folder / "labeller")
        damage(folder / "labeller")
    (folder / "books.txt").write_text("a kitten under the mast\n")
    (folder / "labelled.jsonl").write_text('{"text": "a kitten under the mast", "labels": ["s1"]}\n')
    (folder / "corrections.jsonl").write_text('{"text": "Paris fled.", "start": 0, "end": 5, "gold": "paris_trojan"}\n')
    refused = deixis_inside(*command, "--verify", code=1).stderr
    assert "small.bin is damaged: there is something before the array" in refused
    assert "Restore or build the model again" in refused and not (folder / "new").exists()
    assert "is damaged" not in deixis_inside(*command, code=None).stderr


def test_a_model_as_it_was_saved_is_verified_and_used(deixis_inside, model):
    assert '"troy"' in deixis_inside("link", str(model), "gold.jsonl", "--verify").stdout


@unix_only
@pytest.mark.parametrize("command", ["doctor", "info", "link"])
def test_a_fifo_in_the_place_of_a_file_is_told_at_once(deixis, damaged, command):
    (damaged / "small.bin").unlink()
    os.mkfifo(damaged / "small.bin")
    told = deixis(command, damaged, code=1)
    assert "small.bin is a FIFO" in told.stdout + told.stderr


def test_a_service_verifies_its_model_before_it_starts(deixis_inside, damaged):
    assert "small.bin is damaged" in deixis_inside("serve", str(damaged), "--port", 0, code=1).stderr


@linux_only
def test_a_service_can_start_without_verifying(deixis, damaged):
    with serving(deixis, damaged, "--no-verify") as service:
        assert service("/health")[0] == 200
    assert service.n_logged("model verified") == 0


@pytest.mark.parametrize("seconds, is_said", [(-1.0, True), (60.0, False)])
def test_a_service_says_how_long_verifying_took_if_it_was_long(model, tmp_path, monkeypatch, caplog, seconds, is_said):
    monkeypatch.setattr(supervisor, "LONG_SECONDS", seconds)
    monkeypatch.setattr(supervisor, "log_to_stderr", lambda is_quiet: caplog.set_level(logging.INFO, "deixis"))
    monkeypatch.setattr(supervisor.Supervisor, "run", lambda self, when_ready: self._end())
    config = ServiceConfig(model, verify=True)
    supervisor.serve(config, "127.0.0.1", 0, 1, lambda url: None)
    said = [record.record for record in caplog.records if record.getMessage() == "model verified"]
    assert len(said) == is_said and all(each["seconds"] >= 0 for each in said)


@pytest.mark.parametrize(
    "settings",
    [
        {"candidates": 3},
        {"candidates": {"sources": None}},
        {"candidates": {"sources": [[]]}},
        {"finding": {"names": []}},
    ],
    ids=str,
)
def test_settings_of_another_type_are_the_models_fault_not_a_bug(deixis_inside, model, settings):
    stored = open_model(model)
    save_model(deixis_inside.folder / "odd", stored.kind, stored.config | settings, stored.arrays)
    assert "manifest.json cannot be used" in deixis_inside("info", "odd", code=1).stderr
    assert "manifest.json cannot be used" in deixis_inside("link", "odd", "gold.jsonl", code=1).stderr
