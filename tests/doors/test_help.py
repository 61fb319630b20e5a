"""Every command explains itself."""

import pytest

from deixis.cli.commands.fit import COMMANDS as FIT_COMMANDS
from deixis.cli.commands.kb import COMMANDS as KB_COMMANDS
from deixis.cli.commands.spark import COMMANDS as SPARK_COMMANDS
from deixis.cli.commands.xmr import COMMANDS as XMR_COMMANDS
from deixis.cli.main import COMMANDS
from deixis.cli.main import deixis as root

GROUPS = {"fit": FIT_COMMANDS, "kb": KB_COMMANDS, "spark": SPARK_COMMANDS, "xmr": XMR_COMMANDS}
PATHS = [
    (),
    *((name,) for name, entry in COMMANDS.items() if not entry.is_hidden),
    *((group, name) for group, commands in GROUPS.items() for name in commands),
]


def spoken(path: tuple[str, ...]) -> str:
    return " ".join(("deixis", *path))


@pytest.mark.parametrize("path", PATHS, ids=spoken)
def test_help_shows_usage_and_an_example_within_eighty_columns(deixis_inside, path):
    usage, *rest = deixis_inside(*path, "--help").stdout.splitlines()
    assert usage.startswith(f"Usage: {spoken(path)} ")
    assert any(spoken(path) in line for line in rest)
    assert max(map(len, [usage, *rest])) <= 80


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_names_commands_that_exist(name):
    command = root.get_command(None, name)
    assert command is not None
    assert command.name == name
    assert COMMANDS[name].summary.endswith(".")


def test_the_version_is_told(deixis_inside):
    assert deixis_inside("--version").stdout.startswith("deixis 0.")


def test_no_command_shows_the_help(deixis_inside):
    done = deixis_inside(code=None)
    assert "Start here" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bild"], "Did you mean 'build'?"),
        (["kb", "chek"], "Did you mean 'check'?"),
        (["build", "kb.jsonl"], "Missing option '-o'"),
        (["build", "-o", "m"], "or --demo"),
        (["build", "--demo", "kb.jsonl", "-o", "m"], "not both"),
        (["link"], "Missing argument 'MODEL'"),
        (["link", "m", "--pretty", "--to", "nif"], "contradict"),
        (["link", "m", "--threshold", "2"], "--threshold"),
        (["eval", "m"], "Missing argument 'DATA...'"),
        (["eval", "m", "gold.jsonl", "--at", "0,1"], "--at"),
        (["eval", "m", "gold.jsonl", "--at", "one"], "--at"),
        (["info", "m", "--colour"], "No such option"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_is_exit_code_two_and_says_what_is_right(deixis_inside, arguments, words):
    done = deixis_inside(*arguments, code=2)
    assert words in done.stderr
    assert done.stdout == ""
