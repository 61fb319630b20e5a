"""Laws of the labeller: whatever it learned from, saved is the same, one text is a batch of one, rows are texts."""

import shutil
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from deixis.errors import DataError
from deixis.features.tfidf import TfidfConfig
from deixis.labelling.config import LabellerConfig, TextFeaturesConfig
from deixis.labelling.corpus.documents import LabelledRows, LabelledTexts
from deixis.labelling.labeller import Labeller
from deixis.labelling.vocabulary import numbered_vocabulary
from deixis.store.strings import StringTable
from deixis.xmr.label_augmentation import AugmentationConfig
from deixis.xmr.label_tree import TreeConfig
from deixis.xmr.model import LabelTreeConfig

quick = settings(max_examples=30, deadline=None)
words = st.sampled_from(["cat", "ship", "Zürich", "北京", "0", "3", "the", "İ", "🦕"])
texts = st.lists(words, max_size=6).map(" ".join)


@st.composite
def labelled_texts(draw):
    """Texts, some empty, of which at least one has a word and a label."""
    n_labels = draw(st.integers(1, 12))
    found = ["cat", *draw(st.lists(texts, max_size=25))]
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    has_label = rng.random((len(found), n_labels)) < 0.2
    has_label[0, int(rng.integers(n_labels))] = True
    ids = StringTable.from_strings(map(str, range(len(found))))
    return LabelledTexts(ids, StringTable.from_strings(found), sparse.csr_matrix(has_label.astype(np.float32)))


configs = st.builds(
    LabellerConfig,
    features=st.builds(
        TextFeaturesConfig,
        words=st.builds(TfidfConfig, ngrams_max=st.integers(1, 2), max_df=st.just(1.0)),
        max_features=st.sampled_from([0, 3, 1000]),
    ),
    augmentation=st.builds(AugmentationConfig, kind=st.sampled_from(["none", "self", "soft"])),
    tree=st.builds(
        LabelTreeConfig, tree=st.builds(TreeConfig, st.integers(2, 4), st.integers(1, 4)), n_trees=st.integers(1, 2)
    ),
)


def same(one, other):
    return (
        one.shape == other.shape
        and one.indptr.tolist() == other.indptr.tolist()
        and one.indices.tolist() == other.indices.tolist()
        and one.data.tobytes() == other.data.tobytes()
    )


@quick
@given(labelled_texts(), configs, st.lists(texts, min_size=1, max_size=8), st.integers(1, 6))
def test_saved_and_loaded_and_one_by_one_the_ranks_are_the_same(documents, config, asked, k):
    try:
        labeller = Labeller.build(
            documents, numbered_vocabulary(documents.docs_by_labels.shape[1]), config, n_threads=1
        )
    except DataError as error:  # a limit of features may leave no document with a word
        assert "Nothing to learn from" in str(error)
        return
    ranked = labeller.rank(asked, k)
    assert ranked.shape[1] == documents.docs_by_labels.shape[1] and (np.diff(ranked.indptr) <= k).all()
    folder = Path(tempfile.mkdtemp())
    try:
        labeller.save(folder / "model")
        assert same(Labeller.load(folder / "model", n_threads=2).rank(asked, k), ranked)
    finally:
        shutil.rmtree(folder)
    for number, text in enumerate(asked):
        assert same(labeller.rank([text], k), ranked[number])


@quick
@given(labelled_texts(), st.lists(texts, min_size=1, max_size=8))
def test_rows_of_its_own_features_are_ranked_as_the_texts(documents, asked):
    # Of rows nobody can tell whether they are names of labels, as `auto` does of texts.
    features = TextFeaturesConfig(words=TfidfConfig(max_df=1.0))
    config = LabellerConfig(features=features, augmentation=AugmentationConfig("self"))
    vocabulary = numbered_vocabulary(documents.docs_by_labels.shape[1])
    labeller = Labeller.build(documents, vocabulary, config, n_threads=1)
    rows, names = (labeller.features.transform(texts, 1) for texts in (documents.texts, vocabulary.titles))
    lesson = LabelledRows(rows, documents.docs_by_labels)
    from_rows = Labeller.build(lesson, config=config, n_threads=1, labels_by_features=names)
    queries = labeller.features.transform(asked, 1)
    assert same(labeller.rank(asked, 3), from_rows.rank(queries, 3))


@quick
@given(labelled_texts(), st.integers(1, 5))
def test_the_best_k_begin_with_the_best_fewer(documents, k):
    config = LabellerConfig(features=TextFeaturesConfig(words=TfidfConfig(max_df=1.0)))
    labeller = Labeller.build(documents, config=config, n_threads=1)
    few, many = labeller.label(documents.texts, k), labeller.label(documents.texts, k + 3)
    assert [labels[:k] for labels in many] == few


@quick
@given(labelled_texts(), st.integers(1, 5), st.integers(0, 2**32))
def test_a_filter_takes_labels_out_of_the_whole_ranking_and_nothing_else(documents, k, seed):
    config = LabellerConfig(features=TextFeaturesConfig(words=TfidfConfig(max_df=1.0)))
    labeller = Labeller.build(documents, config=config, n_threads=1)
    shape = documents.docs_by_labels.shape
    filtered = sparse.csr_matrix(np.random.default_rng(seed).random(shape) < 0.3)
    every = labeller.label(documents.texts, shape[1])
    expected = [[label for label in labels if not filtered[row, int(label.id)]][:k] for row, labels in enumerate(every)]
    assert labeller.label(documents.texts, k, filtered=filtered) == expected
