"""Settings by their keys: what `--set` reads, and the file that `--settings` prints."""

import tomllib
from dataclasses import dataclass, field
from typing import Literal

import pytest

from deixis.cli.settings import keys_of, parsed_settings, settings_toml, with_settings
from deixis.config import Config, setting
from deixis.errors import ConfigError
from deixis.labelling.config import LabellerConfig
from deixis.linking.config import PRESETS
from deixis.service.config import Limits
from deixis.training.config import TrainingConfig


@dataclass(frozen=True)
class Inner(Config):
    RETIRED = {"power": 1}

    depth: int = setting(3, "How deep.", low=1)
    words: str = setting("a b", "Any words.")
    rate: float = setting(0.1, "For experiments.", above=0, is_fixed=True)


@dataclass(frozen=True)
class Outer(Config):
    first: int = setting(1, "Before the table.")
    inner: Inner = field(default_factory=Inner)
    way: Literal["near", "far"] = setting("near", "Which way.")
    names: tuple[str, ...] = setting((), "Some names.")
    limit: float | None = setting(None, "At most.", low=0)
    seed: int = 0


def test_keys_are_the_settings_and_not_what_the_caller_fills_in():
    assert [key.name for key in keys_of(Outer())] == ["first", "inner.depth", "inner.words", "way", "names", "limit"]


@pytest.mark.parametrize(
    ("assignment", "layer"),
    [
        ("inner.depth=5", {"inner": {"depth": 5}}),
        ("way=far", {"way": "far"}),
        ('way="far"', {"way": "far"}),
        ("inner.words=true", {"inner": {"words": "true"}}),
        ("inner.words=a = b", {"inner": {"words": "a = b"}}),
        ("names=x, y", {"names": ["x", "y"]}),
        ('names=["x, y"]', {"names": ["x, y"]}),
        ("limit=2", {"limit": 2}),
        ("limit=none", {"limit": None}),
        (" first = 7", {"first": 7}),
    ],
)
def test_a_value_is_read_as_its_key_has_it(assignment, layer):
    assert parsed_settings(Outer(), [assignment]) == layer


@pytest.mark.parametrize(
    ("assignment", "words"),
    [
        ("inner.dept=5", "Unknown setting inner.dept. Did you mean inner.depth?"),
        ("depth=5", "Did you mean inner.depth?"),
        ("inner=5", "Unknown setting inner."),
        ("inner.power=2", "inner.power is no setting any more: it is fixed at 1."),
        ("inner.rate=0.2", "inner.rate is no setting any more: it is fixed at 0.1."),
        ("first", "--set takes key=value"),
        ("=5", "--set takes key=value"),
    ],
)
def test_a_key_that_is_none_is_an_error_with_a_suggestion(assignment, words):
    with pytest.raises(ConfigError) as caught:
        parsed_settings(Outer(), [assignment])
    assert words in str(caught.value)


def test_a_value_of_another_type_is_told_by_the_key():
    with pytest.raises(ConfigError, match=r"Setting inner\.depth must be a whole number, got 'deep'"):
        with_settings(Outer(), parsed_settings(Outer(), ["inner.depth=deep"]))


@pytest.mark.parametrize(("name", "value"), [("power", 1), ("rate", 0.1)])
def test_what_is_fixed_cannot_be_set_by_a_file(name, value):
    with pytest.raises(
        ConfigError, match=f"inner.{name} is no setting any more: it is fixed at {value}. Leave it out."
    ):
        with_settings(Outer(), {"inner": {name: value}})


def test_what_is_fixed_is_set_in_python_and_checked_there():
    assert Inner(rate=0.2).rate == 0.2
    with pytest.raises(ConfigError, match="rate must be above 0"):
        Inner(rate=0.0)


def test_the_last_layer_lies_on_top_and_leaves_its_neighbours_alone():
    config = with_settings(Outer(), {"inner": {"depth": 1}, "first": 2}, {"inner": {"depth": 4}})
    assert config == Outer(2, Inner(depth=4))


CONFIGS = {"labeller": LabellerConfig(), "limits": Limits(), "training": TrainingConfig(), "outer": Outer(), **PRESETS}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_the_printed_file_gives_the_same_settings_and_has_every_key(config):
    printed = settings_toml(config, "Settings.")
    assert with_settings(type(config)(), tomllib.loads(printed)) == config
    for key in keys_of(config):
        assert f"{key.path[-1]} =" in printed and key.setting.help.split()[0] in printed


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_every_setting_has_a_default_that_is_allowed(config):
    for key in keys_of(config):
        if key.default is not None and not isinstance(key.default, tuple):
            assert key.default in key.setting.allowed, key.name
