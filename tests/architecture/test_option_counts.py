"""Few options: what a command has of its own, and how long its help is, may only fall."""

import click
import pytest

from deixis.cli.list_options import ListOptionInLine
from deixis.cli.main import deixis

COMMON = {"--quiet", "--debug", "--json", "--threads", "--seed", "--verify", "--no-verify", "--help"}
WIDTH, SCREEN = 100, 45
MOST_OPTIONS = {"build": 30, "spark build": 24, "eval": 23}
MOST_OF_OTHERS = 20
CEILINGS = {
    # command: options of its own, lines of help
    "kb check": (10, 34),  # has those of reading lists, which other commands name in one line
    "kb coverage": (4, 19),
    "build": (25, 45),
    "spark build": (24, 45),
    "kb add": (8, 25),
    "kb sync": (5, 24),
    "kb edit": (6, 22),
    "correct": (6, 24),
    "fit weights": (8, 24),
    "fit reranker": (14, 32),
    "fit encoder": (14, 31),
    "fit reader": (14, 32),
    "link": (17, 45),
    "explain": (15, 40),
    "eval": (23, 45),
    "calibrate": (9, 44),
    "xmr train": (20, 42),
    "xmr predict": (11, 34),
    "xmr eval": (17, 41),
    "serve": (19, 39),
}


def commands(command: click.Command, path: tuple[str, ...] = ()):
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            inner = command.get_command(click.Context(command), name)
            if not inner.hidden:
                yield from commands(inner, (*path, name))
    else:
        yield " ".join(path), command


def own_options(command: click.Command) -> list[str]:
    options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    options = [each for each in options if not isinstance(each, ListOptionInLine)]
    return [each.opts[0] for each in options if not COMMON & set(each.opts)]


def help_lines(name: str, command: click.Command) -> int:
    names = ["-h", "--help"]  # click keeps the help option of the first context, in whichever test that is
    context = click.Context(
        command, info_name=f"deixis {name}", terminal_width=WIDTH, max_content_width=WIDTH, help_option_names=names
    )
    return len(command.get_help(context).splitlines())


ALL = dict(commands(deixis))


@pytest.mark.parametrize("name", ALL)
def test_no_command_has_more_options_than_it_may(name):
    command = ALL[name]
    assert len(own_options(command)) <= MOST_OPTIONS.get(name, MOST_OF_OTHERS), "make it a setting: leave out cli="


@pytest.mark.parametrize("name", CEILINGS)
def test_options_and_lines_of_help_only_fall(name):
    command = ALL[name]
    n_options, n_lines = CEILINGS[name]
    assert len(own_options(command)) <= n_options, "a new option needs another to go, or is a setting without cli="
    assert help_lines(name, command) <= n_lines <= SCREEN
