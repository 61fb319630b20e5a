"""At a terminal: results on lines of their own, whole, on stdout alone, however wide it is."""

import json
import re
import subprocess
import sys

import pytest

if sys.platform == "win32":
    pytest.skip("there are no pseudo-terminals", allow_module_level=True)

from tests.processes import PATIENCE
from tests.terminals import run_at_terminal

TEXT = "To save Troy, Paris had to be sacrificed.\n"
BAR = re.compile("[━╸╺]|linking")
COLOUR = re.compile(r"\x1b\[[0-9;]*(?:3[0-7]|38;5)[0-9;]*m")


@pytest.fixture
def at_terminal(deixis):
    """Runs `deixis` at a terminal; colours unless told otherwise."""
    environment = {name: value for name, value in deixis.environment.items() if name != "NO_COLOR"}

    def run(*arguments, variables=(), **options):
        seen = run_at_terminal(deixis.command(*arguments), deixis.folder, {**environment, **dict(variables)}, **options)
        assert seen.code == 0, seen.terminal
        return seen

    return run


@pytest.mark.parametrize("how", [("--pretty",), ()], ids=["pretty", "json"])
def test_a_progress_bar_never_shares_a_line_with_a_result(at_terminal, model, how):
    seen = at_terminal("link", model, "--format", "lines", *how, stdin=TEXT * 300)  # more than are linked together
    results = [line for line in seen.lines() if "Paris" in line]
    assert results and not [line for line in results if BAR.search(line)]


def test_a_result_at_a_terminal_is_one_line_as_it_is_in_a_file(at_terminal, model):
    seen = at_terminal("link", model, stdin=TEXT)
    (line,) = [line for line in seen.lines() if line.startswith("{")]
    assert json.loads(line)["text"] == TEXT.rstrip("\n")


@pytest.mark.parametrize("how", [("--pretty",), (), ("--to", "pubtator")], ids=["pretty", "json", "pubtator"])
def test_results_go_into_a_pipe_and_nowhere_else_while_a_bar_is_drawn(at_terminal, deixis, model, how):
    seen = at_terminal("link", model, *how, stdin=TEXT, is_piped=True)
    assert "sacrificed" not in seen.terminal and "Done in" in seen.terminal
    assert seen.piped == deixis("link", model, *how, stdin=TEXT).stdout


def test_what_a_command_says_stands_on_lines_of_its_own(at_terminal, deixis):
    seen = at_terminal("build", "kb.jsonl", "-o", "model", columns=60)
    said = [line for line in seen.lines() if line.startswith(("Knowledge base", "Model written", "  echo"))]
    assert len(said) == 3 and said[-1].endswith("--pretty") and not [line for line in said if BAR.search(line)]


@pytest.mark.parametrize("columns", [60, 100, 200])
@pytest.mark.parametrize("command", [("link", "--pretty"), ("info",), ("info", "--settings")], ids=" ".join)
def test_nothing_for_people_is_wider_than_the_terminal(at_terminal, model, command, columns):
    name, *options = command
    seen = at_terminal(name, model, *options, "-q", stdin=TEXT * 3, columns=columns)
    assert max(map(len, seen.lines())) <= columns


def test_there_are_colours_at_a_terminal_unless_nobody_wants_them(at_terminal, model):
    assert COLOUR.search(at_terminal("link", model, "--pretty", "-q", stdin=TEXT).terminal)
    plain = at_terminal("link", model, "--pretty", "-q", stdin=TEXT, variables={"NO_COLOR": "1"})
    assert not COLOUR.search(plain.terminal)


def test_info_fits_a_screen_and_shows_the_thresholds_in_force(deixis_inside, model):
    shown = deixis_inside("info", model).stdout
    assert len(shown.splitlines()) <= 24
    assert "mentions that a document brings  0.25, the default" in shown
    assert "candidates.alias" not in shown and "--settings" in shown
    assert "candidates.alias.forms.ignores_case = true" in deixis_inside("info", model, "--settings").stdout


def test_info_of_a_changed_model_fits_a_screen(deixis_inside, own_model):
    deixis_inside("kb", "add", "model", "--title", "Sparta")
    shown = deixis_inside("info", own_model).stdout
    assert len(shown.splitlines()) <= 24
    assert "changes                1, 1 not compacted" in shown and "entities               5" in shown


def test_info_shows_a_threshold_that_was_chosen_and_that_of_sure_names(deixis_inside):
    deixis_inside("build", "kb.jsonl", "-o", "model", "--names", "sure", "-q")
    assert "mentions detected in text        0.5" in deixis_inside("info", "model").stdout
    facts = json.loads(deixis_inside("info", "model", "--json").stdout)
    assert facts["thresholds"] == {"given": 0.25, "detected": 0.5}
    deixis_inside("build", "kb.jsonl", "-o", "model", "--set", "nil.threshold=0.6", "-q")
    assert "mentions that a document brings  0.6\n" in deixis_inside("info", "model").stdout


def test_the_example_that_build_prints_can_be_pasted_and_is_about_a_popular_entity(deixis):
    entities = [
        {"id": "rare", "title": "Little Wimpole"},
        {"id": "often", "title": "Bar's\n $HOME  Tavern", "count": 900},
    ]
    (deixis.folder / "own.jsonl").write_text("\n".join(map(json.dumps, entities)), encoding="utf-8")
    said = deixis("build", "own.jsonl", "-o", "my model; rm *").stderr
    (line,) = [line.strip() for line in said.splitlines() if line.startswith("  echo")]
    pasted = line.replace("deixis link", f"{sys.executable} -m deixis.cli link").replace("--pretty", "-q")
    done = subprocess.run(
        ["bash", "-c", pasted], cwd=deixis.folder, env=deixis.environment, capture_output=True, check=True, text=True
    )
    document = json.loads(done.stdout)
    assert document["text"] == "Tell me about Bar's $HOME Tavern."
    assert [mention["entity"] for mention in document["mentions"]] == ["often"]


def completed(deixis, words, shell="bash"):
    """What a shell would offer for the last of these words."""
    place = words[-1] if shell == "fish" else str(len(words) - 1)
    asked = {"COMP_WORDS": " ".join(words), "COMP_CWORD": place, "_DEIXIS_COMPLETE": f"{shell}_complete"}
    done = subprocess.run(
        deixis.command(), env=deixis.environment | asked, capture_output=True, check=True, text=True, timeout=PATIENCE
    )
    return [line for line in done.stdout.splitlines() if line]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_a_script_that_calls_back(deixis_inside, shell):
    script = deixis_inside("completion", shell).stdout
    assert f"_DEIXIS_COMPLETE={shell}_complete" in script and "deixis" in script


def test_commands_options_formats_and_files_are_completed(deixis):
    assert "plain,link" in completed(deixis, ["deixis", ""]) and "plain,learn" not in completed(deixis, ["deixis", ""])
    assert completed(deixis, ["deixis", "li"]) == ["plain,link"]
    assert completed(deixis, ["deixis", "kb", "che"]) == ["plain,check"]
    assert "plain,--threshold" in completed(deixis, ["deixis", "link", "--thr"])
    assert completed(deixis, ["deixis", "link", "model", "--to", "pub"]) == ["plain,pubtator"]
    assert completed(deixis, ["deixis", "link", "mod"]) == ["file,mod"]
    assert completed(deixis, ["deixis", "che"], "fish") == [] != completed(deixis, ["deixis", "kb", "che"], "fish")


def test_bash_takes_the_script(deixis):
    (deixis.folder / "script").write_text(deixis("completion", "bash").stdout, encoding="utf-8")
    (deixis.folder / "deixis").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m deixis.cli "$@"\n', encoding="utf-8")
    (deixis.folder / "deixis").chmod(0o755)
    commands = "PATH=.:$PATH; source script; COMP_WORDS=(deixis cal); COMP_CWORD=1; _deixis_completion deixis; "
    done = subprocess.run(
        ["bash", "-c", commands + 'echo "${COMPREPLY[@]}"'],
        cwd=deixis.folder, env=deixis.environment, capture_output=True, check=True, text=True,
    )  # fmt: skip
    assert done.stdout == "calibrate\n"
