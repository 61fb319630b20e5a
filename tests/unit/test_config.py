from dataclasses import dataclass, field
from typing import Literal

import pytest

from deixis.config import check_settings, config_from_dict, config_to_dict
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
