from dataclasses import dataclass, field
from typing import Literal

import pytest

from deixis.config import Config, check_settings, config_from_dict, config_to_dict, setting
from deixis.errors import ConfigError


@dataclass(frozen=True)
class Beam:
    width: int = 10
    memory: float = 0.3
    path: Literal["hinge", "sigmoid"] = "hinge"

    def __post_init__(self) -> None:
        check_settings(self)


@dataclass(frozen=True)
class Model:
    beam: Beam = field(default_factory=Beam)
    name: str = "x"
    langs: tuple[str, ...] = ()
    limit: int | None = None
    is_fast: bool = False


def test_what_is_not_given_keeps_its_default():
    assert config_from_dict(Model, {}) == Model()
    assert config_from_dict(Model, {"beam": {"width": 3}}) == Model(beam=Beam(width=3))


def test_a_config_comes_back_from_plain_values():
    config = Model(Beam(5, 1.0, "sigmoid"), "y", ("en", "de"), 7, True)
    plain = config_to_dict(config)
    assert plain["langs"] == ["en", "de"] and plain["beam"] == {"width": 5, "memory": 1.0, "path": "sigmoid"}
    assert config_from_dict(Model, plain) == config


def test_a_config_may_stand_for_its_table():
    assert config_from_dict(Model, {"beam": Beam(3)}) == Model(beam=Beam(3))


def test_whole_numbers_serve_as_fractions_but_not_the_reverse():
    memory = config_from_dict(Beam, {"memory": 1}).memory
    assert memory == 1.0 and isinstance(memory, float)
    with pytest.raises(ConfigError, match="Setting width must be a whole number, got 2.5"):
        config_from_dict(Beam, {"width": 2.5})


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"bem": {}}, "Unknown setting bem. Known: beam, is_fast, langs, limit, name. Did you mean beam?"),
        ({"beam": {"widht": 3}}, "Unknown setting beam.widht"),
        ({"beam": 3}, "Setting beam must be a table of settings, got 3"),
        ({"beam": {"width": True}}, "Setting beam.width must be a whole number, got True"),
        ({"beam": {"width": "3"}}, "Setting beam.width must be a whole number, got '3'"),
        ({"beam": {"memory": True}}, "Setting beam.memory must be a number, got True"),
        ({"beam": {"path": "soft"}}, "Setting beam.path must be one of 'hinge', 'sigmoid', got 'soft'"),
        ({"langs": "en"}, "Setting langs must be a list, got 'en'"),
        ({"langs": [1]}, "Setting langs must be text, got 1"),
        ({"is_fast": 1}, "Setting is_fast must be true or false, got 1"),
        ({"limit": "x"}, "Setting limit must be a whole number, got 'x'"),
    ],
)
def test_an_error_names_the_setting_and_the_value(values, words):
    with pytest.raises(ConfigError) as caught:
        config_from_dict(Model, values)
    assert words in str(caught.value)


def test_a_choice_is_checked_when_made_by_hand_too():
    with pytest.raises(ConfigError, match="Setting path must be one of"):
        Beam(path="soft")


def test_none_is_kept_where_it_is_allowed():
    assert config_from_dict(Model, {"limit": None}).limit is None
    with pytest.raises(ConfigError):
        config_from_dict(Model, {"name": None})


def test_only_configs_become_dictionaries():
    for value in (3, Model, {"a": 1}):
        with pytest.raises(ConfigError, match="Not a config"):
            config_to_dict(value)


@dataclass(frozen=True)
class Range(Config):
    RETIRED = {"power": 1, "mode": None}

    count: int = setting(1, "A count.", low=1)
    fraction: float = setting(0.5, "A fraction.", low=0, high=1)
    rate: float = setting(0.1, "A rate.", above=0)
    open_end: float = setting(0.0, "Not all.", low=0, below=1)
    digit: int = setting(0, "Zero or one.", choices=(0, 1))
    depths: tuple[int, ...] = setting((1,), "Some depths.", low=0, high=9)
    limit: float | None = setting(None, "None, or above it.", above=0)
    way: Literal["near", "far"] = setting("near", "Which way.")


@dataclass(frozen=True)
class Ranges(Config):
    range: Range = field(default_factory=Range)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"count": 0}, "count must be at least 1, got 0."),
        ({"fraction": 1.5}, "fraction must lie in 0..1, got 1.5."),
        ({"fraction": float("nan")}, "fraction must lie in 0..1, got nan."),
        ({"rate": 0}, "rate must be above 0, got "),
        ({"rate": float("inf")}, "rate must be a finite number, got inf."),
        ({"open_end": 1.0}, "open_end must be at least 0 and below 1, got 1.0."),
        ({"digit": 2}, "digit must be one of 0, 1, got 2."),
        ({"depths": (1, 10)}, "depths must lie in 0..9, got 10."),
        ({"limit": 0.0}, "limit must be above 0, got 0.0."),
        ({"way": "up"}, "way must be one of 'near', 'far', got 'up'."),
    ],
    ids=str,
)
def test_a_value_that_is_not_allowed_is_told_with_its_full_key(values, words):
    with pytest.raises(ConfigError) as by_hand:
        Range(**values)
    assert str(by_hand.value).startswith(f"Setting {words}")
    with pytest.raises(ConfigError) as from_file:
        config_from_dict(Ranges, {"range": values})
    assert str(from_file.value).startswith(f"Setting range.{words}")


def test_a_saved_model_may_name_settings_of_earlier_versions(caplog):
    with caplog.at_level("DEBUG", logger="deixis.config"):
        saved = config_from_dict(Ranges, {"range": {"power": 1, "mode": "old", "count": 3}}, is_saved=True)
    assert saved == Ranges(Range(count=3))
    assert [(record.levelname, record.args[0]) for record in caplog.records] == [
        ("DEBUG", "range.power"),
        ("DEBUG", "range.mode"),
    ]


def test_a_saved_model_that_was_built_with_another_value_is_told(caplog):
    assert config_from_dict(Range, {"power": 2}, is_saved=True) == Range()
    assert "power = 2, which is no setting any more and fixed at 1" in caplog.text


def test_an_unknown_setting_of_a_saved_model_is_an_error_all_the_same():
    with pytest.raises(ConfigError, match="Unknown setting cuont.*Did you mean count"):
        config_from_dict(Range, {"cuont": 2}, is_saved=True)


def test_a_users_file_may_not_name_settings_of_earlier_versions():
    with pytest.raises(ConfigError, match="range.power is no setting any more: leave it out. It is fixed at 1."):
        config_from_dict(Ranges, {"range": {"power": 1}})
