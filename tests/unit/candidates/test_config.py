import pytest

from deixis.candidates.config import DEFAULT_SOURCES, SourcesConfig
from deixis.candidates.sources.alias import AliasConfig
from deixis.candidates.sources.names import NameConfig
from deixis.config import config_from_dict, config_to_dict
from deixis.errors import ConfigError, UnknownNameError


def test_every_source_in_use_has_a_table_beside_the_list_of_names():
    values = config_to_dict(SourcesConfig())
    assert values["sources"] == list(DEFAULT_SOURCES) and set(values) == {"sources", *DEFAULT_SOURCES}
    ks = {name: values[name]["k"] for name in DEFAULT_SOURCES}
    assert ks == {"alias": 100, "spelling": 20, "names": 200, "label_tree": 50, "descriptions": 50}


def test_settings_survive_being_written_down():
    config = SourcesConfig(("names", "alias"), {"names": NameConfig(k=7)}).with_encoder("static")
    again = config_from_dict(SourcesConfig, config_to_dict(config))
    assert again == config and again.sources == ("names", "alias", "vectors")


def test_a_table_of_a_source_that_is_not_in_use_is_kept():
    config = config_from_dict(SourcesConfig, {"sources": ["alias"], "vectors": {"k": 3}})
    assert config.sources == ("alias",) and config["vectors"].k == 3
    assert config.with_encoder("chars")["vectors"].k == 3


def test_what_is_misspelt_is_refused_with_a_suggestion():
    with pytest.raises(UnknownNameError, match="No candidate source named 'alais'.*Did you mean 'alias'"):
        SourcesConfig(("alais",))
    with pytest.raises(ConfigError, match="Unknown setting candidates.alias.kk"):
        config_from_dict(SourcesConfig, {"alias": {"kk": 3}}, "candidates.")
    with pytest.raises(ConfigError, match="Unknown setting spelings.*Did you mean spelling"):
        config_from_dict(SourcesConfig, {"spelings": {}})
    with pytest.raises(ConfigError, match="must be a table of settings, got 3"):
        config_from_dict(SourcesConfig, {"alias": 3})


def test_no_source_the_same_twice_and_settings_of_another_are_refused():
    for wrong in ((), ("alias", "alias")):
        with pytest.raises(ConfigError, match="at least one source"):
            SourcesConfig(wrong)
    with pytest.raises(ConfigError, match="settings of NameConfig"):
        SourcesConfig(("names",), {"names": AliasConfig()})


def test_an_encoder_is_given_to_every_source_that_has_one():
    both = SourcesConfig(("alias", "name_vectors", "vectors")).with_encoder("minilm")
    assert both["name_vectors"].encoder.name == both["vectors"].encoder.name == "minilm"
    names = SourcesConfig(("alias", "name_vectors")).with_encoder("minilm")
    assert names.sources == ("alias", "name_vectors") and names["name_vectors"].encoder.name == "minilm"
