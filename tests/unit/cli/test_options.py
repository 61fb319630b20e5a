"""Options made from config classes: every default written once, every layer in its place."""

from dataclasses import dataclass, field
from typing import Literal

import click
import pytest
from click.testing import CliRunner

from deixis.cli.options import CommandWithSettings, GivenSettings, comma_separated, settings_from
from deixis.config import Config, setting
from deixis.errors import ConfigError


@dataclass(frozen=True)
class Beam(Config):
    RETIRED = {"power": 1}

    width: int = setting(10, "Nodes kept per level.", low=1, cli="--beam-width")
    score: Literal["sigmoid", "hinge"] = setting("hinge", "Score of a path.")
    is_deep: bool = setting(True, "Go deep.")


@dataclass(frozen=True)
class Settings(Config):
    beam: Beam = field(default_factory=lambda: Beam(width=20))
    weight: float = setting(0.3, "Weight of the context.", low=0, high=1)
    has_case: bool = setting(True, "Tell capitals.", cli="--case")
    sizes: tuple[int, ...] = setting((1, 2), "Sizes.", low=1, cli="--sizes")
    limit: int | None = setting(None, "Most of them.", low=0)


@click.command(cls=CommandWithSettings, renamed={"--old": "--own"})
@click.option("--own", is_flag=True, help="The command's own.")
@settings_from(Settings, presets={"small": Settings(weight=0.1)}, skip=["sizes"])
def command(own, settings: GivenSettings[Settings]):
    click.echo(f"{settings.config!r} {settings.typed}")


def run(*arguments):
    return CliRunner().invoke(command, list(arguments))


def config_of(*arguments):
    return run(*arguments).output.strip()


def test_nothing_typed_leaves_every_default():
    assert config_of() == f"{Settings()!r} ()"


def test_declared_options_and_keys_reach_every_setting():
    assigned = ["beam.score=sigmoid", "weight=1", "sizes=3,4", "limit=5", "beam.is_deep=false"]
    typed = [word for each in assigned for word in ("--set", each)]
    expected = Settings(Beam(5, "sigmoid", False), weight=1.0, has_case=False, sizes=(3, 4), limit=5)
    assert config_of("--beam-width", "5", "--no-case", *typed).startswith(repr(expected))


def test_the_command_knows_which_keys_were_typed():
    assert config_of("--beam-width", "5", "--set", "weight=1").endswith("('weight', 'beam.width')")


def test_an_option_goes_before_set_and_set_before_the_file_and_the_file_before_the_preset(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('preset = "small"\nlimit = 3\n[beam]\nwidth = 1\n', encoding="utf-8")
    given = ["--config", str(path), "--set", "beam.width=2", "--set", "limit=4", "--beam-width", "3"]
    assert config_of(*given).startswith(repr(Settings(Beam(3), weight=0.1, limit=4)))
    assert config_of("--config", str(path)).startswith(repr(Settings(Beam(1), weight=0.1, limit=3)))


def test_help_groups_options_and_shows_the_default_that_holds():
    shown = run("--help").output
    own, settings = shown.split("Settings:")
    assert "The command's own." in own and "--beam-width" not in own
    assert "Nodes kept per level. [default: 20]" in settings, "the field's default, not the class's own"
    assert "--sizes" not in shown and "--weight" not in shown


def test_settings_are_printed_as_a_file_that_gives_the_same_settings(tmp_path):
    path = tmp_path / "mine.toml"
    for given in ([], ["--preset", "small", "--beam-width", "7", "--set", "sizes=[5]"]):
        path.write_text(run(*given, "--settings").output, encoding="utf-8")
        assert config_of("--config", str(path)).split(" (")[0] == config_of(*given).split(" (")[0]
    assert "# Nodes kept per level. At least 1.\nwidth = 7" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--weight", "0.5"], "--weight is a setting now: --set weight=0.5"),
        (["--weight=0.5"], "--weight is a setting now: --set weight=0.5"),
        (["--no-beam-is-deep"], "--no-beam-is-deep is a setting now: --set beam.is_deep=false"),
        (["--has-case"], "--has-case is --case now."),
        (["--beam-power", "2"], "--beam-power is no setting any more: it is fixed at 1."),
        (["--beam-scor", "hinge"], "--beam-scor may be a setting now: --set beam.score=hinge"),
        (["--old"], "--old is --own now."),
        (["--colour"], "No such option"),
        (["--beam-width", "0"], "--beam-width"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_option_that_is_gone_says_what_it_became(arguments, words):
    done = run(*arguments)
    assert done.exit_code == 2 and words in done.output


def test_an_unknown_preset_is_named_with_those_there_are():
    assert "small" in str(run("--preset", "smal").exception)


def test_a_value_out_of_range_is_told_by_the_key():
    error = run("--set", "weight=2").exception
    assert isinstance(error, ConfigError) and "weight must lie in 0..1, got 2.0" in str(error)


def test_comma_separated_values_may_have_blanks_around_them():
    assert comma_separated(float)(" 1, 2.5 ,") == (1.0, 2.5)
