"""At a terminal: results on lines of their own, whole, on stdout alone, however wide it is."""

import json
import re
import sys

import pytest

if sys.platform == "win32":
    pytest.skip("there are no pseudo-terminals", allow_module_level=True)

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
    seen = at_terminal("build", "kb.jsonl", "-o", "model")
    said = [line for line in seen.lines() if line.startswith(("Knowledge base", "Model written"))]
    assert len(said) == 2 and not [line for line in said if BAR.search(line)]


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
