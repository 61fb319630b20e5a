"""A new ranking feature is one function and one line of the registry."""

import numpy as np
import pytest

from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.ranking.default_weights import RankerConfig
from deixis.ranking.feature import Column, FeatureContext, feature
from deixis.ranking.features import FEATURES
from deixis.ranking.weights import FeatureWeights
from deixis.training.weights import train_weights
from tests.aviary import NAMES, aviary, sightings
from tests.linkers import with_weights

CONFIG = LinkerConfig(ranking=RankerConfig(min_mentions=30))
DOCUMENTS = sightings(80)
N_COMPUTED = []


@feature("flies", "it can fly", sign="+")
def flies(context: FeatureContext) -> Column:
    """Birds are in the second half of the knowledge base."""
    N_COMPUTED.append(len(context.rows))
    return (context.rows >= len(NAMES)).astype(np.float32)


@feature("news", "score of its news", sign="+", needs=["news"])
def news(context: FeatureContext) -> Column:
    """Needs a candidate source that no model has."""
    return context.source("news")


@pytest.fixture(scope="module")
def before():
    """A linker of the time before there were these features."""
    return Linker.build(aviary(), config=CONFIG)


@pytest.fixture(scope="module")
def links(before):
    return [before.link(document.text) for document in DOCUMENTS]


@pytest.fixture
def registered(before, links, monkeypatch):
    for each in (flies, news):
        monkeypatch.setitem(FEATURES, each.name, each)


def test_an_old_saved_model_gives_the_same_links_and_scores(before, links, registered, tmp_path):
    before.save(tmp_path / "model")
    N_COMPUTED.clear()
    loaded = Linker.load(tmp_path / "model")
    assert "flies" not in loaded.model.ranker.weights.names and loaded.model.ranker.weights["flies"] == 0
    assert [loaded.link(document.text) for document in DOCUMENTS] == links
    assert not N_COMPUTED  # what weighs nothing costs nothing


def test_a_model_built_with_it_gives_the_same_links_and_scores_until_it_has_a_weight(links, registered):
    again = Linker.build(aviary(), config=CONFIG)
    assert [again.link(document.text) for document in DOCUMENTS] == links


def test_it_is_computed_if_the_model_has_the_sources_that_it_needs(before, registered):
    model = before.model
    mentions = [mention for document in DOCUMENTS[:3] for mention in document.mentions_in_context()]
    table = model.sources.propose(mentions)
    features = model.ranker.features(mentions, table)
    known = model.ranker.weights.names
    assert features.names[: len(known)] == known and features.names[-1] == "flies"
    assert "news" not in features.names  # there is no source of news
    assert features.columns(["flies"])[:, 0].tolist() == (table.rows >= len(NAMES)).astype(float).tolist()


def test_it_is_explained_with_its_sentence(before, registered):
    weights = FeatureWeights.of(before.model.ranker.weights.by_name() | {"flies": 5.0})
    linker, document = with_weights(before, weights), DOCUMENTS[0]
    mention = document.mentions[0]
    bird = linker.explain(document.text, mention.start, mention.end).entity
    part = next(part for part in bird.parts if part.name == "flies")
    assert (part.meaning, part.value, part.weight, part.contribution) == ("it can fly", 1.0, 5.0, 5.0)
    assert sum(part.contribution for part in bird.parts) == pytest.approx(bird.total)


def test_fitting_weights_gives_it_one_which_is_saved(before, registered, tmp_path):
    fitted = Linker(train_weights(before.model, DOCUMENTS).model)
    assert fitted.model.ranker.weights["flies"] > 0
    fitted.save(tmp_path / "model")
    loaded = Linker.load(tmp_path / "model")
    assert loaded.model.ranker.weights.by_name() == fitted.model.ranker.weights.by_name()
    assert [loaded.link(each.text) for each in DOCUMENTS] == [fitted.link(each.text) for each in DOCUMENTS]
