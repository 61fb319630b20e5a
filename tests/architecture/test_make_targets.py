"""What `make` does to the machine it runs on: nothing outside the project unless that is asked for by name."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")

SKIPPED = {"browser": "tests/browser", "java": "tests/doors/test_spark.py"}
"""What `make NAME` installs, and the tests that are skipped without it."""

needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")


def planned(target: str) -> str:
    """The commands that a target would run in a fresh clone."""
    command = ["make", "--dry-run", "--no-print-directory", "VENV=.venv-of-nobody", target]
    outside = {name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}}
    return subprocess.run(command, cwd=ROOT, env=outside, capture_output=True, text=True, check=True).stdout


@needs_make
@pytest.mark.parametrize("target", ["demo", "test", "quick", "lint"])
def test_nothing_is_installed_outside_the_project_unless_asked(target):
    commands = planned(target)
    assert "sudo" not in commands and "apt-get" not in commands
    for name in SKIPPED:
        assert f"install_{name}.sh" not in commands.replace(f"install_{name}.sh --check", "")


@needs_make
@pytest.mark.parametrize("name", SKIPPED)
def test_what_lies_outside_is_installed_when_asked(name):
    assert planned(name).strip() == f"sh tools/install_{name}.sh"


@pytest.mark.parametrize("name", SKIPPED)
def test_the_tests_say_in_a_line_what_is_skipped_without_it(tmp_path, name):
    sh = shutil.which("sh")
    looked = subprocess.run([sh, f"tools/install_{name}.sh", "--check"], cwd=ROOT, env={"PATH": str(tmp_path)})
    assert looked.returncode == 1
    (line,) = [line for line in MAKEFILE.splitlines() if f"install_{name}.sh --check" in line]
    assert SKIPPED[name] in line and f"make {name}" in line
    assert (ROOT / SKIPPED[name]).exists()


def test_every_target_is_in_the_help_and_every_target_that_is_spoken_of_exists():
    helped = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE))
    assert helped == set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
    for name in ("README.md", "CONTRIBUTING.md", ".ci/run"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert set(re.findall(r"(?:^|`|exec )make ([a-z-]+)", text, re.MULTILINE)) <= helped, name
