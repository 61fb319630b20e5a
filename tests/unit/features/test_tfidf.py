import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_extraction.text import TfidfVectorizer as SklearnTfidf

from deixis.errors import ConfigError, DataError, NotFittedError, StoreError
from deixis.features.tfidf import TfidfConfig, TfidfVectorizer
from deixis.store.strings import StringTable

TEXTS = [
    "The cat sat on the mat; the cat slept.",
    "A dog and a cat: cats and dogs!",
    "Paris is the capital of France",
    "the the the",
    "",
    "Paris, Texas is a city in the US; Paris is in France.",
    "...",
]


def by_name(vectorizer, rows):
    """Each row as {n-gram: weight}, since columns are ordered differently from library to library."""
    names = (
        vectorizer.feature_names() if isinstance(vectorizer, TfidfVectorizer) else vectorizer.get_feature_names_out()
    )
    return [
        {
            str(names[c]): float(v)
            for c, v in zip(rows.indices[a:b], rows.data[a:b], strict=True)
        }
        for a, b in zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    ]  # fmt: skip


def assert_same_rows(ours, theirs):
    assert len(ours) == len(theirs)
    for our_row, their_row in zip(ours, theirs, strict=True):
        assert our_row.keys() == their_row.keys()
        assert_allclose([our_row[k] for k in their_row], list(their_row.values()), rtol=2e-6)


@pytest.mark.parametrize("ngrams_max", [1, 2, 3, 5])
@pytest.mark.parametrize(("min_df", "max_df"), [(1, 1.0), (2, 0.98), (1, 0.5), (2, 0.5)])
@pytest.mark.parametrize("sublinear_tf", [False, True])
def test_weights_equal_scikit_learns(ngrams_max, min_df, max_df, sublinear_tf):
    config = TfidfConfig(ngrams_max=ngrams_max, min_df=min_df, max_df=max_df, sublinear_tf=sublinear_tf)
    ours = TfidfVectorizer(config).fit(TEXTS)
    theirs = SklearnTfidf(
        token_pattern=r"[a-z0-9]+", ngram_range=(1, ngrams_max), min_df=min_df, max_df=max_df, sublinear_tf=sublinear_tf
    ).fit(TEXTS)
    assert sorted(ours.feature_names()) == sorted(theirs.get_feature_names_out())
    unseen = ["Paris is the cat", "nothing known", "cat the the mat the cat sat on the mat"]
    for texts in (TEXTS, unseen):
        assert_same_rows(by_name(ours, ours.transform(texts)), by_name(theirs, theirs.transform(texts)))


@pytest.mark.parametrize(("low", "high"), [(1, 1), (2, 4), (3, 5), (5, 9)])
def test_character_ngrams_equal_scikit_learns(low, high):
    config = TfidfConfig(ngrams_max=1, max_df=1.0, char_ngrams_min=low, char_ngrams_max=high)
    ours = TfidfVectorizer(config).fit(TEXTS)
    theirs = SklearnTfidf(analyzer="char_wb", ngram_range=(low, high))
    cleaned = [" ".join(re.findall("[a-z0-9]+", text.lower())) for text in TEXTS]
    theirs.fit(cleaned)
    n_words = ours.n_features - len(theirs.vocabulary_)
    names = ours.feature_names()
    assert sorted(names[n_words:]) == sorted(theirs.get_feature_names_out())
    idf_of = dict(zip(theirs.get_feature_names_out(), theirs.idf_, strict=True))
    assert_allclose(ours.idf[n_words:], [idf_of[name] for name in names[n_words:]], rtol=1e-6)


def test_words_and_characters_share_one_row_of_length_one():
    vectorizer = TfidfVectorizer(TfidfConfig(char_ngrams_min=3, char_ngrams_max=3)).fit(TEXTS)
    rows = vectorizer.transform(["the Parisian cat"])
    names = vectorizer.feature_names(rows.indices)
    assert {"the", "cat", "par", " pa", "ris", " ca", "at "} <= set(names)
    assert "parisian" not in names
    assert_allclose(np.linalg.norm(rows.data), 1, rtol=1e-6)


def test_rows_are_float32_with_ascending_int32_columns():
    rows = TfidfVectorizer().fit(TEXTS).transform(TEXTS)
    assert (rows.data.dtype, rows.indices.dtype, rows.indptr.dtype) == (np.float32, np.int32, np.int32)
    for a, b in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        assert np.all(np.diff(rows.indices[a:b]) > 0)
    lengths = np.sqrt(rows.multiply(rows).sum(axis=1)).A1
    assert_allclose(lengths[[0, 1, 2, 3, 5]], 1, rtol=1e-6)
    assert lengths[4] == lengths[6] == 0


def test_one_thread_and_four_give_the_same_bytes():
    # More than one chunk of text, so that the threads have something to share.
    rng = np.random.default_rng(0)
    words = np.array([f"w{i}é" if i % 7 == 0 else f"word{i}" for i in range(3000)])
    texts = StringTable.from_strings(" ".join(rng.choice(words, 150)) for _ in range(5000))
    assert len(texts.data) > 5 << 20
    config = TfidfConfig(ngrams_max=2, char_ngrams_min=3, char_ngrams_max=3)
    one, four = (TfidfVectorizer(config).fit(texts, n_threads=n) for n in (1, 4))
    for (name, left), right in zip(one.to_arrays("x").items(), four.to_arrays("x").values(), strict=True):
        assert_array_equal(left, right, err_msg=name)
    left, right = one.transform(texts, n_threads=1), four.transform(texts, n_threads=4)
    assert_array_equal(left.indptr, right.indptr)
    assert_array_equal(left.indices, right.indices)
    assert left.data.tobytes() == right.data.tobytes()


def test_a_row_alone_equals_the_row_in_a_batch():
    vectorizer = TfidfVectorizer(TfidfConfig(char_ngrams_min=2, char_ngrams_max=3)).fit(TEXTS)
    rows = vectorizer.transform(TEXTS)
    for i, text in enumerate(TEXTS):
        columns, weights = vectorizer.transform_row(text)
        assert_array_equal(columns, rows[i].indices)
        assert_array_equal(weights, rows[i].data)


def test_what_was_stored_gives_the_same_rows(tmp_path):
    config = TfidfConfig(ngrams_max=3, max_df=0.5, char_ngrams_min=2, char_ngrams_max=2)
    vectorizer = TfidfVectorizer(config).fit(TEXTS)
    mapped = {}
    for name, array in vectorizer.to_arrays("v").items():
        np.save(tmp_path / f"{name}.npy", array)
        mapped[name] = np.load(tmp_path / f"{name}.npy", mmap_mode="r" if array.size else None)
    loaded = TfidfVectorizer.from_arrays(mapped, "v", config)
    assert loaded.feature_names() == vectorizer.feature_names()
    assert (loaded.transform(TEXTS) != vectorizer.transform(TEXTS)).nnz == 0


@pytest.mark.parametrize("name", ["tokens.offsets", "tokens.slots", "trie.child_ptr", "trie.labels", "dropped"])
@pytest.mark.parametrize("seed", range(5))
def test_damaged_arrays_never_reach_past_their_ends(name, seed):
    config = TfidfConfig(ngrams_max=3, max_df=0.5, char_ngrams_min=2, char_ngrams_max=2)
    arrays = TfidfVectorizer(config).fit(TEXTS).to_arrays("v")
    rng = np.random.default_rng(seed)
    damaged = arrays[f"v.{name}"].copy()
    noise = rng.integers(0, 256, damaged.nbytes, dtype=np.uint8).view(damaged.dtype)
    where = rng.random(len(damaged)) < 0.5
    damaged[where] = noise[where]
    try:
        loaded = TfidfVectorizer.from_arrays(arrays | {f"v.{name}": damaged}, "v", config)
    except StoreError as error:
        assert "v.dropped" in str(error)
        return
    rows = loaded.transform(TEXTS)
    assert rows.nnz == 0 or (rows.indices.min() >= 0 and rows.indices.max() < loaded.n_features)
    assert len(loaded.feature_names()) == loaded.n_features


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("idf", lambda a: a[:-1]),
        ("idf", lambda a: a.astype(np.float64)),
        ("tokens.slots", lambda a: a[:-1]),
        ("tokens.offsets", lambda a: a[:0]),
        ("trie.labels", lambda a: a[:-1]),
        ("trie.child_ptr", lambda a: a[:0]),
    ],
)
def test_arrays_that_do_not_fit_are_a_store_error_that_names_them(name, change):
    arrays = TfidfVectorizer().fit(TEXTS).to_arrays("v")
    with pytest.raises(StoreError, match=r"v\."):
        TfidfVectorizer.from_arrays(arrays | {f"v.{name}": change(arrays[f"v.{name}"])}, "v", TfidfConfig())


def test_a_missing_array_is_named():
    arrays = TfidfVectorizer().fit(TEXTS).to_arrays("v")
    del arrays["v.idf"]
    with pytest.raises(StoreError, match="'v.idf'"):
        TfidfVectorizer.from_arrays(arrays, "v", TfidfConfig())


def test_nothing_to_learn_from_gives_no_features():
    for texts in ([], ["", "..."]):
        vectorizer = TfidfVectorizer().fit(texts)
        assert vectorizer.n_features == 0
        assert vectorizer.transform(["some text"]).shape == (1, 0)


def test_one_text_alone_keeps_its_words():
    assert sorted(TfidfVectorizer().fit(["Paris, Texas"]).feature_names()) == ["paris", "paris texas", "texas"]


def test_names_of_texts_without_spaces_are_found_by_their_bigrams():
    vectorizer = TfidfVectorizer().fit(["東京都", "京都市", "大阪"])
    columns, _ = vectorizer.transform_row("京都")
    assert sorted(vectorizer.feature_names(columns)) == ["京", "京 都", "都"]


def test_bytes_that_are_no_utf8_separate():
    broken = StringTable(np.array([0, 9]), np.frombuffer(b"ab\xff\xe4\xbdcd\xf0\x9f", np.uint8))
    assert sorted(TfidfVectorizer().fit(broken).feature_names()) == ["ab", "ab cd", "cd"]


def test_mistakes_are_named():
    with pytest.raises(NotFittedError, match="fit"):
        TfidfVectorizer().transform(["x"])
    with pytest.raises(NotFittedError):
        TfidfVectorizer().to_arrays("x")
    with pytest.raises(DataError, match="list"):
        TfidfVectorizer().fit("one text")
    with pytest.raises(IndexError):
        TfidfVectorizer().fit(["x"]).feature_names([1])
    for wrong in ({"ngrams_max": 6}, {"max_df": 0.0}, {"min_df": 0}, {"char_ngrams_min": 3}, {"max_df": 98.0}):
        with pytest.raises(ConfigError, match=next(iter(wrong))):
            TfidfConfig(**wrong)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -1.0, 3e38])
def test_stored_weights_that_cannot_be_are_refused(value):
    config = TfidfConfig()
    arrays = TfidfVectorizer(config).fit(["Paris", "Troy"]).to_arrays("x")
    arrays["x.idf"] = np.array([1.0, value], np.float32)
    with pytest.raises(StoreError, match=r"x\.idf"):
        TfidfVectorizer.from_arrays(arrays, "x", config)


def test_the_words_of_other_texts_can_be_made_to_weigh_less():
    fitted = TfidfVectorizer(TfidfConfig(ngrams_max=1)).fit(["the cat", "the dog", "a dog"])
    before = fitted.idf.copy()
    damped = fitted.damped(["the of a"], 0.1)
    is_damped = np.array([name in ("the", "a") for name in damped.feature_names()])
    assert_allclose(damped.idf, np.where(is_damped, before * 0.1, before), rtol=1e-6)
    assert_array_equal(fitted.idf, before)
    assert damped.transform(["the dog"]).max() > 0.99
