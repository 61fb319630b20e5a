"""`deixis build --resume` after kills at any moment: the same bytes as without them."""

import json
import random
import signal
import time
from pathlib import Path

import pytest

from deixis.store.build_folder import parts_folder
from tests.processes import wait_until

N_PARTS = (1, 3, 5, 8)  # finished when it is killed, or shortly before
WORDS = [f"{first}{last}" for first in ("am", "bor", "cal", "den", "el") for last in ("ber", "mar", "ton", "wick")]


@pytest.fixture
def list_of_names(deixis_inside):
    """A list that takes a second or two to build."""
    rng = random.Random(0)
    with open(deixis_inside.folder / "names.jsonl", "w", encoding="utf-8") as lines:
        for number in range(4000):
            title = " ".join([*rng.choices(WORDS, k=2), str(number % 900)]).title()
            description = f"{' '.join(rng.choices(WORDS, k=12))} near {rng.choice(WORDS).title()} {number % 70}"
            lines.write(json.dumps({"id": f"e{number}", "title": title, "description": description}) + "\n")
    return "names.jsonl"


def n_finished(parts: Path) -> int:
    """How many parts of a build are whole."""
    return sum(not path.name.startswith(".") for path in parts.iterdir()) if parts.exists() else 0


def hashes(folder, model: str) -> dict:
    return json.loads((folder / model / "manifest.json").read_text(encoding="utf-8"))["arrays"]


def test_killed_builds_go_on_and_end_in_the_same_bytes(deixis_inside, list_of_names):
    deixis_inside("build", list_of_names, "-o", "whole", "--threads", 1)
    parts, rng = parts_folder(deixis_inside.folder / "killed"), random.Random(1)
    finished = []
    for n_parts in N_PARTS:
        process = deixis_inside.start("build", list_of_names, "-o", "killed", "--resume", "--threads", 1)
        wait_until(
            lambda n=n_parts, process=process: n_finished(parts) >= n or process.poll() is not None,
            "parts are finished",
        )
        time.sleep(rng.uniform(0, 0.2))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        finished.append(n_finished(parts))
    deixis_inside("build", list_of_names, "-o", "killed", "--resume", "--threads", 1)
    assert hashes(deixis_inside.folder, "killed") == hashes(deixis_inside.folder, "whole")
    assert not parts.exists()
    assert finished[0] >= 1, "no kill came while parts were there"


def test_what_was_interrupted_says_how_to_go_on(deixis_inside, list_of_names):
    parts = parts_folder(deixis_inside.folder / "model")
    process = deixis_inside.start("build", list_of_names, "-o", "model", "--resume", "--threads", 1)
    wait_until(lambda: process.poll() is not None or (parts / "kb").is_dir(), "the list is kept")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert b"the same command with --resume goes on from there" in errors
    assert (parts / "kb").is_dir()
    done = deixis_inside("build", list_of_names, "-o", "model", "--resume", "--threads", 1)
    assert "4,000 entities" in done.stderr
    assert not parts.exists()


def test_a_build_from_stdin_cannot_be_resumed(deixis_inside):
    done = deixis_inside("build", "-", "-o", "model", "--resume", stdin='{"id": "a", "title": "A"}\n', code=2)
    assert "reads stdin cannot be resumed" in done.stderr
