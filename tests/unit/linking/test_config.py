from dataclasses import replace

import pytest

from deixis.config import config_from_dict, config_to_dict
from deixis.errors import ConfigError, UnknownNameError
from deixis.linking.config import PRESETS, LinkerConfig


def test_an_unknown_preset_is_answered_with_the_known_ones():
    with pytest.raises(UnknownNameError, match="No preset named 'xmerd'. Known: default, xmred. Did you mean 'xmred'"):
        LinkerConfig.preset("xmerd")


def test_the_default_preset_is_what_a_linker_takes_by_itself():
    assert LinkerConfig.preset("default") == LinkerConfig()


def test_the_papers_recipe_is_kept_to_the_letter():
    config = LinkerConfig.preset("xmred")
    tree = config.candidates["label_tree"]
    assert tree.instances.has_descriptions and not tree.instances.has_names
    features = tree.features
    assert features.mention_weight == features.context_weight == 1.0
    assert features.mention.ngrams_max == features.context.ngrams_max == 2
    assert features.mention.max_df == features.context.max_df == 0.98
    ranker = tree.ranker
    assert (ranker.tree.branching, ranker.tree.max_leaf_size, ranker.tree.balance) == (16, 100, "full")
    assert features.context_window == 20_000  # longer than any document of AIDA
    assert (ranker.ranker.loss, ranker.negatives, ranker.n_trees) == ("hinge", "teacher_forcing", 1)
    assert (ranker.beam.path_score, ranker.beam.memory) == ("sigmoid", 1.0)
    assert config.candidates.sources == ("label_tree",)
    assert config.ranking.weights == "tree"


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_settings_come_back_from_plain_values(name):
    config = replace(LinkerConfig.preset(name), n_candidates=7)
    assert config_from_dict(LinkerConfig, config_to_dict(config)) == config


def test_a_setting_far_inside_is_named_by_its_path():
    with pytest.raises(
        ConfigError,
        match="candidates.label_tree.ranker.beam.widht.*Did you mean candidates.label_tree.ranker.beam.width",
    ):
        config_from_dict(LinkerConfig, {"candidates": {"label_tree": {"ranker": {"beam": {"widht": 3}}}}})


@pytest.mark.parametrize("n_candidates", [0, -3])
def test_at_least_one_candidate_is_kept(n_candidates):
    with pytest.raises(ConfigError, match="at least 1"):
        LinkerConfig(n_candidates=n_candidates)


def test_synthetic_mentions_are_no_setting_any_more_and_saved_models_that_have_it_open():
    with pytest.raises(ConfigError, match="rehearsal is no setting any more: leave it out"):
        config_from_dict(LinkerConfig, {"rehearsal": {"use": "always"}})
    saved = config_from_dict(LinkerConfig, {"rehearsal": {"use": "always"}}, is_saved=True)
    assert saved == LinkerConfig()
