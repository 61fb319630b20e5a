from dataclasses import replace

import numpy as np
import pytest

from deixis.candidates.config import SourcesConfig
from deixis.candidates.sources.label_tree import LabelTreeSourceConfig
from deixis.candidates.sources.names import NameConfig
from deixis.detection.dictionary import DictionaryConfig
from deixis.errors import StoreError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.build_settings import ThresholdConfig
from deixis.linking.config import LinkerConfig
from deixis.ranking.default_weights import RankerConfig
from deixis.store.model_folder import save_model
from deixis.xmr.model import LabelTreeConfig

KB = KnowledgeBase.from_records([{"id": "a", "title": "Paris", "description": "city"}, {"id": "b", "title": "Troy"}])


def test_settings_come_back_with_the_model(tmp_path):
    config = LinkerConfig(
        detection=DictionaryConfig(min_chars=3, max_tokens=3),
        ranking=RankerConfig(weights="default", penalty=0.5),
        nil=ThresholdConfig(0.25),
        n_candidates=3,
    )
    tree = LabelTreeSourceConfig(ranker=LabelTreeConfig(n_trees=2))
    settings = {"label_tree": tree, "names": NameConfig(k=7)}
    config = replace(config, candidates=SourcesConfig(("names", "label_tree", "alias"), settings))
    linker = Linker.build(KB, config=config)
    linker.save(tmp_path / "model")
    loaded = Linker.load(tmp_path / "model", n_threads=2)
    assert loaded.config == config and loaded.model.n_threads == 2
    assert loaded.link("Paris and Troy") == linker.link("Paris and Troy")
    assert len(loaded.link("Paris and Troy").mentions) == 2


def test_the_knowledge_base_comes_back_with_the_model(tmp_path):
    Linker.build(KB).save(tmp_path / "model")
    assert list(Linker.load(tmp_path / "model").kb.entities()) == list(KB.entities())


def test_a_model_is_replaced_by_saving_over_it(tmp_path):
    Linker.build(KB).save(tmp_path / "model")
    Linker.build(KB.take([1])).save(tmp_path / "model")
    assert len(Linker.load(tmp_path / "model").kb) == 1


def test_a_folder_of_another_kind_is_refused(tmp_path):
    save_model(tmp_path / "tree", "tree", {}, {"x": np.zeros(1)})
    with pytest.raises(StoreError, match="kind 'tree', but 'linker' is needed"):
        Linker.load(tmp_path / "tree")


def test_a_folder_that_is_missing_or_no_model_is_refused(tmp_path):
    with pytest.raises(StoreError):
        Linker.load(tmp_path / "nowhere")
    (tmp_path / "notes.txt").write_text("no model")
    for path in (tmp_path, tmp_path / "notes.txt"):
        with pytest.raises(StoreError):
            Linker.load(path)


@pytest.mark.parametrize("config", [{"colour": "red"}, {"n_candidates": 0}, {"nil": {"threshold": "high"}}])
def test_settings_of_another_version_are_named(tmp_path, config):
    save_model(tmp_path / "model", "linker", config, {})
    with pytest.raises(
        StoreError, match=r"settings in .*manifest\.json cannot be used: .*(colour|n_candidates|threshold)"
    ):
        Linker.load(tmp_path / "model")
