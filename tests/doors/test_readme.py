"""README and docs stay true: Python blocks run, and so do shell blocks that call deixis."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from deixis.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(python|sh|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SETS_UP_A_MACHINE = re.compile(r"^\s*(make|pip|git|python -m pip|python -m venv)\b", re.MULTILINE)


def blocks_of(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def runnable(language: str, code: str) -> list[str] | None:
    if language == "python":
        return [sys.executable, "-W", "error", "-c", code]
    if language == "console":
        code = "\n".join(line[2:] for line in code.splitlines() if line.startswith("$ "))
    return None if SETS_UP_A_MACHINE.search(code) else ["bash", "-euo", "pipefail", "-c", code]


@pytest.mark.skipif(os.name != "posix", reason="shell blocks are written for a Unix shell")
@pytest.mark.parametrize("page", [page for page in PAGES if blocks_of(page)], ids=lambda page: page.name)
def test_the_blocks_of_a_page_run_one_after_another(page, tmp_path):
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for language, code in blocks_of(page):
        command = runnable(language, code)
        if command is not None:
            done = subprocess.run(
                command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", timeout=300, check=False
            )
            assert done.returncode == 0, f"{page.name}:\n{code}\n{done.stderr}"


def test_the_readme_opens_with_the_two_commands_that_matter():
    first = blocks_of(ROOT / "README.md")[0][1]
    assert first.split()[:2] == ["make", "demo"]
    assert "make test" in first


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_the_index_of_the_docs_leads_to_every_page():
    docs = ROOT / "docs"
    targets = set(re.findall(r"\]\(([^)#]+)\)", (docs / "index.md").read_text(encoding="utf-8")))
    pages = {page.relative_to(docs).as_posix() for page in docs.rglob("*.md")} - {"index.md"}
    assert pages - targets == set()


def test_the_readme_stays_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 150


def test_every_command_is_in_the_readme():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, entry in COMMANDS.items():
        assert entry.is_hidden or f"`deixis {name}" in text


def test_the_readmes_example_comes_out_as_its_comment_says(tmp_path):
    code = {language: code for language, code in blocks_of(ROOT / "README.md") if "things.csv" in code}
    table = code["sh"][code["sh"].index("Code;Name") : code["sh"].index("END\ndeixis")]
    (tmp_path / "things.csv").write_text(table, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", code["python"]], cwd=tmp_path, capture_output=True, encoding="utf-8", check=True
    )
    said = re.search(r"# (Jaguar .*)\.\.\.$", code["python"], re.MULTILINE)
    assert said is not None
    assert done.stdout.startswith(said[1])
