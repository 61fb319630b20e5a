import numpy as np
import pytest
from scipy import sparse

from deixis.errors import ConfigError, DataError, StoreError, UnknownNameError
from deixis.features.tfidf import TfidfConfig
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.labelling.config import LabellerConfig, TextFeaturesConfig
from deixis.labelling.corpus.documents import LabelledRows, LabelledTexts
from deixis.labelling.labeller import Labeller
from deixis.linker import Linker
from deixis.store.strings import StringTable
from deixis.xmr.label_augmentation import AugmentationConfig
from deixis.xmr.model import LabelTreeConfig
from tests.library import books, library_vocabulary

N_TRAIN = 120


@pytest.fixture(scope="module")
def labeller():
    return Labeller.build(books(N_TRAIN), library_vocabulary(), n_threads=1)


@pytest.fixture(scope="module")
def rows():
    """The same books as rows of features made elsewhere."""
    rng = np.random.default_rng(3)
    labels = books(N_TRAIN).docs_by_labels
    features = sparse.csr_matrix(labels @ rng.random((labels.shape[1], 12)).astype(np.float32))
    return LabelledRows(features, labels)


def folder_bytes(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_it_labels_texts_it_has_not_seen(labeller):
    found = labeller.label(["a kitten under the mast", "whiskers and a purr", "flour for the oven"], k=2)
    assert {label.title for label in found[0]} == {"Cats", "Ships"}
    assert found[1][0].title == "Cats" and found[2][0].id == "s2"


def test_labels_come_best_first_with_scores_between_0_and_1(labeller):
    ranked = labeller.rank(books(40, seed=1).texts, k=4)
    assert ranked.shape == (40, 5)
    for row in ranked:
        assert (np.diff(row.data) <= 0).all() and (row.data >= 0).all() and (row.data <= 1).all()


def test_a_threshold_leaves_out_what_is_less_sure(labeller):
    texts = books(30, seed=2).texts
    every, sure = labeller.label(texts, k=4), labeller.label(texts, k=4, threshold=0.5)
    assert sure == [[label for label in labels if label.score >= 0.5] for labels in every]
    assert 0 < sum(map(len, sure)) < sum(map(len, every))


def test_a_text_without_a_known_word_gets_no_labels(labeller):
    assert labeller.label(["", "zxqwv", "the cat"], k=1)[:2] == [[], []]


def test_no_documents_are_no_labels(labeller):
    assert labeller.label([]) == []
    assert labeller.rank(sparse.csr_matrix((0, labeller.n_features)), 3).shape == (0, 5)


def test_asking_for_more_labels_than_there_are_gives_all(labeller):
    assert {label.id for label in labeller.label(["cat"], k=100)[0]} == {"s0", "s1", "s2", "s3", "s9"}


def test_names_of_labels_are_learned_from_unless_told_otherwise(labeller):
    assert labeller.config.augmentation.kind == "self" and labeller.label(["the volcano"], k=1)[0][0].id == "s9"
    unnamed = Labeller.build(LabelledRows(np.eye(2), sparse.csr_matrix(np.eye(2))), n_threads=1)
    assert unnamed.config.augmentation.kind == "none"


def pages(n, has_itself):
    """Pages called as labels are; page i has the next label, and itself if that is wanted."""
    titles = [f"page{row} word{row % 7}" for row in range(n)]
    links = np.roll(np.eye(n, dtype=np.float32), 1, axis=1) + has_itself * np.eye(n, dtype=np.float32)
    ids = StringTable.from_strings(map(str, range(n)))
    vocabulary = KnowledgeBase.from_records({"id": title, "title": title.upper()} for title in titles)
    return LabelledTexts(ids, StringTable.from_strings(titles), sparse.csr_matrix(links)), vocabulary


@pytest.mark.parametrize(("has_itself", "kind"), [(False, "soft"), (True, "self")])
def test_names_are_learned_from_for_related_labels_where_inputs_are_labels_but_not_their_own(has_itself, kind):
    documents, vocabulary = pages(20, has_itself)
    assert Labeller.build(documents, vocabulary, n_threads=1).config.augmentation.kind == kind


def test_without_names_a_label_that_no_document_has_is_in_the_vocabulary_but_not_in_the_tree():
    config = LabellerConfig(augmentation=AugmentationConfig("none"))
    labeller = Labeller.build(books(N_TRAIN), library_vocabulary(), config, n_threads=1)
    assert len(labeller.vocabulary) == 5 and labeller.engine.n_labels == 4
    assert labeller.label_rows.tolist() == [0, 1, 2, 3]
    assert labeller.frequencies.counts[4] == 0 and labeller.frequencies.n_documents == N_TRAIN


@pytest.mark.parametrize("kind", ["self", "soft"])
def test_learning_from_label_texts_finds_a_label_that_no_document_has(kind):
    config = LabellerConfig(augmentation=AugmentationConfig(kind=kind))
    labeller = Labeller.build(books(N_TRAIN), library_vocabulary(), config, n_threads=1)
    assert labeller.engine.n_labels == 5
    assert labeller.label(["the volcano"], k=1)[0][0].id == "s9"
    assert labeller.frequencies.counts[4] == 0  # its text is no document


def test_the_same_seed_gives_the_same_bytes_on_one_thread_or_three(tmp_path):
    config = LabellerConfig(tree=LabelTreeConfig(n_trees=2), augmentation=AugmentationConfig(kind="soft"))
    for name, n_threads in (("one", 1), ("three", 3)):
        Labeller.build(books(N_TRAIN), library_vocabulary(), config, seed=5, n_threads=n_threads).save(tmp_path / name)
    assert folder_bytes(tmp_path / "one") == folder_bytes(tmp_path / "three")


def test_what_is_saved_and_loaded_labels_the_same(labeller, tmp_path):
    labeller.save(tmp_path / "model")
    again = Labeller.load(tmp_path / "model", n_threads=1)
    texts = books(50, seed=4).texts
    assert again.label(texts, k=3) == labeller.label(texts, k=3)
    assert again.config == labeller.config
    assert again.frequencies.counts.tolist() == labeller.frequencies.counts.tolist()
    again.save(tmp_path / "again")
    assert folder_bytes(tmp_path / "model") == folder_bytes(tmp_path / "again")


def test_arrays_are_memory_mapped(labeller, tmp_path):
    labeller.save(tmp_path / "model")
    again = Labeller.load(tmp_path / "model")
    array = again.vocabulary.ids.data
    while isinstance(array.base, np.ndarray):
        array = array.base
    assert isinstance(array, np.memmap)


def test_at_most_so_many_features_are_kept():
    features = TextFeaturesConfig(words=TfidfConfig(ngrams_max=1), max_features=6)
    labeller = Labeller.build(books(N_TRAIN), library_vocabulary(), LabellerConfig(features=features), n_threads=1)
    assert labeller.n_features == 6


def test_rows_of_features_need_no_vocabulary(rows, tmp_path):
    labeller = Labeller.build(rows, n_threads=1)
    labeller.save(tmp_path / "model")
    again = Labeller.load(tmp_path / "model", n_threads=1)
    best = again.label(rows.docs_by_features, k=1)
    truth = rows.docs_by_labels.toarray()
    assert np.mean([truth[row, int(found[0].id)] for row, found in enumerate(best)]) > 0.9
    assert best == labeller.label(rows.docs_by_features.toarray(), k=1)


def test_augmentation_of_rows_takes_rows_for_the_labels(rows):
    config = LabellerConfig(augmentation=AugmentationConfig(kind="self"))
    with pytest.raises(ConfigError, match="names of labels"):
        Labeller.build(rows, config=config)
    names = sparse.identity(12, np.float32, format="csr")[:5]
    labeller = Labeller.build(rows, config=config, labels_by_features=names, n_threads=1)
    assert labeller.engine.n_labels == 5
    with pytest.raises(DataError, match="5 of 12 features"):
        Labeller.build(rows, config=config, labels_by_features=names[:4])


def test_texts_and_rows_are_not_taken_for_each_other(labeller, rows):
    with pytest.raises(DataError, match="trained on rows of 12 features"):
        Labeller.build(rows, n_threads=1).rank(["the cat"])
    with pytest.raises(DataError, match="The rows have 12 features"):
        labeller.rank(rows.docs_by_features)


def test_documents_that_teach_nothing_are_left_out_and_told(caplog):
    given = books(N_TRAIN)
    texts = list(given.texts)
    texts[0] = ""
    labels = given.docs_by_labels.tolil()
    labels[1] = 0
    documents = LabelledTexts(given.ids, StringTable.from_strings(texts), labels.tocsr())
    without = given.take(np.arange(2, N_TRAIN))
    # The vocabulary counts all texts, so features are the same only if the words left out change nothing.
    labeller = Labeller.build(documents, library_vocabulary(), n_threads=1)
    assert "2 of 120 documents cannot be used and are left out: 1 have no label, 1 no words" in caplog.text
    assert labeller.engine.n_labels == Labeller.build(without, library_vocabulary(), n_threads=1).engine.n_labels


def test_nothing_to_learn_from_is_an_error():
    given = books(5)
    bare = LabelledTexts(given.ids, given.texts, sparse.csr_matrix((5, 5)))
    with pytest.raises(DataError, match="of 5 documents 0 have a label of the vocabulary and 5 have words"):
        Labeller.build(bare, library_vocabulary())


def test_texts_that_are_all_the_same_have_no_word_left():
    texts = StringTable.from_strings(["a cat"] * 6)
    documents = LabelledTexts(StringTable.from_strings("abcdef"), texts, sparse.csr_matrix(np.ones((6, 1))))
    with pytest.raises(DataError, match=r"No word is left.*max_df.*all the same"):
        Labeller.build(documents, n_threads=1)


def test_a_vocabulary_of_another_size_is_refused():
    with pytest.raises(DataError, match="5 columns, the vocabulary 4 labels"):
        Labeller.build(books(5), library_vocabulary().take([0, 1, 2, 3]))


def test_wrong_settings_are_told():
    with pytest.raises(UnknownNameError, match="No engine named 'tre'. Known: .*Did you mean 'tree'?"):
        Labeller.build(books(5), library_vocabulary(), LabellerConfig(engine="tre"))
    with pytest.raises(ConfigError, match="max_features"):
        TextFeaturesConfig(max_features=-1)
    with pytest.raises(DataError, match="got list"):
        Labeller.build([("text", ["label"])], library_vocabulary())


def test_k_must_be_positive(labeller):
    with pytest.raises(ConfigError, match="k must be at least 1, got 0"):
        labeller.rank(["cat"], 0)


def test_a_lone_text_is_refused(labeller):
    with pytest.raises(DataError, match="Put it into a list"):
        labeller.label("the cat")


def test_a_linker_is_not_a_labeller_and_the_error_says_what_each_is_for(labeller, tmp_path):
    labeller.save(tmp_path / "labeller")
    Linker.build(KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}])).save(tmp_path / "linker")
    with pytest.raises(StoreError, match="kind 'labeller' .it is for: deixis xmr predict., but 'linker' is needed"):
        Linker.load(tmp_path / "labeller")
    with pytest.raises(StoreError, match="kind 'linker' .it is for: deixis link., but 'labeller' is needed"):
        Labeller.load(tmp_path / "linker")
