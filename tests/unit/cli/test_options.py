"""Options made from config classes: every default written once, every layer in its place."""

from dataclasses import dataclass, field
from typing import Literal

import click
import pytest
from click.testing import CliRunner

from deixis.cli.options import CommandWithSettings, comma_separated, options_from, with_settings
from deixis.errors import ConfigError


@dataclass(frozen=True)
class Beam:
    width: int = field(default=10, metadata={"help": "Nodes kept per level."})
    score: Literal["sigmoid", "hinge"] = "hinge"


@dataclass(frozen=True)
class Config:
    beam: Beam = field(default_factory=lambda: Beam(width=20))
    weight: float = field(default=0.3, metadata={"help": "Weight of the context."})
    casefold: bool = True
    sizes: tuple[int, ...] = (1, 2)
    limit: int | None = None


@click.command(cls=CommandWithSettings)
@click.option("--own", is_flag=True, help="The command's own.")
@options_from(Config, "typed", skip=["limit"])
def command(own, typed):
    click.echo(repr(with_settings(Config(), typed)))


def run(*arguments):
    return CliRunner().invoke(command, list(arguments))


def test_nothing_typed_leaves_every_default():
    assert run().output.strip() == repr(Config())


def test_every_kind_of_field_can_be_set():
    shown = run("--beam-width", "5", "--beam-score", "sigmoid", "--weight", "1", "--no-casefold", "--sizes", "3,4")
    assert shown.output.strip() == repr(Config(Beam(5, "sigmoid"), weight=1.0, casefold=False, sizes=(3, 4)))


def test_help_lists_the_commands_own_options_and_says_where_the_settings_are():
    shown = run("--help").output
    assert "The command's own." in shown
    assert "--settings" in shown
    assert "--beam-width" not in shown


def test_settings_are_listed_with_the_defaults_that_hold():
    shown = run("--settings").output
    assert "Nodes kept per level. [default: 20]" in " ".join(shown.split()), "the field's default, not Beam's own"
    assert "[default: 1,2]" in shown
    assert "--own" not in shown


def test_a_skipped_field_has_no_option():
    assert "--limit" not in run("--settings").output


@pytest.mark.parametrize("arguments", [["--beam-width", "wide"], ["--beam-score", "best"], ["--sizes", "1,x"]])
def test_values_of_the_wrong_kind_are_wrong_usage(arguments):
    assert run(*arguments).exit_code == 2


def test_the_last_layer_lies_on_top_and_leaves_its_neighbours_alone():
    config = with_settings(Config(), {"beam": {"width": 1}, "weight": 2}, {"beam": {"width": 3}})
    assert config == Config(Beam(width=3), weight=2.0)


def test_an_unknown_setting_in_a_layer_is_named_with_its_place():
    with pytest.raises(ConfigError, match=r"'beam\.widht'.*Did you mean 'width'"):
        with_settings(Config(), {"beam": {"widht": 1}})


def test_comma_separated_values_may_have_blanks_around_them():
    assert comma_separated(float)(" 1, 2.5 ,") == (1.0, 2.5)
