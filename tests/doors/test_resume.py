"""`deixis build --resume` after kills at any moment: the same bytes as without them."""

import json
import random
import signal
import time

import pytest

from deixis.store.build_folder import parts_folder

N_KILLS = 4
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


def hashes(folder, model: str) -> dict:
    return json.loads((folder / model / "manifest.json").read_text(encoding="utf-8"))["arrays"]


def test_killed_builds_go_on_and_end_in_the_same_bytes(deixis_inside, list_of_names):
    deixis_inside("build", list_of_names, "-o", "whole", "--threads", 1)
    parts, rng = parts_folder(deixis_inside.folder / "killed"), random.Random(1)
    most = 0
    for _ in range(N_KILLS):
        process = deixis_inside.start("build", list_of_names, "-o", "killed", "--resume", "--threads", 1)
        end = time.monotonic() + rng.uniform(1.5, 5.0)  # of a busy machine's clock: any moment will do
        while time.monotonic() < end and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        most = max(most, sum(not path.name.startswith(".") for path in parts.iterdir()) if parts.exists() else 0)
    deixis_inside("build", list_of_names, "-o", "killed", "--resume", "--threads", 1)
    assert hashes(deixis_inside.folder, "killed") == hashes(deixis_inside.folder, "whole")
    assert not parts.exists()
    assert most >= 2, "no kill came while parts were there"


def test_what_was_interrupted_says_how_to_go_on(deixis_inside, list_of_names):
    parts = parts_folder(deixis_inside.folder / "model")
    process = deixis_inside.start("build", list_of_names, "-o", "model", "--resume", "--threads", 1)
    while process.poll() is None and not (parts / "kb").is_dir():
        time.sleep(0.01)
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
