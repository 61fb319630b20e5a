"""What scikit-learn asks of an estimator, asked of every estimator of ours."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError as SklearnNotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MultiLabelBinarizer
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from deixis.errors import ConfigError
from deixis.labelling.text_labeller import TextLabeller
from deixis.xmr.beam_search import BeamConfig
from deixis.xmr.model import LabelTreeConfig, LabelTreeRanker

ESTIMATORS = [LabelTreeRanker]
TEXTS = ["the red planet", "a planet of rings", "the messenger god", "liquid metal", "god of war", "metal of war"] * 3
LABELS = MultiLabelBinarizer().fit_transform(
    [{"mars"}, {"saturn"}, {"hermes"}, {"mercury"}, {"mars"}, {"iron", "mars"}] * 3
)


@pytest.fixture(params=ESTIMATORS)
def estimator(request):
    return request.param()


def test_it_ends_a_pipeline_on_texts(estimator):
    pipeline = make_pipeline(TfidfVectorizer(), estimator).fit(TEXTS, LABELS)
    predicted = pipeline.predict(TEXTS)
    assert predicted.shape == LABELS.shape
    assert (LABELS[np.arange(len(TEXTS)), predicted.indices] == 1).all()


def test_a_clone_has_the_parameters_and_none_of_the_learning(estimator):
    estimator.set_params(seed=5)
    fitted = estimator.fit(np.eye(4), np.eye(4))
    twin = clone(fitted)
    assert twin is not fitted
    assert twin.get_params(deep=False) == fitted.get_params(deep=False)
    with pytest.raises(SklearnNotFittedError):
        check_is_fitted(twin)
    check_is_fitted(fitted)


def test_parameters_are_the_constructors_arguments(estimator):
    params = estimator.get_params(deep=False)
    twin = type(estimator)(**params)
    assert twin.get_params() == estimator.get_params()


def test_what_get_params_gives_set_params_takes(estimator):
    assert type(estimator)().set_params(**estimator.get_params()).get_params() == estimator.get_params()


def test_an_unknown_parameter_is_refused(estimator):
    with pytest.raises(ConfigError, match="No parameter 'sead'"):
        estimator.set_params(sead=3)


def test_fit_gives_itself_and_leaves_its_parameters_alone(estimator):
    before = estimator.get_params()
    assert estimator.fit(np.eye(4), np.eye(4)) is estimator
    assert estimator.get_params() == before


def test_tags_say_multi_label_and_sparse(estimator):
    tags = get_tags(estimator)
    assert tags.input_tags.sparse and tags.target_tags.two_d_labels and tags.requires_fit


def test_a_pipeline_can_be_shown_and_asked_for_its_parameters(estimator):
    pipeline = make_pipeline(TfidfVectorizer(), estimator)
    assert type(estimator).__name__ in repr(pipeline)
    assert type(estimator).__name__ in pipeline._repr_html_()
    name = type(estimator).__name__.lower()
    assert pipeline.set_params(**{f"{name}__seed": 9}).get_params()[f"{name}__seed"] == 9


def test_settings_inside_the_config_are_parameters_of_their_own():
    ranker = LabelTreeRanker().set_params(config__beam__width=3, config__n_trees=2)
    assert ranker.config == replace(LabelTreeConfig(), beam=BeamConfig(width=3), n_trees=2)
    assert ranker.get_params()["config__beam__width"] == 3
    with pytest.raises(ConfigError, match="width must be at least 1"):
        ranker.set_params(config__beam__width=0)
    with pytest.raises(ConfigError, match="No parameter 'config__beam__widht'"):
        ranker.set_params(config__beam__widht=3)


def test_a_grid_search_finds_the_better_setting():
    def precision_at_1(fitted, texts, labels):
        return labels[np.arange(len(texts)), fitted.predict(texts).indices].mean()

    pipeline = make_pipeline(TfidfVectorizer(), LabelTreeRanker())
    grid = {"labeltreeranker__config__ranker__min_weight": [0.0, 100.0]}  # 100 drops every weight
    search = GridSearchCV(pipeline, grid, scoring=precision_at_1, cv=3).fit(TEXTS, LABELS)
    assert search.best_params_ == {"labeltreeranker__config__ranker__min_weight": 0.0}
    assert search.best_score_ > 0.9


def test_deixis_does_not_import_sklearn():
    ask = "from deixis.xmr.model import LabelTreeRanker; LabelTreeRanker().__sklearn_tags__()"
    code = f"import sys; {ask}; print('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_texts_need_no_vectorizer_before_a_labeller_of_texts():
    names = [["mars"], ["saturn"], ["hermes"], ["mercury"], ["mars"], ["iron", "mars"]] * 3
    pipeline = make_pipeline(FunctionTransformer(lambda texts: [text.upper() for text in texts]), TextLabeller(k=1))
    for labels in (names, LABELS, sparse.csr_matrix(LABELS)):
        predicted = pipeline.fit(TEXTS, labels).predict(TEXTS)
        assert predicted.shape == LABELS.shape
        assert (LABELS[np.arange(len(TEXTS)), predicted.indices] == 1).all()
        assert pipeline.score(TEXTS, labels) == 1.0


def test_a_labeller_of_texts_keeps_to_the_rules_of_estimators():
    labeller = TextLabeller().set_params(config__tree__n_trees=2, k=3, seed=5)
    twin = clone(labeller.fit(TEXTS, LABELS))
    assert twin.get_params() == labeller.get_params() and twin.config.tree.n_trees == 2
    with pytest.raises(SklearnNotFittedError):
        check_is_fitted(twin)
    check_is_fitted(labeller)
    tags = get_tags(labeller)
    assert tags.input_tags.string and tags.target_tags.two_d_labels and not tags.input_tags.sparse
    assert "TextLabeller" in repr(make_pipeline(labeller))


@pytest.mark.parametrize("is_matrix", [True, False])
def test_a_grid_search_goes_over_a_labeller_of_texts(is_matrix):
    names = [["mars"], ["saturn"], ["hermes"], ["mercury"], ["mars"], ["iron", "mars"]] * 3
    grid = {"config__tree__ranker__min_weight": [100.0, 0.0]}  # 100 drops every weight
    search = GridSearchCV(TextLabeller(), grid, cv=3).fit(TEXTS, LABELS if is_matrix else names)
    assert search.best_params_ == {"config__tree__ranker__min_weight": 0.0}
    assert search.best_score_ > 0.9
