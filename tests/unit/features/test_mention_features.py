import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deixis.errors import ConfigError, DataError
from deixis.features.mention_features import MentionFeatures, MentionFeaturesConfig
from deixis.features.tfidf import TfidfConfig, TfidfVectorizer

MENTIONS = ["Paris", "Paris Hilton", "Troy", ""]
CONTEXTS = ["the capital of France", "she is an heiress", "the city of Priam and Paris", "the end"]


def test_a_row_is_the_weighted_mention_beside_the_weighted_context():
    config = MentionFeaturesConfig(
        mention=TfidfConfig(char_ngrams_min=3, char_ngrams_max=3), mention_weight=2.0, context_weight=0.3
    )
    features = MentionFeatures(config).fit(MENTIONS, CONTEXTS)
    mention = TfidfVectorizer(config.mention).fit(MENTIONS).transform(MENTIONS)
    context = TfidfVectorizer(config.context).fit(CONTEXTS).transform(CONTEXTS)
    expected = sparse.hstack([2.0 * mention, 0.3 * context]).toarray()
    assert_allclose(features.transform(MENTIONS, CONTEXTS).toarray(), expected, rtol=1e-6)


def test_without_context_weight_there_are_no_context_columns():
    features = MentionFeatures(MentionFeaturesConfig(context_weight=0.0)).fit(MENTIONS, CONTEXTS)
    rows = features.transform(MENTIONS, [])
    assert rows.shape == (4, features.mention.n_features)
    assert not any(name.startswith("x.context") for name in features.to_arrays("x"))


@pytest.mark.parametrize("context_weight", [0.0, 0.3])
def test_one_mention_gets_the_row_it_has_in_a_batch(context_weight):
    config = MentionFeaturesConfig(context_weight=context_weight)
    features = MentionFeatures(config).fit(MENTIONS, CONTEXTS)
    rows = features.transform(MENTIONS, CONTEXTS)
    for i, (mention, context) in enumerate(zip(MENTIONS, CONTEXTS, strict=True)):
        columns, weights = features.transform_row(mention, context)
        assert_array_equal(columns, rows[i].indices)
        assert_array_equal(weights, rows[i].data)


def test_what_was_stored_gives_the_same_rows():
    config = MentionFeaturesConfig(context_weight=0.5)
    features = MentionFeatures(config).fit(MENTIONS, CONTEXTS)
    loaded = MentionFeatures.from_arrays(features.to_arrays("f"), "f", config)
    assert (loaded.transform(MENTIONS, CONTEXTS) != features.transform(MENTIONS, CONTEXTS)).nnz == 0


def test_columns_say_which_part_they_belong_to():
    features = MentionFeatures().fit(["Troy"], ["of Troy"])
    assert features.feature_names(range(features.n_features)) == [
        "troy",
        "context:of",
        "context:troy",
        "context:of troy",
    ]


def test_mistakes_are_named():
    features = MentionFeatures().fit(MENTIONS, CONTEXTS)
    with pytest.raises(DataError, match="4 and 1"):
        features.transform(MENTIONS, CONTEXTS[:1])
    for wrong in ({"mention_weight": 0.0}, {"context_weight": -1.0}, {"context_window": -1}):
        with pytest.raises(ConfigError, match=next(iter(wrong))):
            MentionFeaturesConfig(**wrong)
