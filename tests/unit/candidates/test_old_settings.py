from deixis.candidates.config import DEFAULT_SOURCES, SourcesConfig
from deixis.candidates.old_settings import current_settings
from deixis.config import config_from_dict, config_to_dict

NAMES = {"alias_weight": 0.9, "popularity_weight": 0.3, "tree_share": 0.15, "learned_tree_share": 0.9}
OLD = {
    "alias": {"title_weight": 3.0},
    "string": {"min_similarity": 0.7},
    "tree": {"instances": {"max_shared": 3}, "names": NAMES},
    "dense": {"contents": "contexts"},
    "n_alias": 10,
    "n_string": 2,
    "n_names": 20,
    "n_tree": 5,
    "n_described": 6,
    "n_dense": 0,
}


def read(stored):
    return config_from_dict(SourcesConfig, current_settings(stored))


def test_counts_become_the_k_of_their_source_and_tables_move_to_it():
    config = read(OLD)
    assert config.sources == DEFAULT_SOURCES
    assert [config[name].k for name in config.sources] == [10, 2, 20, 5, 6]
    assert config["alias"].title_weight == 3.0 and config["spelling"].min_similarity == 0.7
    assert config["names"].alias_weight == 0.9 and config["label_tree"].instances.max_shared == 3
    assert config["vectors"].contents == "contexts"


def test_a_count_of_0_leaves_the_source_out():
    config = read(OLD | {"n_alias": 0, "n_described": 0, "n_dense": 7})
    assert config.sources == ("spelling", "names", "label_tree", "vectors") and config["vectors"].k == 7


def test_names_that_had_no_say_beside_the_tree_are_no_source():
    alone = {"tree_share": 1.0, "learned_tree_share": 1.0}
    assert "names" not in read(OLD | {"tree": {"names": NAMES | alone}}).sources


def test_settings_that_were_never_stored_have_the_defaults_of_then():
    assert read({}).sources == DEFAULT_SOURCES and read({})["names"].k == 200


def test_settings_of_today_stay_as_they_are():
    values = config_to_dict(SourcesConfig(("label_tree", "alias")))
    assert current_settings(values) == values
